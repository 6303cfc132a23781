"""Store what was learned of a machine's noise at a commit, and find it for later ones.

A commit keeps what it assumed, learned or not, so that to analyse it again gives the
same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.modelling import LearnedNoise, Noise
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.storage.machines import noise as stored


@dataclass(frozen=True, slots=True)
class NoiseMemory:
    """Noise of a metric that was learned, as a commit keeps it.

    Parameters
    ----------
    conditions
        Digest of what has to be the same for noise to be the same.
    age
        Commits that have assumed it since it was learned.
    """

    conditions: str
    learned: LearnedNoise
    age: int = 0


@dataclass(frozen=True, slots=True)
class Assumed:
    """What is assumed of the noise of a metric.

    Parameters
    ----------
    memory
        What the commit keeps of it; None where nothing could be learned.
    """

    noise: Noise
    memory: NoiseMemory | None = None


def recall(
    session: Session,
    subject: AnalysedCommit,
    older: Sequence[int],
    metric: str,
    conditions: str,
) -> NoiseMemory | None:
    """Return what is kept of a metric, of its age if the commit assumes it as well.

    Parameters
    ----------
    older
        The commits before whose memory counts, newest first, after that of its own.
    """
    commit_ids = [subject.commit_id, *older]
    kept = stored.learned_at(
        session, subject.machine_id, metric, conditions, commit_ids
    )
    row = next((kept[each] for each in commit_ids if each in kept), None)
    if row is None:
        return None
    learned = LearnedNoise(
        noise_of(row.learned["noise"]), row.learned["misfit"], row.learned["series"]
    )
    is_own = row.commit_id == subject.commit_id
    return NoiseMemory(conditions, learned, row.age if is_own else row.age + 1)


def record(
    session: Session, subject: AnalysedCommit, assumed: Mapping[str, Assumed]
) -> None:
    """Store what was assumed of the noise of each metric, and what was learned."""
    measured = {"commit_id": subject.commit_id, "machine_id": subject.machine_id}
    stored.assume(
        session,
        [
            measured | {"metric": metric, "noise": asdict(each.noise)}
            for metric, each in assumed.items()
        ],
    )
    stored.keep(
        session,
        [
            measured | {"metric": metric} | asdict(each.memory)
            for metric, each in assumed.items()
            if each.memory
        ],
    )


def noise_of(stored: Mapping[str, Any]) -> Noise:
    """Return noise that was stored as a dictionary."""
    choices: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in stored.items()
    }
    return Noise(**choices)
