"""Best fits and how likely they are, where these are not negligible."""

from dataclasses import dataclass

from scalewatch.modelling.arrays import Singles
from scalewatch.modelling.rules.evidence.least_squares import Fit, Places, Sums
from scalewatch.modelling.rules.evidence.likelihood import Likelihood


@dataclass(frozen=True, slots=True)
class Peaks:
    """Likelihoods at their maxima, at K of all curves and series.

    Parameters
    ----------
    places
        Which ones.
    sums, fit
        At these places.
    phi
        φ of the best fit, shape (K,).
    share
        E/ν, shape (K,).
    freedom
        ν, shape (K,).
    alone
        φ of the base of each curve alone, shape (K,); -∞ where that does not compete.
    """

    places: Places
    sums: Sums
    fit: Fit
    phi: Singles
    share: Singles
    freedom: Singles
    alone: Singles

    @classmethod
    def of(
        cls,
        sums: Sums,
        fit: Fit,
        likelihood: Likelihood,
        places: Places,
        alone: Singles,
    ) -> "Peaks":
        """Return those of some fits; sums and fits are of all, shape (H, S)."""
        sums, fit = sums.at(places), fit.at(places)
        own = likelihood.at(places.series)
        phi, share = own(fit.misfit)
        share /= own.freedom
        return cls(places, sums, fit, phi, share, own.freedom, alone)

    def part(self, part: slice, first: int) -> "Peaks":
        """Return some of them, with curves counted from the `first`."""
        return Peaks(
            self.places.rows(part, first),
            self.sums.rows(part),
            self.fit.rows(part),
            self.phi[part],
            self.share[part],
            self.freedom[part],
            self.alone[part],
        )
