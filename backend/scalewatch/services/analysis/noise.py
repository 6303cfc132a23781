"""Learn the noise of a machine's metric from all its series, of older commits too.

Repetitions tell how much a measurement scatters within a run. How far all runs lie from
any model, because jobs share a node or protocols switch, only many series tell. What
they told at a commit is reused for the next ones. It is learned again when other
settings are measured, on other hardware or software, when something else is expected,
after `MOST_REUSES` commits, and when measurements misfit all growths more, or less,
than those it was learned from.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.modelling import Growth, LearnedNoise, Noise
from scalewatch.services.analysis.noise_memory import Assumed, NoiseMemory, recall
from scalewatch.services.analysis.noise_series import Gathered, learned
from scalewatch.services.analysis.pooling import SeriesPool
from scalewatch.services.analysis.pools import kept_pools_at
from scalewatch.services.caches.lru import Kept
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.storage.commits import commits
from scalewatch.storage.database.digests import canonical, digest_of
from scalewatch.storage.histories import locations

ENOUGH: Final = 100
"""Series of a metric that need no older commits beside them."""

MOST_COMMITS: Final = 3
"""Older commits that are read."""

MOST_REUSES: Final = 20
"""Commits that reuse what was learned before it is learned again."""

_LEARNED: Final = Kept[LearnedNoise | None](256)
"""What was learned, by all that it was learned from: a preview asks before a job."""

METHOD: Final = 1
"""Version of how noise is learned: what another one learned is not reused."""


def noise_by_metric(
    session: Session,
    subject: AnalysedCommit,
    measured: Mapping[str, Sequence[SeriesPool]],
    expected: Mapping[str, Collection[Growth]],
) -> dict[str, Assumed]:
    """Return the noise of each metric: reused where it still holds, else learned.

    Parameters
    ----------
    measured
        What the machine measured of the commit, by metric.
    expected
        What series of each metric are expected to grow like.
    """
    commit = commits.existing(session, subject.commit_id)
    older = commits.measured_before(session, commit, subject.machine_id, MOST_COMMITS)
    fingerprint = locations.fingerprint_of(
        session, subject.commit_id, subject.machine_id
    )
    conditions: dict[str, str] = {}
    reused: dict[str, Assumed] = {}
    for metric, series in measured.items():
        alike = Gathered.of(series, expected.get(metric, ()))
        if alike is None or len(alike.parameters) > 1:
            continue
        conditions[metric] = _conditions(alike, fingerprint)
        memory = recall(session, subject, older, metric, conditions[metric])
        if memory and (noise := _reuse(memory, alike)):
            reused[metric] = Assumed(noise, memory)
    lacking = {metric: measured[metric] for metric in measured if metric not in reused}
    return reused | {
        metric: _learn(series, expected.get(metric, ()), conditions.get(metric))
        for metric, series in _with_older(session, subject, older, lacking).items()
    }


def _conditions(alike: Gathered, fingerprint_id: int | None) -> str:
    """Return a digest of what has to be the same for noise to be the same."""
    same = {
        "method": METHOD,
        "fingerprint": fingerprint_id,
        "parameters": alike.parameters,
        "settings": alike.settings.tolist(),
        # Under this name, by which it has been stored.
        "promised": sorted(map(str, alike.expectations)),
    }
    return digest_of(canonical(same))[:32]


def _reuse(memory: NoiseMemory, alike: Gathered) -> Noise | None:
    if memory.age > MOST_REUSES:
        return None
    return alike.reuse(memory.learned)


def _learn(
    series: Sequence[SeriesPool], expected: Collection[Growth], conditions: str | None
) -> Assumed:
    """Return what series tell; only what is to recur under conditions is kept."""
    alike = Gathered.of(series, expected)
    found = _kept(alike) if alike and conditions else None
    if found is None or conditions is None:
        return Assumed(learned(series, expected))
    return Assumed(found.noise, NoiseMemory(conditions, found))


def _kept(alike: Gathered) -> LearnedNoise | None:
    (found,) = _LEARNED.answers([alike.key], lambda _: [alike.learn()])
    return found


def _with_older(
    session: Session,
    subject: AnalysedCommit,
    older: Sequence[int],
    measured: Mapping[str, Sequence[SeriesPool]],
) -> dict[str, list[SeriesPool]]:
    """Return series with those of older commits, as many as it takes to learn."""
    pools = {metric: [*series] for metric, series in measured.items()}
    for commit_id in older:
        lacking = {metric for metric, own in pools.items() if len(own) < ENOUGH}
        if not lacking:
            break
        for metric in lacking:
            earlier = kept_pools_at(session, commit_id, subject.machine_id, metric)
            pools[metric] += [
                each.pool for each in earlier if isinstance(each.pool, SeriesPool)
            ]
    return pools
