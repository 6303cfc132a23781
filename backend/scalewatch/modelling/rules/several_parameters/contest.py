"""Hypotheses of several parameters at the measured settings, and their evidence.

With the variance s₀² of a location known with ν₀ degrees of freedom, n points and the
misfit R of `elimination`, the posterior of a hypothesis of K products is

    p(h) ∝ (1/H) · n^(-3K/2) · (ν₀ s₀² + R)^(-(ν₀ + n - 1)/2).

H, the number of hypotheses of its structure, makes all structures equally likely
beforehand; n^(-3K/2) is Schwarz's price of three parameters per product, its
coefficient and the exponents of power and logarithm. The hypothesis that is selected
is the best without 1/H: BIC decides between structures, the likelihood within one.
Where little was measured, 1/H would favour the structures of one parameter, of which
there are few hypotheses.

References
----------
G. Schwarz, "Estimating the Dimension of a Model", Annals of Statistics 6 (1978).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import groupby
from typing import Final

import numpy as np

from scalewatch.modelling.arrays.types import Indices, Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.structures import StructureHypotheses, catalogue
from scalewatch.modelling.growths.terms import Terms
from scalewatch.modelling.rules.several_parameters.elimination import Design, fit

Growths = tuple[Growth, ...]

PRICE: Final = 1.5
"""Half the number of parameters that a product adds."""


@dataclass(frozen=True, slots=True)
class Weights:
    """How much the points of a series count.

    Parameters
    ----------
    inverse
        w = 1/y, shape (n,).
    omega
        ω, repetitions of each point relative to the most of one, shape (n,).
    variance
        s₀², relative, of a point with ω = 1.
    freedom
        ν₀.
    """

    inverse: Reals
    omega: Reals
    variance: float
    freedom: float


@dataclass(frozen=True, slots=True)
class HypothesisScores:
    """What the measurements of a series say about all hypotheses, H of them.

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
        for each in self.fitted:
            if hypothesis < each.shape[1]:
                return np.asarray(each[:, hypothesis])
            hypothesis -= each.shape[1]
        raise IndexError(hypothesis)


@dataclass(frozen=True, slots=True)
class Contest:
    """All hypotheses that the growths of each parameter can form.

    Parameters
    ----------
    terms
        The growths of each parameter.
    columns
        Products of them, C.
    factors
        Which growth of each parameter a column has, -1 for none, shape
        (C, parameters).
    tau
        Values of the columns at the measured settings, shape (C, n).
    designs
        Hypotheses by their number of terms, from none on.
    log_prior
        Of each hypothesis before any measurement, shape (H,).
    leading
        Column of its leading-order term, shape (H,); C if that is the constant.
    """

    terms: tuple[Terms, ...]
    columns: Growths
    factors: Indices
    tau: Reals
    designs: tuple[Design, ...]
    log_prior: Reals
    leading: Indices

    @classmethod
    def of(cls, terms: tuple[Terms, ...], points: int) -> "Contest":
        """Pair all growths of the parameters, known at so many points."""
        known = catalogue(tuple(len(each.growths) for each in terms))
        factors = np.array(list(known.factors()), dtype=np.intp).reshape(-1, len(terms))
        columns, rank = _products(tuple(each.growths for each in terms))
        tau = np.ones((len(columns), points))
        for each, numbers in zip(terms, factors.T, strict=True):
            tau[numbers >= 0] *= each.table.tau[numbers[numbers >= 0]]
        families = [
            each for each in known.families if len(each.structure) <= points - 3
        ]
        by_terms = _by_terms(families)
        sizes = np.array([len(each.members) for each in families])
        return cls(
            terms=terms,
            columns=columns,
            factors=factors,
            tau=tau,
            designs=tuple(Design.of(tau, members) for members in by_terms),
            log_prior=np.repeat(-np.log(sizes * len(sizes)), sizes),
            leading=np.concatenate([_leading(members, rank) for members in by_terms]),
        )

    def members(self, hypothesis: int) -> Indices:
        """Return the columns of a hypothesis."""
        for design in self.designs:
            if hypothesis < len(design.members):
                return np.asarray(design.members[hypothesis])
            hypothesis -= len(design.members)
        raise IndexError(hypothesis)

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

    def by_growth(self, probability: Reals) -> Reals:
        """Add up hypotheses of the same leading-order term, shape (C + 1,)."""
        width = len(self.columns) + 1
        return np.bincount(self.leading, probability, width).astype(np.float64)

    def weigh(self, weights: Weights) -> HypothesisScores:
        """Fit all hypotheses to a series."""
        points = len(weights.omega)
        fits = [fit(each, weights.inverse, weights.omega) for each in self.designs]
        misfit = np.concatenate([each[0] for each in fits])
        exponent = (weights.freedom + points - 1) / 2
        score = -exponent * np.log(weights.variance * weights.freedom + misfit)
        terms = [each.members.shape for each in self.designs]
        price = np.repeat([k for _, k in terms], [h for h, _ in terms])
        return HypothesisScores(
            score=score - PRICE * np.log(points) * price,
            fitted=tuple(each[1] for each in fits),
        )

    def _sum(self, logarithms: Sequence[Reals]) -> Reals:
        """Add up what belongs to the growths of each column, shape (C,)."""
        total = np.zeros(len(self.columns))
        for own, numbers in zip(logarithms, self.factors.T, strict=True):
            total[numbers >= 0] += own[numbers[numbers >= 0]]
        return total


def _by_terms(families: Sequence[StructureHypotheses]) -> list[Indices]:
    """Put hypotheses of equally many terms together."""
    return [
        np.concatenate([each.members for each in same])
        for _, same in groupby(families, lambda each: len(each.structure))
    ]


@lru_cache(maxsize=256)
def _products(growths: tuple[Growths, ...]) -> tuple[Growths, Indices]:
    """Return all columns and the rank of each by dominance, the constant's last."""
    columns = tuple(
        reduce(
            Growth.__mul__,
            (own[k] for own, k in zip(growths, numbers, strict=True) if k >= 0),
        )
        for numbers in catalogue(tuple(map(len, growths))).factors()
    )
    competing = (*columns, CONSTANT)
    order = sorted(range(len(competing)), key=competing.__getitem__)
    return columns, np.argsort(order)


def _leading(members: Indices, rank: Indices) -> Indices:
    """Return the dominant column of each hypothesis, the constant being one of them."""
    constant = len(rank) - 1
    with_constant = np.hstack([members, np.full((len(members), 1), constant)])
    place = rank[with_constant].argmax(axis=1)
    return np.asarray(with_constant[np.arange(len(members)), place])
