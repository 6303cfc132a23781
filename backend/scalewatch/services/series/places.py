"""Where series were measured at a commit, and where that was tried in vain."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.caches.editions import kept_at
from scalewatch.services.caches.lru import Kept
from scalewatch.storage.commits.coordinates import Place
from scalewatch.storage.runs import measurements

KEPT: Final = 50_000
"""Series whose places at commits are kept; most share theirs with others."""


@dataclass(frozen=True, slots=True)
class Places:
    """The places of one series at a commit.

    Parameters
    ----------
    tried, measured
        Where a run brought it, and where one of these succeeded.
    """

    tried: frozenset[Place]
    measured: frozenset[Place]


_PLACES: Final = Kept[Mapping[int, Places]](KEPT, len)


def places_at(
    session: Session, commit_id: int, series: Sequence[int]
) -> Mapping[int, Places]:
    """Return the places of those series that a commit has runs of."""
    return kept_at(
        session,
        commit_id,
        _PLACES,
        (series,),
        lambda: _read(session, commit_id, series),
    )


def places_words(places: Collection[Place]) -> str:
    """Name places: `p = 32, 64`, or `p = 32, threads = 2; p = 64, threads = 2`."""
    ordered = sorted(places)
    names = {name for place in ordered for name, _ in place}
    if len(names) == 1:
        (name,) = names
        return f"{name} = {', '.join(f'{value:g}' for ((_, value),) in ordered)}"
    return "; ".join(
        ", ".join(f"{name} = {value:g}" for name, value in place) for place in ordered
    )


def _read(session: Session, commit_id: int, series: Sequence[int]) -> dict[int, Places]:
    at = {
        run_id: tuple(sorted(run.coordinate.items()))
        for run_id, run in measurements.places_at(session, commit_id).items()
    }
    points: dict[int, set[tuple[int, bool]]] = defaultdict(set)
    for each in measurements.notes_on(session, commit_id, series):
        points[each.series_id].add((each.run_id, each.repetitions > 0))
    known: dict[frozenset[tuple[int, bool]], Places] = {}
    return {
        key: known.setdefault(runs, _places(at, runs))
        for key, own in points.items()
        for runs in (frozenset(own),)
    }


def _places(at: Mapping[int, Place], runs: Collection[tuple[int, bool]]) -> Places:
    return Places(
        frozenset(at[run] for run, _ in runs),
        frozenset(at[run] for run, is_measured in runs if is_measured),
    )
