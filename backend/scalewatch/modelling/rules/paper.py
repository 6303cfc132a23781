"""The rule of the paper: best adjusted R² over the first quartiles.

Each term t of the space is fitted by ordinary least squares, y = c₀ + c₁·t(x). With
u = (t - t̄) / ‖t - t̄‖ all fits share one closed form,

    r = Σ (y - ȳ)·u,  c₁ = r / ‖t - t̄‖,  c₀ = ȳ - c₁·t̄,  R² = r² / Σ (y - ȳ)²,

and because all have as many coefficients, the best adjusted R² is the largest r.
The constant has an adjusted R² of zero by definition; it is selected where no term
reaches more. A term that falls with its growth (r ≤ 0) says nothing about growth;
its best fit with c₁ ≥ 0 is the constant. Among equals the slowest growth is taken.

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015, sections 2.3 and 3.3.
"""

from collections.abc import Iterable
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.terms import TermTable, term_table
from scalewatch.modelling.measurements.location import summarise
from scalewatch.modelling.rules.assumptions import ASSUMED
from scalewatch.modelling.rules.rule import (
    Rule,
    Sample,
    Selection,
    adjusted_r2,
    single_terms,
    smape,
)


def select(sample: Sample) -> Selection:
    """Select for each series the term of largest adjusted R²."""
    table = term_table(sample.space.growths, sample.settings)
    constant = sample.space.constant
    blocks = [
        _fit(
            summarise(
                sample.values[start : start + ASSUMED.paper_block], sample.summary
            ).T,
            table,
        )
        for start in range(0, len(sample.values), ASSUMED.paper_block)
    ]
    chosen, coefficients, fit, error = (
        np.concatenate(column) for column in zip(*blocks, strict=True)
    )
    return Selection(
        hypotheses=single_terms(sample.space),
        chosen=np.where(chosen < 0, constant, chosen),
        coefficients=coefficients,
        adjusted_r2=fit,
        smape=error,
    )


def _fit(y: Reals, table: TermTable) -> tuple[NDArray[np.intp], Reals, Reals, Reals]:
    """Fit all terms to y of shape (n, S); choose -1 where the constant is as good."""
    points, series = y.shape
    mean_tau = table.tau.mean(axis=1)
    centred_tau = table.tau - mean_tau[:, np.newaxis]
    norm = np.sqrt((centred_tau**2).sum(axis=1))
    is_constant = norm == 0
    unit = centred_tau / np.where(is_constant, 1, norm)[:, np.newaxis]

    mean = _sum(y) / points
    centred = y - mean
    total = _sum(centred**2)
    # Point by point, not as a matrix product: the result for one series is then
    # the same bit for bit, whatever series are beside it.
    r = _sum(u[:, np.newaxis] * row for u, row in zip(unit.T, centred, strict=True))
    chosen = r.argmax(axis=0)
    best = np.take_along_axis(r, chosen[np.newaxis], axis=0)[0]
    explained = np.divide(best**2, total, out=np.zeros(series), where=total > 0)
    adjusted = adjusted_r2(np.minimum(explained, 1.0), points, terms=1)
    is_term = (best > 0) & (adjusted > 0)

    slope = np.where(is_term, best / np.where(is_constant, 1, norm)[chosen], 0.0)
    constant = mean - slope * mean_tau[chosen]
    constant[np.abs(constant) < ASSUMED.paper_rounding] = 0.0
    fitted = constant + slope * table.tau[chosen].T
    coefficients = np.stack(
        [constant, slope * np.exp2(-table.log2_scale[chosen])], axis=1
    )
    return (
        np.where(is_term, chosen, -1),
        coefficients,
        np.where(is_term, adjusted, np.nan),
        smape(y, fitted),
    )


def _sum(rows: Iterable[Reals]) -> Reals:
    """Add arrays one after the other, in order."""
    return reduce(np.add, rows)


PAPER = Rule("paper", summary="q1", auto_space="expectation", select=select)
"""Best adjusted R² over first quartiles, in the space of the expectation."""
