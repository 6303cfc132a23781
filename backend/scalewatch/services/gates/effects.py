"""Series before and after a commit: all repetitions, and what to expect at the target.

The target is what the rules of the gate name; otherwise it lies `FARTHER` beyond the
largest setting that was measured.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scalewatch.modelling import Finding, Noise
from scalewatch.services.analysis.pools import SeriesPool
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.pairs import SeriesKey
from scalewatch.services.gates.decision import Effect
from scalewatch.services.regressions.effects import FARTHER, ratio_of
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import Standing

Target = Mapping[str, float]

MOST: Final = 20
"""Findings whose effect is worked out, the worst first: of more nobody reads all."""


@dataclass(frozen=True, slots=True)
class GateSide:
    """A series at one commit.

    Parameters
    ----------
    finding
        What its repetitions tell, forecast at `target`.
    """

    pool: SeriesPool
    noise: Noise
    target: Target
    finding: Finding


@dataclass(frozen=True, slots=True)
class BothSides:
    """A series at two commits; None where it was not measured."""

    before: GateSide | None
    after: GateSide | None


def effects_of(
    before: CommitSnapshot,
    after: CommitSnapshot,
    changes: Sequence[SeriesChange],
    targets: Target,
) -> dict[SeriesKey, Effect]:
    """Return what series that are worse cost at the target scale.

    Parameters
    ----------
    changes
        The worst first: the effects of the first `MOST` are told.
    targets
        The target scale by parameter, where somebody named it.
    """
    modelled = {
        change.series_id: change
        for change in changes[:MOST]
        if change.before.model and change.after.model
    }
    if not modelled:
        return {}
    standings = {key: (each.before, each.after) for key, each in modelled.items()}
    return {
        modelled[key].key: Effect(
            sides.after.target, ratio_of(sides.before.finding, sides.after.finding)
        )
        for key, sides in both_sides(before, after, standings, targets).items()
        if sides.before is not None and sides.after is not None
    }


def both_sides(
    before: CommitSnapshot,
    after: CommitSnapshot,
    standings: Mapping[int, tuple[Standing, Standing]],
    targets: Target,
) -> dict[int, BothSides]:
    """Return series at two commits.

    Parameters
    ----------
    standings
        What is known of each series there.
    targets
        The target scale by parameter, where somebody named it.
    """
    if not standings:
        return {}
    early, late = before.pools(standings), after.pools(standings)
    farthest = _farthest((*early.values(), *late.values()), targets)
    earlier = _sides(early, {k: was for k, (was, _) in standings.items()}, farthest)
    later = _sides(late, {k: now for k, (_, now) in standings.items()}, farthest)
    return {key: BothSides(earlier.get(key), later.get(key)) for key in standings}


def _sides(
    pools: Mapping[int, SeriesPool], standings: Mapping[int, Standing], farthest: Target
) -> dict[int, GateSide]:
    questions = {
        key: SeriesQuestion.of(
            pool,
            noise=standings[key].noise,
            targets=[farthest],
            exact=standings[key].is_exact or None,
        )
        for key, pool in pools.items()
    }
    findings = find_all(list(questions.values()), {})
    return {
        key: GateSide(pools[key], question.noise, question.targets[0], finding)
        for (key, question), finding in zip(questions.items(), findings, strict=True)
    }


def _farthest(pools: Iterable[SeriesPool], targets: Target) -> dict[str, float]:
    """Return the target of each parameter, one for all that is compared."""
    largest: dict[str, float] = {}
    for pool in pools:
        most = pool.settings.max(axis=0).tolist()
        for name, setting in zip(pool.parameters, most, strict=True):
            largest[name] = max(largest.get(name, setting), setting)
    return {name: FARTHER * most for name, most in largest.items()} | dict(targets)
