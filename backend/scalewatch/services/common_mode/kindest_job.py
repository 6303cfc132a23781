"""Of the jobs that measured a commit, the one that differs least from its history."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.spreads import filled
from scalewatch.modelling.histories.histories import locations, middle
from scalewatch.services.analysis.pooling import SeriesPool
from scalewatch.services.common_mode.project_history import SeriesHistory


def kindest(history: SeriesHistory, jobs: Sequence[SeriesPool]) -> SeriesHistory:
    """Return a history whose newest commit only one of its jobs tells of."""
    if len(jobs) < 2 or any(job.parameters != history.parameters for job in jobs):
        return history
    usual = middle(history.log[:-1])
    own = [_located(history, job) for job in jobs]
    apart = [abs(float(filled(log - usual).mean())) for log in own]
    newest = own[int(np.argmin(apart))]
    return replace(history, log=np.vstack([history.log[:-1], newest]))


def _located(history: SeriesHistory, job: SeriesPool) -> Reals:
    """Return where the repetitions of a job lie at the settings of a history."""
    settings = map(tuple, job.settings.tolist())
    own = dict(zip(settings, locations(job.values).tolist(), strict=True))
    return np.array([own.get(at, np.nan) for at in history.settings])
