"""Learn the noise of a machine's metric from all its series, of older commits too.

Repetitions tell how much a measurement scatters within a run. How far all runs lie from
any model, because jobs share a node or protocols switch, only many series tell.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.modelling import Growth, Noise, learn_noise
from scalewatch.modelling.noise import USUAL
from scalewatch.modelling.pooling import MOST_SERIES
from scalewatch.services.jobs import Subject
from scalewatch.services.pooling import Pool, pool
from scalewatch.storage import commits, points, samples, tables

ENOUGH: Final = 100
"""Series of a metric that need no older commits beside them."""

MOST_COMMITS: Final = 3
"""Older commits that are read."""

Pools = Mapping[str, Sequence[Pool]]
"""Series by metric."""


def noise_by_metric(
    session: Session,
    subject: Subject,
    measured: Pools,
    promised: Mapping[str, Collection[Growth]],
) -> dict[str, Noise]:
    """Return the noise of each metric.

    Parameters
    ----------
    measured
        What the machine measured of the commit.
    promised
        What series of each metric are expected to grow like.
    """
    known = {metric: list(pools) for metric, pools in measured.items()}
    commit = session.get_one(tables.Commit, subject.commit_id)
    older = commits.measured_before(session, commit, subject.machine_id, MOST_COMMITS)
    for commit_id in older:
        lacking = {metric for metric, pools in known.items() if len(pools) < ENOUGH}
        if not lacking:
            break
        for metric, one in _pools(session, commit_id, subject.machine_id, lacking):
            known[metric].append(one)
    return {
        metric: learned(pools, promised.get(metric, ()))
        for metric, pools in known.items()
    }


def learned(pools: Sequence[Pool], promised: Iterable[Growth] = ()) -> Noise:
    """Return what series of one machine and metric tell about their noise.

    Those count that vary one parameter, the one that most of them do.
    """
    by_parameter: dict[str, list[Pool]] = defaultdict(list)
    for one in pools:
        if len(one.parameters) == 1:
            by_parameter[one.parameters[0]].append(one)
    if not by_parameter:
        return USUAL
    parameter, alike = max(by_parameter.items(), key=lambda entry: len(entry[1]))
    alike = alike[:: -(-len(alike) // MOST_SERIES)]
    x = np.unique(np.concatenate([one.settings[:, 0] for one in alike]))
    repetitions = max(one.values.shape[1] for one in alike)
    values = np.full((len(alike), len(x), repetitions), np.nan)
    for table, one in zip(values, alike, strict=True):
        rows = np.searchsorted(x, one.settings[:, 0])
        table[rows, : one.values.shape[1]] = one.values
    expectations = [g for g in promised if g.parameters == (parameter,)]
    return learn_noise(x, values, parameter=parameter, expectations=expectations)


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
