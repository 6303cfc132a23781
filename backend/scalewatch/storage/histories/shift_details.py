"""Details of the change of a series, as they are stored with its regression."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from scalewatch.modelling import Verdict
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.modelling.histories.explanation import ShiftKind


@dataclass(frozen=True, slots=True)
class ShiftDetails:
    """The change of a series in a history, explained and weighed.

    Parameters
    ----------
    kind, probability
        The likeliest kind, and the probability of all.
    factor, low, high
        After over before, on average over the settings, with its 90 % interval.
    largest_factor, largest
        The same at the largest setting, and that setting.
    tilt, faster_probability
        Exponent by which after over before grows, and how surely it is positive.
    statistic
        Likelihood ratio, twice its logarithm.
    p_value, q_value
        Of as clear a change in a history without one, and corrected for all series.
    is_sure
        Whether more than chance and one job speak for it.
    noticed_at
        Hash of the commit at which it was noticed.
    commits_before, commits_after
        How many the two segments have.
    target, at_target
        A larger scale, and after over before there; None where nothing can tell.
    growth_before, growth_after, verdict_before, verdict_after
        Of the segments; None where they cannot be told.
    expectation, expectation_version
        The growth that the verdicts are about.
    shares
        Of commits at the upper of two levels, before and after; of modes only.
    """

    kind: ShiftKind
    probability: Mapping[ShiftKind, float]
    factor: float
    low: float
    high: float
    largest_factor: float
    largest: Mapping[str, float]
    tilt: float
    faster_probability: float
    is_gradual: bool
    statistic: float
    p_value: float
    q_value: float
    is_sure: bool
    noticed_at: str
    commits_before: int
    commits_after: int
    target: Mapping[str, float]
    at_target: Bounds | None
    growth_before: str | None
    growth_after: str | None
    verdict_before: Verdict | None
    verdict_after: Verdict | None
    expectation: str | None
    expectation_version: int | None
    shares: tuple[float, float] | None = None

    @property
    def kind_probability(self) -> float:
        """Probability that the change is of its kind."""
        return self.probability[self.kind]

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "ShiftDetails":
        """Return details as `to_json` wrote them."""
        known = [field.name for field in fields(cls) if field.name in stored]
        parts = {name: stored[name] for name in known}
        bounds, shares = parts["at_target"], parts.get("shares")
        return cls(
            **parts
            | {
                "kind": ShiftKind(parts["kind"]),
                "probability": {
                    ShiftKind(kind): share
                    for kind, share in parts["probability"].items()
                },
                "at_target": Bounds(**bounds) if bounds else None,
                "verdict_before": _verdict(parts["verdict_before"]),
                "verdict_after": _verdict(parts["verdict_after"]),
                "shares": None if shares is None else tuple(shares),
            }
        )

    def to_json(self) -> dict[str, Any]:
        """Return an object of what JSON knows."""
        return asdict(self) | {
            "kind": str(self.kind),
            "probability": {str(kind): p for kind, p in self.probability.items()},
            "verdict_before": self.verdict_before and str(self.verdict_before),
            "verdict_after": self.verdict_after and str(self.verdict_after),
        }


def _verdict(stored: str | None) -> Verdict | None:
    return None if stored is None else Verdict(stored)
