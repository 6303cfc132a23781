"""Hypotheses of several parameters at the measured settings, and their evidence.

With the variance s₀² of a location known with ν₀ degrees of freedom, n points and the
misfit R of `elimination`, the posterior of a hypothesis of K products is

    p(h) ∝ (1/H) · n^(-3K/2) · (1 + R / ν₀ s₀²)^(-(ν₀ + n - 1)/2),

under each size of the discrepancy, which counts by what `discrepancy` says of it.
H, the number of hypotheses of its structure, makes all structures equally likely
beforehand, but for sums of common terms, see `competitors`; n^(-3K/2) is Schwarz's
price of three parameters per product, its coefficient and the exponents of power and
logarithm. The hypothesis that is selected is the best without 1/H: BIC decides between
structures, the likelihood within one. Where little was measured, 1/H would favour the
structures of one parameter, of which there are few hypotheses.

References
----------
G. Schwarz, "Estimating the Dimension of a Model", Annals of Statistics 6 (1978).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.terms import Terms
from scalewatch.modelling.rules.several_parameters.assumptions import ASSUMED
from scalewatch.modelling.rules.several_parameters.competitors import (
    Competitors,
    Growths,
    competitors,
)
from scalewatch.modelling.rules.several_parameters.elimination import (
    Weights,
    fit,
    fit_signed,
)


@dataclass(frozen=True, slots=True)
class HypothesisScores:
    """Scores of all H hypotheses for the measurements of a series.

    Parameters
    ----------
    score
        Logarithm of the evidence, priced, but for a summand, shape (H,).
    fitted
        c₀ … c_K of τ, shape (1 + K, H), by the number of terms.
    """

    score: Reals
    fitted: tuple[Reals, ...]

    def coefficients(self, hypothesis: int) -> Reals:
        """Return c₀ … c_K of one hypothesis."""
        for group in self.fitted:
            if hypothesis < group.shape[1]:
                return np.asarray(group[:, hypothesis])
            hypothesis -= group.shape[1]
        raise IndexError(hypothesis)


@dataclass(frozen=True, slots=True)
class Contest:
    """All hypotheses that the growths of each parameter can form.

    Parameters
    ----------
    terms
        The growths of each parameter.
    competitors
        The hypotheses, H of them, of C columns.
    tau
        Values of the columns at the measured settings, shape (C, n).
    """

    terms: tuple[Terms, ...]
    competitors: Competitors
    tau: Reals

    @classmethod
    def of(
        cls,
        terms: tuple[Terms, ...],
        sizes: tuple[int, ...],
        points: int,
        *,
        has_sums: bool = False,
    ) -> "Contest":
        """Pair growths of the parameters, known at so many points.

        The first `sizes` of each make structures, all of them sums of common terms.
        """
        growths = tuple(growths_of.growths for growths_of in terms)
        competing = competitors(growths, sizes, points, has_sums=has_sums)
        tau = np.ones((len(competing.columns), points))
        for growths_of, numbers in zip(terms, competing.factors.T, strict=True):
            tau[numbers >= 0] *= growths_of.table.tau[numbers[numbers >= 0]]
        return cls(terms, competing, tau)

    @property
    def columns(self) -> Growths:
        """Products of growths."""
        return self.competitors.columns

    def log2_scale(self) -> Reals:
        """Return the logarithm of what each column was divided by, shape (C,)."""
        return self._sum([each.table.log2_scale for each in self.terms])

    def log2_at(self, settings: Mapping[str, float]) -> Reals:
        """Return the logarithm of the columns at a target, shape (C,)."""
        return self._sum(
            [
                np.array([float(growth.log2(settings)) for growth in each.growths])
                for each in self.terms
            ]
        )

    def share(self, of_sums: float) -> Reals:
        """Return the probability of hypotheses before any measurement, shape (H,)."""
        competing = self.competitors
        share = competing.share.copy()
        if competing.sums:
            share[: competing.structured] *= 1 - of_sums
            share[competing.structured :] *= of_sums
        return share

    def by_growth(self, probability: Reals) -> Reals:
        """Add up hypotheses of the same leading-order term, shape (C + 1,)."""
        width = len(self.columns) + 1
        leading = self.competitors.leading
        return np.bincount(leading, probability, width).astype(np.float64)

    def weigh(self, weights: Weights) -> HypothesisScores:
        """Fit all hypotheses to a series."""
        points = len(weights.inverse)
        fits = [fit(self.tau, each, weights) for each in self.competitors.members]
        fits += self._fit_sums(weights, min(float(left.min()) for left, _ in fits))
        terms = [each.shape for each in self.competitors.members]
        # Of a sum without a constant one term takes its place.
        terms += [(len(each), each.terms - 1) for each in self.competitors.sums]
        misfit = np.concatenate([left for left, _ in fits])
        exponent = (weights.freedom + points - 1) / 2
        score = -exponent * np.log1p(misfit / (weights.variance * weights.freedom))
        price = np.repeat([k for _, k in terms], [h for h, _ in terms])
        return HypothesisScores(
            score=score - ASSUMED.price * np.log(points) * price,
            fitted=tuple(coefficients for _, coefficients in fits),
        )

    def _fit_sums(self, weights: Weights, least: float) -> list[tuple[Reals, Reals]]:
        """Fit signed sums, of more terms only while fewer leave too much misfit."""
        fits = []
        enough = ASSUMED.enough * weights.variance * len(weights.inverse)
        for sums in self.competitors.sums:
            if sums.terms > ASSUMED.fewest_terms and least < enough:
                fitted = (
                    np.full(len(sums), np.inf),
                    np.zeros((1 + sums.terms, len(sums))),
                )
            else:
                fitted = fit_signed(self.tau, sums, weights)
                least = min(least, float(fitted[0].min()))
            fits.append(fitted)
        return fits

    def _sum(self, logarithms: Sequence[Reals]) -> Reals:
        """Add up what belongs to the growths of each column, shape (C,)."""
        total = np.zeros(len(self.columns))
        for of_parameter, numbers in zip(
            logarithms, self.competitors.factors.T, strict=True
        ):
            total[numbers >= 0] += of_parameter[numbers[numbers >= 0]]
        return total
