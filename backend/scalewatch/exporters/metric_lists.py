"""Medians for other dashboards: Bencher's metric format, and lists of name and value.

A name holds the settings as `key=value`, so that it is one of its own, and `scalewatch
model` and `import` read them again.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import IO, Any, Final

import orjson

from scalewatch.exporters.series_groups import MACHINE, Exported, differing

TIME: Final = "time"
LATENCY: Final = "latency"
"""What Bencher calls a time; it is in nanoseconds."""

SIMULATED: Final = "(simulated)"
"""What the names of machines end with on which nothing was measured."""

_NANOSECONDS: Final = 1e9


def write_bencher(measured: Sequence[Exported], file: IO[bytes]) -> None:
    """Write medians by name and measure, with quartiles as their bounds."""
    benchmarks: dict[str, dict[str, dict[str, float]]] = {}
    for name, each in _named(measured):
        measure, size = each.metric, 1.0
        if each.metric == TIME:
            measure, size = LATENCY, _NANOSECONDS
        low, middle, high = (value * size for value in each.quartiles)
        held = {"value": middle, "lower_value": low, "upper_value": high}
        benchmarks.setdefault(name, {})[measure] = held
    file.write(orjson.dumps(benchmarks, option=orjson.OPT_INDENT_2))


def write_list(measured: Sequence[Exported], file: IO[bytes]) -> None:
    """Write a list of names, units and medians, half the quartiles' range beside."""
    rows: list[dict[str, Any]] = []
    for name, each in _named(measured):
        low, middle, high = each.quartiles
        metric = "" if each.metric == TIME else f"/metric={each.metric}"
        rows.append(
            {
                "name": name + metric,
                "unit": each.unit or "1",
                "value": middle,
                "range": f"± {(high - low) / 2:.6g}",
            }
        )
    file.write(orjson.dumps(rows, option=orjson.OPT_INDENT_2))


def _named(measured: Sequence[Exported]) -> Iterator[tuple[str, Exported]]:
    """Yield each measurement with its name, that of repeated runs numbered.

    A simulated machine is named even where it is the only one.
    """
    told = differing(measured)
    if MACHINE not in told and any(SIMULATED in each.machine for each in measured):
        told.append(MACHINE)
    named = sorted(
        ((_name(each, told), each) for each in measured),
        key=lambda one: (one[0], one[1].metric),
    )
    for _, runs in groupby(named, key=lambda one: (one[0], one[1].metric)):
        for number, (name, each) in enumerate(runs, 1):
            yield (name if number == 1 else f"{name}/run={number}"), each


def _name(each: Exported, told: Iterable[str]) -> str:
    settings = {**each.coordinate, **each.settings(told)}
    return "/".join(
        [each.region, *(f"{key}={value}" for key, value in settings.items())]
    )
