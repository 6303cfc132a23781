"""Two models side by side: what differs in growth, and what only by a factor.

Two models f = c·G + … and f' = c'·G' + … are told apart in two ways that must not be
mixed: by their growths, G'/G, and, where these agree, by the ratio of the leading
coefficients, c'/c. Where the growths differ, one may still be faster up to a scale;
where they agree, such a scale would say little: noise decides where they cross.
"""

from dataclasses import dataclass

from scalewatch.modelling.growths.crossing import first_above
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model


@dataclass(frozen=True, slots=True)
class SideBySide:
    """How a model differs from another one.

    Parameters
    ----------
    growth
        G'/G; constant where both grow alike.
    factor
        c'/c, where both grow alike; None where a factor would depend on the scale.
    crossing
        Scale from which the one that is faster at the smallest scale no longer is;
        None if that never happens, or where both grow alike.
    is_slower
        Whether it is the slower one at large scale.
    """

    growth: Growth
    factor: float | None
    crossing: float | None
    is_slower: bool


def side_by_side(
    model: Model, other: Model, parameter: str = "p", *, start: float = 1.0
) -> SideBySide | None:
    """Compare `other` with `model` from a scale on; None if it depends on more.

    Parameters
    ----------
    model, other
        In the same unit.
    parameter
        What is scaled.
    start
        Smallest scale that is of interest.
    """
    named = {
        name
        for each in (model, other)
        for term in each.terms
        for name in term.growth.parameters
    }
    if not named <= {parameter}:
        return None
    growth = other.growth / model.growth
    base, coefficient = model.leading_coefficient, other.leading_coefficient
    is_alike = growth == CONSTANT
    at_start = (float(model({parameter: start})), float(other({parameter: start})))
    faster, slower = (model, other) if at_start[0] <= at_start[1] else (other, model)
    return SideBySide(
        growth=growth,
        factor=coefficient / base if is_alike and base else None,
        crossing=(
            None if is_alike else first_above(faster, slower, parameter, start=start)
        ),
        is_slower=coefficient > base if is_alike else growth > CONSTANT,
    )
