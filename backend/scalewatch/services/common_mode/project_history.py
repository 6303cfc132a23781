"""Histories of series: what each measured at one commit after the other.

A region that was renamed goes on under its present name. A machine whose fingerprint
changed begins a new history: what it measured before is no baseline for it.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from scalewatch.modelling.arrays import Reals
from scalewatch.services.analysis.pooling import SeriesPool
from scalewatch.services.commits.lineage import Lineage
from scalewatch.services.selection.renamed_regions import present_name
from scalewatch.storage.histories import aliases as former_names
from scalewatch.storage.histories import locations
from scalewatch.storage.histories.locations import Located, LocatedSeries

Setting = tuple[float, ...]

MOST_COMMITS: Final = 400
"""The newest commits of a line that are looked at together."""

RECENT: Final = 20
"""Commits that say at which settings a series is measured now."""


@dataclass(frozen=True, slots=True, eq=False)
class SeriesHistory:
    """A history of one series on one state of its machine.

    Parameters
    ----------
    series
        The newest of those that belong together under aliases.
    region
        Its present name.
    fingerprint_id
        State of the machine.
    parameters, settings
        What varies, and where it is measured now, n settings.
    positions
        Positions of its commits on the line, ascending.
    log
        Log-locations, shape (commits, n); NaN where missing.
    """

    series: LocatedSeries
    region: str
    fingerprint_id: int
    parameters: tuple[str, ...]
    settings: tuple[Setting, ...]
    positions: tuple[int, ...]
    log: Reals

    def pool(self, commits: slice) -> SeriesPool:
        """Return the locations at some commits as repetitions of each other."""
        values = np.exp(self.log[commits]).T.copy()
        return SeriesPool(self.parameters, np.array(self.settings), values)


def series_histories(
    session: Session,
    project_id: int,
    line: Lineage,
    *,
    region: str | None = None,
    metric: str | None = None,
) -> list[SeriesHistory]:
    """Return the histories of a project, of one region and metric or of all.

    Of each series the one on the newest state of its machine comes last.
    """
    aliases = former_names.of_project(session, project_id)
    names = [] if region is None else [region, *_former(aliases, region)]
    watched = locations.series_of(session, project_id, regions=names, metric=metric)
    position_of = {commit.id: position for position, commit in enumerate(line.commits)}
    located: dict[int, list[Located]] = defaultdict(list)
    for each in locations.of_series(session, [s.id for s in watched], [*position_of]):
        located[each.series_id].append(each)
    found: list[SeriesHistory] = []
    for own in _together(watched, aliases):
        parts = [part for series in own for part in located[series.id]]
        found.extend(_histories(own[-1], aliases, parts, position_of))
    return found


def _former(aliases: Mapping[str, str], region: str) -> list[str]:
    return [name for name in aliases if present_name(aliases, name) == region]


def _together(
    watched: Sequence[LocatedSeries], aliases: Mapping[str, str]
) -> list[list[LocatedSeries]]:
    """Group series that are the same but for a former name of the region."""
    groups: dict[tuple[object, ...], list[LocatedSeries]] = {}
    for series in watched:
        key = (
            series.machine_id,
            series.configuration_id,
            series.metric,
            present_name(aliases, series.region),
        )
        groups.setdefault(key, []).append(series)
    # The series under the present name stands for all of them.
    for own in groups.values():
        own.sort(key=lambda series: (series.region not in aliases, series.id))
    return list(groups.values())


def _histories(
    series: LocatedSeries,
    aliases: Mapping[str, str],
    parts: Sequence[Located],
    position_of: Mapping[int, int],
) -> list[SeriesHistory]:
    by_state: dict[int, list[Located]] = defaultdict(list)
    for part in parts:
        by_state[part.fingerprint_id].append(part)
    found = []
    for fingerprint_id, own in by_state.items():
        part_at = {position_of[each]: part for part in own for each in part.commit_ids}
        newest = [part_at[position] for position in sorted(part_at)[-RECENT:]]
        parameters = newest[-1].parameters
        settings = _settings([each for each in newest if each.parameters == parameters])
        if not settings:
            continue
        alike = [part for part in own if part.parameters == parameters]
        positions, log = _vectors(alike, settings, part_at, position_of)
        is_there = np.count_nonzero(~np.isnan(log), axis=1) * 2 >= len(settings)
        if not is_there.any():
            continue
        found.append(
            SeriesHistory(
                series=series,
                region=present_name(aliases, series.region),
                fingerprint_id=fingerprint_id,
                parameters=parameters,
                settings=settings,
                positions=tuple(positions[is_there].tolist()),
                log=log[is_there],
            )
        )
    return sorted(found, key=lambda history: history.positions[-1])


def _settings(newest: Sequence[Located]) -> tuple[Setting, ...]:
    """Return the settings that at least half of the commits have measured."""
    counts: Counter[Setting] = Counter()
    for part, commits in Counter(newest).items():  # most were measured alike
        counts.update({at: commits for at in part.settings if min(at) > 0})
    return tuple(sorted(at for at, count in counts.items() if 2 * count >= len(newest)))


def _vectors(
    alike: Sequence[Located],
    settings: tuple[Setting, ...],
    part_at: Mapping[int, Located],
    position_of: Mapping[int, int],
) -> tuple[NDArray[np.intp], Reals]:
    """Return positions, ascending, and the locations there, shape (positions, n)."""
    positions = [[position_of[each] for each in part.commit_ids] for part in alike]
    # A commit may have been measured under a former name, too; one of both counts.
    is_own = [
        [part_at[position] is part for position in own]
        for part, own in zip(alike, positions, strict=True)
    ]
    log = np.concatenate(
        [_at(settings, part)[own] for part, own in zip(alike, is_own, strict=True)]
    )
    kept = np.concatenate(positions)[np.concatenate(is_own)]
    order = kept.argsort()
    return kept[order], log[order]


def _at(settings: tuple[Setting, ...], part: Located) -> Reals:
    """Return locations at settings, NaN at those that were not measured."""
    if part.settings == settings:
        return part.log
    column = {at: number for number, at in enumerate(part.settings)}
    log = np.full((len(part.log), len(settings)), np.nan)
    for number, at in enumerate(settings):
        if at in column:
            log[:, number] = part.log[:, column[at]]
    return log
