"""Which profiles somebody wants to see compared."""

from dataclasses import dataclass
from typing import Final, Self

from scalewatch.modelling import Against, Correction
from scalewatch.services.selection.choices import one_of, positive

LEVEL: Final = 0.05
"""Corrected p-values below this one are significant."""


@dataclass(frozen=True, slots=True)
class HotspotQuestion:
    """What somebody wants to know.

    Parameters
    ----------
    over
        Parameter of the scan; what varies most usefully unless given.
    held
        Which of several scans: what it holds fixed, as text.
    against
        What each profile is compared with.
    correction
        How p-values are corrected for the number of comparisons.
    unit
        Seconds that count as one in χ²; a hundredth of the shortest profile unless
        given.
    at
        The setting, as text, whose profile is shown beside the one before it; that
        of the largest change unless given.
    vs
        What to compare with: `commit=v1`, `machine=jureca` or `held=n=1000`.
    """

    over: str | None = None
    held: str | None = None
    against: Against = Against.PREVIOUS
    correction: Correction = Correction.HOLM
    unit: float | None = None
    at: str | None = None
    vs: str | None = None

    @classmethod
    def stated(  # noqa: PLR0913, PLR0917 - one per parameter of a query
        cls,
        over: str | None,
        held: str | None,
        against: str | None,
        correction: str | None,
        unit: str | None,
        at: str | None,
        vs: str | None,
    ) -> Self:
        """Return the question that a query states; what is empty is not stated.

        Raises
        ------
        UnknownChoice
            If there is no such reference or correction.
        BadScale
            If the unit is not a positive number of seconds.
        """
        return cls(
            over=over or None,
            held=held or None,
            against=one_of("against", against, Against.PREVIOUS),
            correction=one_of("correction", correction, Correction.HOLM),
            unit=positive("unit of time", unit),
            at=at or None,
            vs=vs or None,
        )
