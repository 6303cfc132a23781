"""Project histories: each series over the newest commits of the main line, read once.

A region that was renamed goes on under its present name. A machine that is in a new
state begins a new history where levels move: what it measured before is no baseline.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.machines.levels import alike_states
from scalewatch.services.analysis.pools import SeriesPool
from scalewatch.services.commits.lineage import Lineage
from scalewatch.services.commits.main_line import watched_line
from scalewatch.services.expectations.in_force import Expectations, in_force
from scalewatch.services.selection.renamed_regions import present_name
from scalewatch.storage.commits import commits
from scalewatch.storage.histories import locations
from scalewatch.storage.histories.locations import Located, LocatedSeries
from scalewatch.storage.judgements import gate_rules

Setting = tuple[float, ...]

SMALLEST_EFFECT: Final = 0.03
"""Smaller changes of noisy series cannot be told from nights, whatever is stated."""

KEY: Final = "smallest_effect"
"""Key of the least effect among the stored rules of a project."""

RECENT: Final = 20
"""Newest commits of a series that decide at which settings it is measured now."""


@dataclass(frozen=True, slots=True, eq=False)
class SeriesHistory:
    """A history of one series on states of its machine between which no level moved.

    Parameters
    ----------
    series
        The newest of those that belong together under aliases.
    region
        Its present name.
    fingerprint_id
        First of these states.
    parameters, settings
        What varies, and where it is measured now, n settings.
    positions
        Positions of its commits on the line, ascending.
    log
        Log-locations, shape (commits, n); NaN where missing.
    former
        State at whose other levels it was measured before; None without one.
    """

    series: LocatedSeries
    region: str
    fingerprint_id: int
    parameters: tuple[str, ...]
    settings: tuple[Setting, ...]
    positions: tuple[int, ...]
    log: Reals
    former: int | None = None

    def pool(self, commits: slice) -> SeriesPool:
        """Return the locations at some commits as repetitions of each other."""
        values = np.exp(self.log[commits]).T.copy()
        return SeriesPool(self.parameters, np.array(self.settings), values)


@dataclass(frozen=True, slots=True, eq=False)
class ProjectHistory:
    """All that a detection knows of a project, as it was read.

    Parameters
    ----------
    line
        The newest commits of the main line, oldest first.
    histories
        Of every series, between moves of its level with states of its machine.
    states
        Facts of each state, by id of its first fingerprint.
    expectations
        Those in force.
    measured_commits
        How many were measured in all, older ones and branches included.
    smallest_effect, targets
        The least effect that matters, and the target scale by parameter where
        somebody named it: the rules of the project.
    """

    project_id: int
    line: Lineage
    histories: tuple[SeriesHistory, ...]
    states: Mapping[int, Mapping[str, object]]
    expectations: Expectations
    measured_commits: int
    smallest_effect: float
    targets: Mapping[str, float]


def project_history(
    session: Session, project_id: int, line: Lineage | None = None
) -> ProjectHistory:
    """Read the histories of a project, and what they are judged by.

    Along a line, by default its newest commits.
    """
    number = commits.count(session, project_id)
    line = line or watched_line(session, project_id, number)
    histories = series_histories(session, project_id, line)
    states = {each.fingerprint_id for each in histories}
    rules = gate_rules.newest(session, project_id)
    return ProjectHistory(
        project_id=project_id,
        line=line,
        histories=tuple(histories),
        states=locations.facts_of(session, [*states]),
        expectations=in_force(session, project_id),
        measured_commits=number,
        smallest_effect=stated_effect(rules.rules if rules else {}),
        targets=rules.target if rules else {},
    )


def smallest_effect(session: Session, project_id: int) -> float:
    """Return the share by which a series of a project has to change to be reported."""
    row = gate_rules.newest(session, project_id)
    return stated_effect(row.rules if row else {})


def stated_effect(rules: Mapping[str, Any]) -> float:
    """Return the least effect in a project's stored rules; older ones lack it."""
    return float(rules.get(KEY, SMALLEST_EFFECT))


def series_histories(  # noqa: PLR0913 - which histories
    session: Session,
    project_id: int,
    line: Lineage,
    *,
    region: str | None = None,
    metric: str | None = None,
    machine: str | None = None,
) -> list[SeriesHistory]:
    """Return the histories of a project, of one region, metric, machine or of all.

    Of each series the newest one comes last.
    """
    aliases = locations.former_names(session, project_id)
    names: list[str] = []
    if region is not None:
        former = [name for name in aliases if present_name(aliases, name) == region]
        names = [region, *former]
    series = locations.series_of(
        session, project_id, regions=names, metric=metric, machine=machine
    )
    position_of = {commit.id: position for position, commit in enumerate(line.commits)}
    located = locations.of_series(session, [each.id for each in series], [*position_of])
    return _histories(series, located, aliases, position_of)


def _histories(
    series: Sequence[LocatedSeries],
    located: Sequence[Located],
    aliases: Mapping[str, str],
    position_of: Mapping[int, int],
) -> list[SeriesHistory]:
    """Return the histories of series, one for each level of states of the machine."""
    parts: dict[int, list[Located]] = defaultdict(list)
    for part in located:
        parts[part.series_id].append(part)
    histories = []
    for group in _renamed_together(series, aliases):
        measured = [part for member in group for part in parts[member.id]]
        if not measured:
            continue
        whole = _history(group[-1], aliases, measured, position_of)
        first = _alike_states(whole, measured, position_of) if whole else {}
        by_level: dict[int, list[Located]] = defaultdict(list)
        for part in measured:
            state = part.fingerprint_id
            by_level[first.get(state, state)].append(part)
        levels = [
            replace(history, fingerprint_id=state)
            for state, level in by_level.items()
            if (
                history := whole
                if len(by_level) == 1
                else _history(group[-1], aliases, level, position_of)
            )
        ]
        levels.sort(key=lambda history: history.positions[0])
        former = [None, *(history.fingerprint_id for history in levels)]
        histories += sorted(
            (
                replace(history, former=before)
                for history, before in zip(levels, former, strict=False)
            ),
            key=lambda history: history.positions[-1],
        )
    return histories


def _alike_states(
    whole: SeriesHistory, measured: Sequence[Located], position_of: Mapping[int, int]
) -> dict[int, int]:
    """Return the first state at whose levels a series lies, for each state."""
    state_at = {
        position_of[commit]: part.fingerprint_id
        for part in measured
        for commit in part.commit_ids
    }
    states = [state_at[position] for position in whole.positions]
    if len({*states}) < 2:
        return {}
    return alike_states(
        whole.log,
        states,
        Histories.of(np.array(whole.settings), whole.log[np.newaxis]).directions,
        is_exact=whole.series.is_exact,
    )


def _renamed_together(
    series: Sequence[LocatedSeries], aliases: Mapping[str, str]
) -> list[list[LocatedSeries]]:
    """Group series that are the same but for a former name of the region.

    The one under the present name comes last and stands for all of them.
    """
    groups: dict[tuple[object, ...], list[LocatedSeries]] = {}
    for member in series:
        key = (
            member.machine_id,
            member.configuration_id,
            member.metric,
            present_name(aliases, member.region),
        )
        groups.setdefault(key, []).append(member)
    for group in groups.values():
        group.sort(key=lambda member: (member.region not in aliases, member.id))
    return list(groups.values())


def _history(
    series: LocatedSeries,
    aliases: Mapping[str, str],
    parts: Sequence[Located],
    position_of: Mapping[int, int],
) -> SeriesHistory | None:
    """Return the history of a series on one state; None if nothing is measured now."""
    part_at = {position_of[each]: part for part in parts for each in part.commit_ids}
    newest = [part_at[position] for position in sorted(part_at)[-RECENT:]]
    parameters = newest[-1].parameters
    settings = _settings([part for part in newest if part.parameters == parameters])
    if not settings:
        return None
    alike = [part for part in parts if part.parameters == parameters]
    positions, log = _vectors(alike, settings, part_at, position_of)
    is_there = np.count_nonzero(~np.isnan(log), axis=1) * 2 >= len(settings)
    if not is_there.any():
        return None
    return SeriesHistory(
        series=series,
        region=present_name(aliases, series.region),
        fingerprint_id=parts[0].fingerprint_id,
        parameters=parameters,
        settings=settings,
        positions=tuple(positions[is_there].tolist()),
        log=log[is_there],
    )


def _settings(newest: Sequence[Located]) -> tuple[Setting, ...]:
    """Return the settings that at least half of the commits have measured."""
    counts: Counter[Setting] = Counter()
    for part, commits_alike in Counter(newest).items():  # most were measured alike
        counts.update({at: commits_alike for at in part.settings if min(at) > 0})
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
    is_kept = [
        [part_at[position] is part for position in at]
        for part, at in zip(alike, positions, strict=True)
    ]
    log = np.concatenate(
        [_at(settings, part)[kept] for part, kept in zip(alike, is_kept, strict=True)]
    )
    kept = np.concatenate(positions)[np.concatenate(is_kept)]
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
