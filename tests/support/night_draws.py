"""Locations of commits that nobody measured, each an independent draw.

A location lies beside the truth by what the median of as many repetitions scatters:
where a row is copied, its location is not, so that commits differ from each other as
those of a real project do.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log, pi, sqrt

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.services.analysis.rows import LOG_DECIMALS as DECIMALS
from scalewatch.storage import tables
from scalewatch.storage.database.inserts import Row

MEDIAN = sqrt(pi / 2)
"""Standard error of a median over that of a mean, of a normal distribution."""


@dataclass(frozen=True, slots=True)
class Truth:
    """A value without noise, and the noise of one sample of it."""

    value: float
    noise: float


@dataclass(frozen=True, slots=True)
class NightDraws:
    """Draws the locations of copies.

    Parameters
    ----------
    truth
        By region, metric, machine, hash of the commit and p; None leaves the copy.
    repetitions
        Of which each location is the median.
    """

    truth: Callable[[str, str, str, str, float], Truth | None]
    repetitions: int
    series: Mapping[int, tuple[str, str, str]]
    commits: Mapping[int, str]
    grids: Mapping[int, Sequence[Sequence[float]]]

    @classmethod
    def of(
        cls,
        session: Session,
        truth: Callable[[str, str, str, str, float], Truth | None],
        repetitions: int,
    ) -> "NightDraws":
        """Return draws for all series and commits of a database."""
        series = session.execute(
            select(
                tables.Series.id,
                tables.Series.region,
                tables.Series.metric,
                tables.Machine.name,
            ).join(tables.Machine, tables.Machine.id == tables.Series.machine_id)
        )
        commits = session.execute(select(tables.Commit.id, tables.Commit.sha))
        grids = session.execute(select(tables.Grid.id, tables.Grid.settings))
        return cls(
            truth,
            repetitions,
            {key: (region, metric, machine) for key, region, metric, machine in series},
            dict(commits.all()),
            dict(grids.all()),
        )

    def __call__(self, row: Row, draw: np.random.Generator) -> list[float | None]:
        """Return the logarithms of a location that is drawn anew."""
        place = (*self.series[row["series_id"]], self.commits[row["commit_id"]])
        settings = self.grids[row["grid_id"]]
        truths = [
            None if at is None else self.truth(*place, setting[0])
            for at, setting in zip(row["log"], settings, strict=True)
        ]
        noises = [truth.noise for truth in truths if truth]
        error = MEDIAN / sqrt(self.repetitions)
        scatter = iter(draw.normal(0, error * np.array(noises)).tolist())
        return [
            round(log(truth.value) + next(scatter), DECIMALS) if truth else copied
            for truth, copied in zip(truths, row["log"], strict=True)
        ]
