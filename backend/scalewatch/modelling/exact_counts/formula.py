"""A formula that reproduces exact counts, and what it foretells."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.exact_counts.assumptions import ASSUMED
from scalewatch.modelling.exact_counts.description_length import Atom
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model


@dataclass(frozen=True, slots=True)
class Formula:
    """A sum of terms.

    Parameters
    ----------
    atoms, coefficients
        Of its K terms, the fastest first, shape (K,).
    bits
        Its description length.
    tolerance
        How far it may be from the counts, shape (n,); None where its coefficients are
        fractions that leave nothing open.
    scale
        Factors by which it may be scaled as a whole; None where coefficients are free
        one by one.
    """

    atoms: tuple[Atom, ...]
    coefficients: Reals
    bits: float
    tolerance: Reals | None = None
    scale: tuple[float, float] | None = None

    @property
    def growth(self) -> Growth:
        """Its leading-order term."""
        return self.model.growth

    @property
    def model(self) -> Model:
        """It as a model."""
        pairs = list(zip(self.atoms, self.coefficients.tolist(), strict=True))
        constant = sum(c for atom, c in pairs if atom.growth == CONSTANT)
        terms = [atom.term(c) for atom, c in pairs if atom.growth != CONSTANT]
        return Model(float(constant), tuple(terms[::-1]), is_exact=True)

    def scaled(self, factor: float) -> "Formula":
        """Return that of counts which are so many times as large."""
        tolerance = None if self.tolerance is None else self.tolerance * factor
        return replace(
            self, coefficients=self.coefficients * factor, tolerance=tolerance
        )

    def hull(
        self, settings: Mapping[str, Reals], y: Reals, targets: Mapping[str, Reals]
    ) -> tuple[Reals, Reals, Reals]:
        """Return value, low and high at targets: all that the tolerance allows.

        Parameters
        ----------
        settings, y
            Where the counts were taken, and the counts, shape (n,).
        targets
            Settings, shape (T,).
        """
        beyond = np.stack([atom.values(targets) for atom in self.atoms])
        value = self.coefficients @ beyond
        if self.tolerance is None:
            return value, value, value
        if self.scale is not None:
            ends = np.multiply.outer(np.array(self.scale), value)
            return value, ends.min(axis=0), ends.max(axis=0)
        design = np.stack([atom.values(settings) for atom in self.atoms], axis=1)
        assert self.tolerance is not None
        every = np.concatenate(
            [corners(design, y, self.tolerance) @ beyond, value[np.newaxis]]
        )
        return value, every.min(axis=0), every.max(axis=0)


def corners(design: Reals, y: Reals, tolerance: Reals) -> Reals:
    """Return the corners of all coefficients c with |design · c - y| ≤ tolerance.

    What a linear forecast may be at most and at least, it is at a corner.

    Parameters
    ----------
    design
        Terms at the settings, shape (n, K).
    y, tolerance
        Shape (n,).

    Returns
    -------
    array
        Shape (corners, K); none where no coefficients are so close.
    """
    points = len(y)
    spread = np.linspace(0, points - 1, min(points, ASSUMED.most_binding))
    binding = [int(each) for each in np.unique(spread.round())]
    rows = np.array(list(combinations(binding, design.shape[1])))
    squares = design[rows]
    size = np.abs(design).max(axis=0)
    is_regular = np.abs(np.linalg.det(squares / size)) > ASSUMED.singular
    squares, rows = squares[is_regular], rows[is_regular]
    if not len(rows):
        return np.empty((0, design.shape[1]))
    signs = np.array(list(product((-1.0, 1.0), repeat=design.shape[1])))
    bounds = y[rows][:, np.newaxis] + signs * tolerance[rows][:, np.newaxis]
    solved = np.linalg.solve(squares[:, np.newaxis], bounds[..., np.newaxis])[..., 0]
    solved = solved.reshape(-1, design.shape[1])
    is_inside = np.abs(solved @ design.T - y) <= tolerance * (1 + ASSUMED.over)
    inside: Reals = solved[is_inside[:, binding].all(axis=1)]
    return inside
