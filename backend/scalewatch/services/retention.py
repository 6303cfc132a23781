"""Retention: old repetitions are thinned; what summarises them stays.

The repetitions that stay are those at evenly spaced ranks, the smallest and the
largest included: their quantiles are those of all.
"""

from datetime import timedelta

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from scalewatch.services import audit
from scalewatch.services.policies import policy_of
from scalewatch.storage import payloads, samples
from scalewatch.storage.tables import now


def due(session: Session, project: str, after: int, limit: int) -> list[int]:
    """Return the next runs whose repetitions are to be thinned, by id."""
    policy = policy_of(session, project)
    if policy.retention_days is None:
        return []
    before = now() - timedelta(days=policy.retention_days)
    return list(
        payloads.runs_after(session, after, project=project, before=before, limit=limit)
    )


def thin(session: Session, run_id: int, kept: int) -> None:
    """Keep some repetitions of each measurement of a run, and forget the others.

    Its content as posted is forgotten too: it holds them all.
    """
    values = samples.of_runs(session, [run_id])[run_id]
    parts: list[NDArray[np.float64]] = []
    places: dict[int, tuple[int, int]] = {}
    start = 0
    for series_id, begin, count in payloads.places_of(session, run_id):
        part = thinned(values[begin : begin + count], kept)
        places[series_id] = start, part.size
        parts.append(part)
        start += part.size
    blob = samples.encode(np.concatenate([np.empty(0), *parts]))
    payloads.replace_samples(session, run_id, blob, places)
    payloads.forget(session, run_id)


def thinned(values: NDArray[np.float64], kept: int) -> NDArray[np.float64]:
    """Return the values at evenly spaced ranks, in the order of their taking."""
    if values.size <= kept:
        return values
    ranks = np.rint(np.linspace(0, values.size - 1, kept)).astype(int)
    chosen = np.sort(np.argsort(values, kind="stable")[ranks])
    return np.take(values, chosen)


def note(session: Session, project: str, runs: int, export: str) -> None:
    """Note in the audit log that repetitions were thinned."""
    audit.note(session, "repetitions thinned", project, runs=runs, export=export)
