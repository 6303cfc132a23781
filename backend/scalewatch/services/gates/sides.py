"""Series before and after a commit: all repetitions, and what to expect at the target.

The target is what the rules of the gate name; otherwise it lies `FARTHER` beyond the
largest setting that was measured.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from scalewatch.modelling import Finding, Noise
from scalewatch.services.analysis.pools import SeriesPool, pools_of
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.regressions.effects import FARTHER
from scalewatch.services.series.standing import Standing

Target = Mapping[str, float]


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


def both_sides(
    session: Session,
    commits: tuple[int, int],
    standings: Mapping[int, tuple[Standing, Standing]],
    targets: Target,
) -> dict[int, BothSides]:
    """Return series at two commits.

    Parameters
    ----------
    commits
        Ids of the earlier and of the later one.
    standings
        What is known of each series there.
    targets
        The target scale by parameter, where somebody named it.
    """
    before, after = (pools_of(session, each, standings) for each in commits)
    farthest = _farthest((*before.values(), *after.values()), targets)
    earlier = _sides(before, {k: was for k, (was, _) in standings.items()}, farthest)
    later = _sides(after, {k: now for k, (_, now) in standings.items()}, farthest)
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
