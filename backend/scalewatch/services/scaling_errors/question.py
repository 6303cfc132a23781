"""Which scaling errors somebody asks for."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from scalewatch.modelling import ScalingKind
from scalewatch.services.selection.choices import one_of, positive


class Source(StrEnum):
    """Where the times come from."""

    MEASURED = "measured"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody wants to know.

    Parameters
    ----------
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

    kind: ScalingKind = ScalingKind.STRONG
    size: float | None = None
    base: float | None = None
    source: Source = Source.MEASURED
    reach: float | None = None
    vs: str | None = None

    @classmethod
    def stated(  # noqa: PLR0913, PLR0917 - one per parameter of a query
        cls,
        kind: str | None,
        size: str | None,
        base: str | None,
        source: str | None,
        reach: str | None,
        vs: str | None,
    ) -> Self:
        """Return the question that a query states; what is empty is not stated.

        Raises
        ------
        UnknownChoice
            If there is no such kind of scaling, or no such source.
        BadScale
            If a size or scale is not a positive number.
        """
        return cls(
            kind=one_of("scaling", kind, ScalingKind.STRONG),
            size=positive("problem size", size),
            base=positive("scale", base),
            source=one_of("source", source, Source.MEASURED),
            reach=positive("scale", reach),
            vs=vs or None,
        )
