"""Medians of what was measured, by series and setting."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.services.series.measurements import varied
from scalewatch.services.shared_cores import left_out_at
from scalewatch.storage.runs import measurements

KEPT: Final = 50_000
"""Series whose medians at commits are kept: 0.6 kB each."""


@dataclass(frozen=True, slots=True)
class Middles:
    """Medians of one series along what was varied.

    Parameters
    ----------
    parameter
        What was varied.
    values
        The median at each setting of it; of several runs, the median of theirs.
    """

    parameter: str
    values: Mapping[float, float]


_MIDDLES: Final = Kept[Mapping[int, Middles]](KEPT, len)


def middles_at(
    session: Session, commit_id: int, series: Collection[int]
) -> Mapping[int, Middles]:
    """Return the medians of those series that have a result at a commit.

    Times for which processes shared cores are left out.
    """
    asked = sorted(series)
    return kept_at(
        session, commit_id, _MIDDLES, (asked,), lambda: _read(session, commit_id, asked)
    )


def _read(
    session: Session, commit_id: int, series: Sequence[int]
) -> dict[int, Middles]:
    places = measurements.places_at(session, commit_id)

    @cache
    def scan(*runs: int) -> tuple[str, tuple[float, ...]]:
        """Return what varies along runs, and its settings; many series share them."""
        coordinates = [places[run].coordinate for run in runs]
        parameter = varied(coordinates)
        return parameter, tuple(float(at.get(parameter, 1)) for at in coordinates)

    taken: dict[int, dict[int, float]] = defaultdict(dict)
    middles = measurements.middles_of(session, commit_id, series)
    left_out = left_out_at(session, commit_id, middles)
    for each in middles:
        if each.median is not None and each not in left_out:
            taken[each.series_id][each.run_id] = each.median
    return {
        series_id: _along(*scan(*measured), [*measured.values()])
        for series_id, measured in taken.items()
    }


def _along(
    parameter: str, settings: Sequence[float], middles: Sequence[float]
) -> Middles:
    values: dict[float, list[float]] = defaultdict(list)
    for x, middle in zip(settings, middles, strict=True):
        values[x].append(middle)
    return Middles(
        parameter,
        {
            x: own[0] if len(own) == 1 else median(own)
            for x, own in sorted(values.items())
        },
    )
