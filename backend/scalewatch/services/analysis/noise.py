"""Learn the noise of a machine's metric from all its series, of older commits too.

Repetitions tell how much a measurement scatters within a run. How far all runs lie from
any model, because jobs share a node or protocols switch, only many series tell. What
they told at a commit is assumed of the next ones, see `services.kept_noise`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.modelling import Growth
from scalewatch.services.analysis.noise_memory import Assumed, Keeper
from scalewatch.services.analysis.pooling import Pool, pool
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.storage import tables
from scalewatch.storage.commits import commits
from scalewatch.storage.runs import points, samples

ENOUGH: Final = 100
"""Series of a metric that need no older commits beside them."""

MOST_COMMITS: Final = 3
"""Older commits that are read."""


def noise_by_metric(
    session: Session,
    subject: AnalysedCommit,
    measured: Mapping[str, Sequence[Pool]],
    expected: Mapping[str, Collection[Growth]],
) -> dict[str, Assumed]:
    """Return the noise of each metric.

    Parameters
    ----------
    measured
        What the machine measured of the commit, by metric.
    expected
        What series of each metric are expected to grow like.
    """
    commit = session.get_one(tables.Commit, subject.commit_id)
    older = commits.measured_before(session, commit, subject.machine_id, MOST_COMMITS)
    keeper = Keeper(session, subject, older)
    found = {
        metric: again
        for metric, pools in measured.items()
        if (again := keeper.again(metric, pools, expected.get(metric, ())))
    }
    beside: dict[str, list[Pool]] = {
        metric: [] for metric in measured if metric not in found
    }
    for commit_id in older:
        lacking = {
            metric
            for metric, pools in beside.items()
            if len(measured[metric]) + len(pools) < ENOUGH
        }
        if not lacking:
            break
        for metric, one in _pools(session, commit_id, subject.machine_id, lacking):
            beside[metric].append(one)
    return found | {
        metric: keeper.anew(metric, measured[metric], pools, expected.get(metric, ()))
        for metric, pools in beside.items()
    }


def _pools(
    session: Session, commit_id: int, machine_id: int, metrics: set[str]
) -> Iterable[tuple[str, Pool]]:
    """Yield the series of some metrics that a machine measured of a commit."""
    measured = [
        each
        for each in points.of_commit(session, commit_id, machine_id)
        if each.metric in metrics
    ]
    blobs = samples.of_runs(session, {each.run_id for each in measured})
    for _, group in groupby(measured, key=lambda each: each.series_id):
        own = list(group)
        try:
            yield own[0].metric, pool(own, blobs)
        except ModellingError:
            continue  # It has no model either.
