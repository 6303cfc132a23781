"""Keep what was learned of a machine's noise, and assume it of later commits.

A commit keeps what it assumed, learned or not, so that to analyse it again gives the
same. It is learned anew when other settings are measured, on other hardware or
software, when something else is expected, after `KEPT` commits, and when measurements
misfit all growths more, or less, than those it was learned from.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from sqlalchemy.orm import Session

from scalewatch.modelling import Growth, LearnedNoise, Noise
from scalewatch.services.analysis.noise_series import Gathered, learned, noise_of
from scalewatch.services.analysis.questions import MeasuredSeries
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.storage import tables
from scalewatch.storage.database.digests import canonical, digest_of
from scalewatch.storage.database.inserts import Row
from scalewatch.storage.histories import locations
from scalewatch.storage.machines import noise as stored

KEPT: Final = 20
"""Commits of which the same is assumed before it is learned anew."""

METHOD: Final = 1
"""Version of how noise is learned: what another one learned is not assumed again."""


@dataclass(frozen=True, slots=True)
class Assumed:
    """What is assumed of the noise of a metric.

    Parameters
    ----------
    row
        As it is kept for later commits; None where nothing was learned.
    """

    noise: Noise
    row: Row | None = None


def record(
    session: Session, subject: AnalysedCommit, assumed: Mapping[str, Assumed]
) -> None:
    """Store what was assumed of the noise of each metric, and what was learned."""
    stored.assume(
        session,
        [
            {
                "commit_id": subject.commit_id,
                "machine_id": subject.machine_id,
                "metric": metric,
                "noise": asdict(each.noise),
            }
            for metric, each in assumed.items()
        ],
    )
    stored.keep(session, [each.row for each in assumed.values() if each.row])


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    """Series of a metric whose noise is asked for, all varying one parameter."""

    alike: Gathered
    growths: list[Growth]

    @classmethod
    def of(
        cls, scans: Sequence[MeasuredSeries], expected: Collection[Growth]
    ) -> Self | None:
        """Return the question; None where series vary several parameters, or none."""
        alike = Gathered.of(scans)
        if alike is None or len(alike.parameters) > 1:
            return None
        return cls(alike, alike.concerned(expected))

    def conditions(self, fingerprint_id: int | None) -> str:
        """Return a digest of what has to be the same for noise to be the same."""
        told = {
            "method": METHOD,
            "fingerprint": fingerprint_id,
            "parameters": self.alike.parameters,
            "settings": self.alike.settings.tolist(),
            "promised": sorted(map(str, self.growths)),
        }
        return digest_of(canonical(told))[:32]

    def again(self, known: LearnedNoise) -> Noise | None:
        """Return the noise if it is as known from others."""
        alike = self.alike
        return known.assumed_of(
            alike.settings, alike.values, alike.parameters[0], self.growths
        )

    def anew(self) -> LearnedNoise | None:
        """Return the noise that these series tell."""
        alike = self.alike
        return LearnedNoise.of(
            alike.settings, alike.values, alike.parameters[0], self.growths
        )


class Keeper:
    """What is kept about the noise of a machine at a commit and at those before it.

    Parameters
    ----------
    older
        The commits before the subject's whose assumptions count, newest first.
    """

    def __init__(
        self, session: Session, subject: AnalysedCommit, older: Sequence[int]
    ) -> None:
        self.session = session
        self.subject = subject
        self.commits = [subject.commit_id, *older]
        self.fingerprint_id = locations.fingerprint_of(
            session, subject.commit_id, subject.machine_id
        )

    def again(
        self, metric: str, scans: Sequence[MeasuredSeries], expected: Collection[Growth]
    ) -> Assumed | None:
        """Return what is assumed of a metric if it is kept, and seems to hold."""
        question = _Question.of(scans, expected)
        if question is None:
            return None
        conditions = question.conditions(self.fingerprint_id)
        kept = self._kept(metric, conditions)
        if kept is None:
            return None
        is_own = kept.commit_id == self.subject.commit_id
        if kept.age >= KEPT and not is_own:
            return None
        known = _read(kept.learned)
        noise = question.again(known)
        if noise is None:
            return None
        age = kept.age if is_own else kept.age + 1
        return Assumed(noise, self._row(metric, conditions, known, age))

    def anew(
        self,
        metric: str,
        scans: Sequence[MeasuredSeries],
        older: Sequence[MeasuredSeries],
        expected: Collection[Growth],
    ) -> Assumed:
        """Return what series of the commit, and those of older ones, tell."""
        own = _Question.of(scans, expected)
        whole = _Question.of([*scans, *older], expected)
        if own is None or whole is None or (known := whole.anew()) is None:
            return Assumed(learned([*scans, *older], expected))
        conditions = own.conditions(self.fingerprint_id)
        return Assumed(known.noise, self._row(metric, conditions, known, age=0))

    def _kept(self, metric: str, conditions: str) -> tables.Noise | None:
        kept = stored.learned_at(
            self.session, self.subject.machine_id, metric, conditions, self.commits
        )
        return next((kept[each] for each in self.commits if each in kept), None)

    def _row(self, metric: str, conditions: str, known: LearnedNoise, age: int) -> Row:
        return {
            "machine_id": self.subject.machine_id,
            "metric": metric,
            "conditions": conditions,
            "commit_id": self.subject.commit_id,
            "age": age,
            "learned": asdict(known),
        }


def _read(kept: Mapping[str, Any]) -> LearnedNoise:
    return LearnedNoise(noise_of(kept["noise"]), kept["misfit"], kept["series"])
