"""Which scaling errors somebody asks for."""

from dataclasses import dataclass
from enum import StrEnum

from scalewatch.modelling import ScalingKind


class TimesSource(StrEnum):
    """Where the times come from."""

    MEASURED = "measured"
    MODEL = "model"


class Quantity(StrEnum):
    """What is drawn of pairs of scales."""

    EFFICIENCY = "efficiency"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class ScalingQuestion:
    """Which scaling errors are asked for.

    Parameters
    ----------
    kind
        Strong or weak; what the runs are made for unless given.
    size
        k, the problem size at n₁; the best measured one unless given.
    base
        n₁ of the row; the smallest scale unless given.
    source
        Whether times are measured, or those of the model.
    reach
        Largest scale shown of a model; four times the largest measured unless given.
    vs
        What to compare with: `commit=v1`, `machine=jureca` or
        `configuration=threads=4`.
    """

    kind: ScalingKind | None = None
    size: float | None = None
    base: float | None = None
    source: TimesSource = TimesSource.MEASURED
    reach: float | None = None
    vs: str | None = None
