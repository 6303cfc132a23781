"""Where series lie at a commit, kept for histories."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling.histories.histories import locations
from scalewatch.services.analysis.pooling import SeriesPool
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.storage.database.inserts import Row
from scalewatch.storage.histories import locations as stored
from scalewatch.storage.histories.grids import Grid

DECIMALS: Final = 8
"""Of a logarithm, finer than any clock; all that a double has takes half as much again
to store and to read."""


def rows(
    session: Session, subject: AnalysedCommit, pools: Sequence[tuple[int, SeriesPool]]
) -> list[Row]:
    """Return the locations of series, given by id with their repetitions."""
    fingerprint = stored.fingerprint_of(session, subject.commit_id, subject.machine_id)
    if fingerprint is None:
        return []
    found: list[Row] = []
    for alike in _alike(pools):
        values = _stacked([pool for _, pool in alike])
        logs = locations(values).round(DECIMALS)
        for (series_id, pool), log in zip(alike, logs, strict=True):
            settings = tuple(map(tuple, pool.settings.tolist()))
            grid = Grid(tuple(pool.parameters), settings)
            found.append(
                {
                    "series_id": series_id,
                    "commit_id": subject.commit_id,
                    "fingerprint_id": fingerprint,
                    "grid": grid,
                    "log": [None if np.isnan(each) else each for each in log.tolist()],
                }
            )
    return found


def _alike(
    pools: Sequence[tuple[int, SeriesPool]],
) -> Iterator[list[tuple[int, SeriesPool]]]:
    """Group series that were measured at as many settings, so often."""
    groups: dict[tuple[int, ...], list[tuple[int, SeriesPool]]] = {}
    for series_id, pool in pools:
        groups.setdefault(pool.values.shape, []).append((series_id, pool))
    yield from groups.values()


def _stacked(pools: Sequence[SeriesPool]) -> np.ndarray:
    """Return the repetitions of all, NaN where they have no logarithm."""
    values = np.stack([pool.values for pool in pools])
    values[~(values > 0) | np.isinf(values)] = np.nan
    return values
