"""Figures of traces: extrapolations, times, waits and efficiencies."""

from collections.abc import Callable, Mapping
from typing import Final

from scalewatch.figures.axes import canvas
from scalewatch.figures.figure import Figure
from scalewatch.figures.traces.shares import efficiencies_figure, waits_figure
from scalewatch.figures.traces.times import (
    TimeLine,
    extrapolation_figure,
    times_figure,
)
from scalewatch.modelling.traces.efficiencies import LEAST
from scalewatch.services.traces.locations import TimeOverProcesses
from scalewatch.services.traces.program import Traced
from scalewatch.services.traces.traces import Traces

WAIT_NAMES: Final = {
    "wait_late_sender": "late sender",
    "wait_late_receiver": "late receiver",
    "wait_collective": "collective",
}


def shown_time(traced: Traced, region: str | None) -> TimeOverProcesses | None:
    """Return the time of a location, or of the whole program."""
    if region is None:
        return traced.total
    location = traced.location(region)
    return location.time if location else None


def _extrapolation(shown: Traces) -> Figure:
    if shown.chosen is None:
        return canvas()
    region = shown.location.region if shown.location else None
    sides = [(shown.commit.label if shown.commit else "", shown.chosen)]
    if shown.other is not None:
        named = shown.alternatives.get(
            shown.question.vs or "", shown.other.commit.label
        )
        sides.append((named, shown.other.traced))
    lines = [
        TimeLine(name, traced.processes, time.values, time.extrapolations)
        for name, traced in sides
        if (time := shown_time(traced, region)) is not None
    ]
    return extrapolation_figure(shown.chosen.metric, lines, shown.chosen.target)


def _times(shown: Traces) -> Figure:
    traced = shown.chosen
    if traced is None:
        return canvas()
    return times_figure(
        [
            TimeLine("with communication", traced.processes, traced.runtime),
            TimeLine("without communication", traced.processes, traced.computing),
        ]
    )


def _waits(shown: Traces) -> Figure:
    traced = shown.chosen
    if traced is None:
        return canvas()
    named = {WAIT_NAMES[kind]: values for kind, values in traced.waits.items()}
    return waits_figure(traced.processes, named)


def _efficiencies(shown: Traces) -> Figure:
    traced = shown.chosen
    if traced is None:
        return canvas()
    rows = {str(row.efficiency): row.values for row in traced.efficiencies}
    return efficiencies_figure(traced.processes, rows, LEAST)


FIGURES: Final[Mapping[str, Callable[[Traces], Figure]]] = {
    "efficiencies": _efficiencies,
    "extrapolation": _extrapolation,
    "times": _times,
    "waits": _waits,
}
