"""The page of traces: which locations limit a program, and how it will go on.

Its lead and each rule of its report are told in sentences.
"""

from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from scalewatch.exporters.gnuplot import GnuplotFigure, gnuplot_text
from scalewatch.exporters.listing import Listing
from scalewatch.modelling.assumptions import ASSUMED as OF_ROOMS
from scalewatch.modelling.traces import Bend, Conclusion, Rule
from scalewatch.pages.rendering import addresses, navigation, plots, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording import formats
from scalewatch.services.traces import program, scans
from scalewatch.services.traces.traces import FIGURES, Traces, shown_time, traces_at
from scalewatch.storage.runs.traces import PROGRAM
from scalewatch.texts.numbers import MISSING, SPACE, significant
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
    query = {**addresses.stated_view(view), **addresses.stated_question(question)}
    region = shown.location.region if shown.location else None
    return templates.render(
        request,
        "traces/show.html",
        shown=shown,
        query=query,
        plots=plots.plots_of(
            request, "trace-figure", FIGURES, shown, {"project": shown.project, **query}
        ),
        lead=shown.chosen and traces_sentence(shown.chosen),
        conclusion_sentence=conclusion_sentence,
        path_sentence=path_sentence,
        time=shown.chosen and shown_time(shown.chosen, region),
        other_time=shown.other and shown_time(shown.other.traced, region),
        metric_names=METRIC_NAMES,
        kinds=KINDS,
        error=error,
        least=OF_ROOMS.least_efficiency,
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
    metric = METRIC_NAMES[traced.metric]
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
) -> list[tuple[str, str | None, int | None, scans.TimeOverProcesses]]:
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


METRIC_NAMES: Final = {
    "overhead": "overhead",
    "mpi_time": "time in MPI",
    "wait_late_sender": "waiting for late senders",
    "wait_late_receiver": "waiting for late receivers",
    "wait_collective": "waiting at collectives",
}
"""Metrics in words, as in `the overhead`."""

KINDS: Final = {
    "wait_late_sender": "late sender",
    "wait_late_receiver": "late receiver",
    "wait_collective": "collective",
}

NUMBERS: Final = ("None", "One", "Two", "Three", "Four", "Five", "Six")

MOST_NAMED: Final = 3

MOST_BLAMED: Final = 10
"""Locations that a rule of the report names; others are counted, exports have all."""

FEW: Final = Markup(
    "{program} was traced at {settings}: extrapolations need four, the growth of the "
    "{metric} needs five, and its curvature needs six."
)
FASTER: Final = Markup(
    "{number} of {locations} {make} the {metric} scale worse than p: {named}{more}; "
    "{share} of it at p{equals}{largest}."
)
NONE_FASTER: Final = Markup(
    "None of {locations} makes the {metric} scale worse than p; together they take "
    "{total} at p{equals}{largest}."
)
PATH: Final = Markup(
    "The path that decides the run time at p{equals}{largest} computes for {computing} "
    "of it{processes}; the rest is in calls.{named}"
)
WHOLE: Final = Markup("The {metric} of the program is {total} at p{equals}{largest}.")


def traces_sentence(traced: program.Traced) -> Markup:
    """Tell which locations make a time scale worse than p."""
    metric = METRIC_NAMES[traced.metric]
    equals = f"{SPACE}={SPACE}"
    known = {
        "metric": metric,
        "equals": equals,
        "largest": formats.count(traced.processes[-1]),
        "total": formats.quantity(traced.total.largest, "s"),
    }
    times = [each.time for each in traced.locations] or [traced.total]
    if all(time.bend is Bend.UNKNOWN and time.growth is None for time in times):
        settings = formats.plural(len(traced.processes), "number")
        return FEW.format(
            program="The program",
            settings=f"{settings} of processes",
            metric=metric,
        )
    if not traced.locations:
        return WHOLE.format(**known)
    locations = formats.plural(len(traced.locations), "location")
    faster = traced.faster
    if not faster:
        return NONE_FASTER.format(locations=locations, **known)
    shares = sum(each.share or 0 for each in faster)
    others = len(faster) - MOST_NAMED
    number = len(faster)
    return FASTER.format(
        number=NUMBERS[number] if number < len(NUMBERS) else f"{number:,}",
        locations=locations,
        make="makes" if number == 1 else "make",
        named=Markup(", ").join(map(_named, faster[:MOST_NAMED])),
        more=f" and {formats.plural(others, 'other')}" if others > 0 else "",
        share=formats.share(shares),
        **known,
    )


def path_sentence(traced: program.Traced) -> Markup:
    """Tell what the path that decides the run time consists of; nothing if unknown."""
    path = traced.path
    if path is None:
        return Markup("")
    named = Markup(", ").join(
        Markup("{} ({})").format(_named(each), formats.share(each.path or 0.0))
        for each in path.locations
    )
    return PATH.format(
        largest=formats.count(traced.processes[-1]),
        equals=f"{SPACE}={SPACE}",
        computing=formats.share(path.computing),
        processes=f" ({formats.unbroken(path.processes)})" if path.processes else "",
        named=Markup(" It leads most through {}.").format(named) if named else "",
    )


def _named(location: scans.TracedLocation) -> Markup:
    where = location.source.label if location.source else ""
    place = Markup(" ({})").format(where) if where else Markup("")
    return Markup("<bdi>{}</bdi>").format(location.region) + place


def conclusion_sentence(said: Conclusion, metric: str) -> Markup:
    """Tell what a rule concludes, with its evidence."""
    named = Markup(", ").join(
        Markup("<bdi>{}</bdi> ({})").format(region, formats.share(part))
        for region, part in said.locations[:MOST_BLAMED]
    )
    if others := said.locations[MOST_BLAMED:]:
        together = formats.share(sum(part for _, part in others))
        named += f" and {formats.plural(len(others), 'other')} ({together} together)"
    if named:
        named = Markup(" Most of that comes from {}.").format(named)
    words = {name: _written(name, value) for name, value in said.evidence.items()}
    return SAID[said.rule].format(metric=METRIC_NAMES[metric], named=named, **words)


SAID: Final[Mapping[Rule, Markup]] = {
    Rule.TOO_FEW: Markup(
        "Traced at {settings} numbers of processes: growths need five, the curvature "
        "of the {metric} over p needs six."
    ),
    Rule.LINEAR: Markup(
        "The {metric} of the program grows like a line over p: a₂·P² is {share} of it "
        "at the largest P, and a₂ = {a2} kept its sign in the last {subsets} subsets."
    ),
    Rule.BENDS: Markup(
        "The {metric} of the program is not linear in p: a₂·P² is {share} of it at the "
        "largest P, and a₂ = {a2} kept its sign in the last {subsets} subsets.{named}"
    ),
    Rule.USABLE: Markup(
        "The extrapolation may be used: of the last two subsets e_max is at most "
        "{e_max}, and each met the next number of processes within {d}."
    ),
    Rule.UNUSABLE: Markup(
        "The extrapolation may not be used: of the last two subsets e_max is up to "
        "{e_max}, and the next number of processes was missed by up to {d}."
    ),
    Rule.PIPELINE: Markup(
        "A pipeline or wavefront: {late_sender} of the time in MPI waits for late "
        "senders, while each process sends what it sent (messages per process like "
        "p^{messages_power}, bytes like p^{bytes_power}): wait states, not volume."
    ),
    Rule.IMBALANCE: Markup(
        "Imbalance before collectives: {wait_collective} of the time in MPI waits "
        "there, and the load balance fell from {load_balance_first} to "
        "{load_balance_last}."
    ),
    Rule.BLOCKING: Markup(
        "Blocking sends: {late_receiver} of the time in MPI waits for receivers, with "
        "{bytes_per_message} a message; non-blocking sends would not wait."
    ),
    Rule.VOLUME: Markup("Volume: the bytes of each process grow like p^{bytes_power}."),
    Rule.LATENCY: Markup(
        "Latency: the messages of each process grow like p^{messages_power}, their "
        "bytes like p^{bytes_power} only."
    ),
    Rule.LIBRARY: Markup(
        "The library or the network: calls run at their best possible time (overhead "
        "is {overhead} of the time in MPI), which grows like p^{mpi_time_power} per "
        "process."
    ),
    Rule.CODE: Markup(
        "The code: {overhead} of the time in MPI exceeds the best possible time of "
        "its calls."
    ),
}


def error(percent: float | None) -> str:
    """Write e_max or d with the two decimals that the publication prints."""
    return MISSING if percent is None else f"{percent:.2f}{SPACE}%"


def _written(name: str, value: float) -> str:
    match name:
        case "settings" | "subsets":
            return formats.count(value)
        case "a2":
            return significant(value, 2)
        case "e_max" | "d":
            return error(value)
        case "bytes_per_message":
            return formats.quantity(value, "B")
        case _ if name.endswith("_power"):
            return f"{round(value, 2) + 0.0:.2f}"  # never −0.00
        case _:
            return formats.share(value)
