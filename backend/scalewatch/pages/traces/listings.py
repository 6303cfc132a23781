"""Traces as tables for programs and people, and as figures for gnuplot."""

from scalewatch.exporters.gnuplot import GnuplotFigure, gnuplot_text
from scalewatch.exporters.listing import Listing
from scalewatch.pages.traces.sentences import METRIC_NAMES
from scalewatch.services.traces.locations import TimeOverProcesses
from scalewatch.services.traces.program import Traced
from scalewatch.services.traces.traces import Traces
from scalewatch.storage.runs.traces import PROGRAM


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
    for number, (label, traced) in enumerate(_sides(shown)):
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
                    name=f"times{number or ''}",
                    title=f"{shown.project} {label}: time of all processes",
                    label="time (s)",
                    processes=traced.processes,
                    columns=columns,
                )
            )
        figures.append(_extrapolated(shown, number, label, traced))
    return gnuplot_text(figures)


def _extrapolated(
    shown: Traces, number: int, label: str, traced: Traced
) -> GnuplotFigure:
    location = traced.location(shown.location.region) if shown.location else None
    time = location.time if location else traced.total
    metric = METRIC_NAMES[traced.metric]
    place = location.region if location else shown.project
    return GnuplotFigure(
        name=f"extrapolation{number or ''}",
        title=f"{place} {label}: {metric}",
        label=f"{metric} (s)",
        processes=traced.processes,
        columns={metric: time.values},
        rows=time.extrapolations,
    )


def _sides(shown: Traces) -> list[tuple[str, Traced]]:
    sides = []
    if shown.commit is not None and shown.chosen is not None:
        sides.append((shown.commit.label, shown.chosen))
    if shown.other is not None:
        sides.append((shown.other.commit.label, shown.other.traced))
    return sides


def _times(
    traced: Traced,
) -> list[tuple[str, str | None, int | None, TimeOverProcesses]]:
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
