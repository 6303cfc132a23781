"""Forecasts of scans at settings that nobody measured, and what to measure next.

Forecasts come from the repetitions themselves and the noise that the analysis learned,
not from the formula of a model: an interval has to allow for every curve that explains
the measurements.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Self

from sqlalchemy.orm import Session

from scalewatch.modelling import Forecast, Proposal, Verdict
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.services.analysis.next_measurement import proposed
from scalewatch.services.analysis.pooling import Pool, pooled
from scalewatch.services.analysis.questions import Asked, find_all
from scalewatch.services.series.drawn import repetitions_of
from scalewatch.services.series.scans import Scan

LEVEL: Final = 0.9

REMEMBERED: Final = 512
"""Series whose forecasts are kept for those who ask again."""

Target = Mapping[str, float]


def target_of(text: str) -> Target:
    """Read a target such as `p=65536` or `p=65536,n=1e6`."""
    parts = (part.partition("=") for part in text.split(","))
    return {name.strip(): float(setting) for name, _, setting in parts}


def forecasts_of(
    session: Session,
    scans: Sequence[Scan],
    targets: Sequence[Target],
    level: float = LEVEL,
) -> list[tuple[Forecast, ...]]:
    """Return the forecasts of each scan at the targets that name all its parameters.

    A scan without a model has none.

    Parameters
    ----------
    level
        Probability that an interval holds.
    """
    asked = {
        place: one
        for place, scan in enumerate(scans)
        if (one := _asked(session, scan, targets)) is not None
    }
    if len(asked) == 1:
        ((place, one),) = asked.items()
        forecasts = {place: _remembered(_Remembered.of(one, level))}
    else:
        found = find_all(list(asked.values()), {"level": level})
        forecasts = {
            place: each.forecasts for place, each in zip(asked, found, strict=True)
        }
    return [forecasts.get(place, ()) for place in range(len(scans))]


def proposal_of(session: Session, scan: Scan) -> Proposal | None:
    """Return the cheapest measurement that would settle an undecided verdict."""
    if scan.standing.verdict is not Verdict.UNDECIDED:
        return None
    asked = _asked(session, scan, ())
    if asked is None:
        return None
    return _proposed(_Remembered.of(asked, LEVEL), scan.metric, scan.unit)


@dataclass(frozen=True, slots=True)
class _Remembered:
    """A question, equal to any other one to which the answer is the same."""

    key: tuple[object, ...]
    asked: Asked = field(compare=False)
    level: float

    @classmethod
    def of(cls, asked: Asked, level: float) -> Self:
        """Return the question about one series."""
        key = (
            asked.parameters,
            asked.settings.tobytes(),
            asked.values.tobytes(),
            asked.expectation,
            asked.deviation_limit,
            asked.noise,
            *(tuple(sorted(target.items())) for target in asked.targets),
        )
        return cls(key, asked, level)


@lru_cache(REMEMBERED)
def _remembered(question: _Remembered) -> tuple[Forecast, ...]:
    """Return forecasts: a page is shown, and shown again, more often than measured."""
    (finding,) = find_all([question.asked], {"level": question.level})
    return finding.forecasts


@lru_cache(REMEMBERED)
def _proposed(question: _Remembered, metric: str, unit: str) -> Proposal | None:
    return proposed(question.asked, metric, unit)


def _asked(session: Session, scan: Scan, targets: Sequence[Target]) -> Asked | None:
    """Return the question about a scan; None without a model."""
    taken = repetitions_of(session, [scan]) if scan.standing.model else {}
    measured = [each for each in scan.measurements if each.run in taken]
    if not measured:
        return None
    pool = pooled(
        [each.coordinate for each in measured], [taken[each.run] for each in measured]
    )
    return _question(scan, pool, targets)


def _question(scan: Scan, pool: Pool, targets: Sequence[Target]) -> Asked:
    expectation = scan.expectation
    named = set(expectation.growth.parameters) if expectation else set()
    if not named <= set(pool.parameters):
        expectation = None
    return Asked(
        parameters=pool.parameters,
        settings=pool.settings,
        values=pool.values,
        expectation=expectation.growth if expectation else None,
        deviation_limit=expectation.deviation_limit if expectation else None,
        targets=[
            {name: target[name] for name in pool.parameters}
            for target in targets
            if target.keys() >= set(pool.parameters)
        ],
        noise=scan.standing.noise or USUAL,
    )
