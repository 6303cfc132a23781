"""The page of traces: which locations limit a program, and how it will go on."""

from typing import Final

from fastapi import APIRouter, Request, Response

from scalewatch.exporters.gnuplot import GnuplotFigure, gnuplot_text
from scalewatch.exporters.listing import Listing
from scalewatch.modelling.traces.efficiencies import LEAST
from scalewatch.pages.rendering import addresses, navigation, plots, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.traces import sentences
from scalewatch.pages.wording.formats import number
from scalewatch.services.selection.view import View
from scalewatch.services.traces import locations, program, scans
from scalewatch.services.traces.traces import FIGURES, Traces, shown_time, traces_at
from scalewatch.storage.runs.traces import PROGRAM
from scalewatch.web.queries import TracesQuestionDep, ViewDep
from scalewatch.web.sessions import ReadingDep

MOST_LOCATIONS: Final = 40
"""Locations that the page lists; exports have all."""

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/traces", name="traces")  # noqa: FAST003, the view
def show_traces(
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    question: TracesQuestionDep,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show where a program spends its time in MPI, and how that grows."""
    shown = traces_at(session, view, question)
    label = shown.commit.label if shown.commit else "none"
    if wanted is not Format.HTML:
        name = f"{shown.project}-{label}-traces"
        return download(wanted, name, shown, times_listing, extrapolations_listing)
    query = query_of(view, question)
    region = shown.location.region if shown.location else None
    return templates.render(
        request,
        "traces/show.html",
        shown=shown,
        query=query,
        plots=plots.plots_of(
            request, "trace-figure", FIGURES, shown, {"project": shown.project, **query}
        ),
        lead=shown.chosen and sentences.traces_sentence(shown.chosen),
        conclusion_sentence=sentences.conclusion_sentence,
        path_sentence=sentences.path_sentence,
        time=shown.chosen and shown_time(shown.chosen, region),
        other_time=shown.other and shown_time(shown.other.traced, region),
        metric_names=sentences.METRIC_NAMES,
        kinds=sentences.KINDS,
        error=sentences.error,
        least=LEAST,
        most=MOST_LOCATIONS,
    )


@router.get("/p/{project}/traces.gp", name="traces-gnuplot")  # noqa: FAST003, the view
def show_gnuplot(
    session: ReadingDep, view: ViewDep, question: TracesQuestionDep
) -> Response:
    """Return the publication's figures as one program of gnuplot, data included."""
    return Response(
        gnuplot(traces_at(session, view, question)),
        media_type="text/plain",
        headers={"Content-Disposition": 'inline; filename="traces.gp"'},
    )


def query_of(view: View, question: scans.TracesQuestion) -> addresses.Query:
    """Return the whole state of the page; what was not asked for is left out."""
    return {
        **addresses.stated_view(view),
        "location": question.location,
        "target": None if question.target is None else number(question.target),
        "repeat": question.repeat if question.repeat is not scans.Repeat.BEST else None,
        "vs": question.vs,
    }


def times_listing(shown: Traces) -> Listing:
    """Return one line per commit, location and number of processes."""
    return Listing(
        ("commit", "region", "file", "line", "metric", "p", "seconds"),
        [
            (label, region, file, line, traced.metric, p, seconds)
            for label, traced in _sides(shown)
            for region, file, line, time in _times(traced)
            for p, seconds in zip(traced.processes, time.values, strict=True)
        ],
    )


def extrapolations_listing(shown: Traces) -> Listing:
    """Return the publication's tables: a line per location and subset."""
    return Listing(
        ("Commit", "Location", "S", "P", "a0", "a1", "a2", "e_max (%)", "d (%)"),
        [
            (
                label,
                region,
                len(row.settings),
                ",".join(f"{p:g}" for p in row.settings),
                f"{row.a0:.4g}",
                f"{row.a1:.4g}",
                f"{row.a2:.4g}",
                None if row.e_max is None else f"{row.e_max:.2f}",
                None if row.d is None else f"{row.d:.2f}",
            )
            for label, traced in _sides(shown)
            for region, _, _, time in _times(traced)
            for row in time.extrapolations
        ],
    )


def gnuplot(shown: Traces) -> str:
    """Return the publication's figures of the shown programs."""
    figures = []
    for place, (label, traced) in enumerate(_sides(shown)):
        known = {
            "with communication": traced.runtime,
            "without communication": traced.computing,
        }
        columns = {
            name: values
            for name, values in known.items()
            if any(value is not None for value in values)
        }
        if columns:
            figures.append(
                GnuplotFigure(
                    name=f"times{place or ''}",
                    title=f"{shown.project} {label}: time of all processes",
                    label="time (s)",
                    processes=traced.processes,
                    columns=columns,
                )
            )
        figures.append(_extrapolated(shown, place, label, traced))
    return gnuplot_text(figures)


def _extrapolated(
    shown: Traces, place: int, label: str, traced: program.Traced
) -> GnuplotFigure:
    location = traced.location(shown.location.region) if shown.location else None
    time = location.time if location else traced.total
    metric = sentences.METRIC_NAMES[traced.metric]
    subject = location.region if location else shown.project
    return GnuplotFigure(
        name=f"extrapolation{place or ''}",
        title=f"{subject} {label}: {metric}",
        label=f"{metric} (s)",
        processes=traced.processes,
        columns={metric: time.values},
        rows=time.extrapolations,
    )


def _sides(shown: Traces) -> list[tuple[str, program.Traced]]:
    sides = []
    if shown.commit is not None and shown.chosen is not None:
        sides.append((shown.commit.label, shown.chosen))
    if shown.other is not None:
        sides.append((shown.other.commit.label, shown.other.traced))
    return sides


def _times(
    traced: program.Traced,
) -> list[tuple[str, str | None, int | None, locations.TimeOverProcesses]]:
    """Return the program and its locations, each with file, line and time."""
    return [
        (PROGRAM, None, None, traced.total),
        *(
            (
                each.region,
                each.source.file if each.source else None,
                each.source.line if each.source else None,
                each.time,
            )
            for each in traced.locations
        ),
    ]
