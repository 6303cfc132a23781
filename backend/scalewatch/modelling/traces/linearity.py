"""Whether time in MPI bends away from a line over p, and may be extrapolated.

The time that all processes together spend in MPI should at most be linear in p. With
a₂ of the quadratic a₀ + a₁·p + a₂·p² through all settings, it bends if

    |a₂|·P² ≥ 10 % of T at the largest P, with a₂ of one sign in the last three subsets,

and the extrapolation may be used if the last two subsets that were tried on a next
point have e_max ≤ 20 % and d ≤ 25 %. The publication gives no thresholds: these are the
round numbers that reproduce what it says of its two tables, of which it calls the first
one non-linear, the second linear and both stable from five settings on.

References
----------
"Knowledge Based Automatic Scalability Analysis and Extrapolation for MPI Programs",
sections 3, 4 and 6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import copysign
from typing import Final, TypeVar

from scalewatch.modelling.quadratic_extrapolation import Extrapolation

Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on something is said of a traced program, in one table.

    Parameters
    ----------
    bend
        Share of the time at the largest P that |a₂|·P² has at least, if it bends.
    subsets
        Last subsets in which a₂ has one sign, if it bends.
    e_max, d
        Errors in percent up to which an extrapolation may be used.
    tried
        Last subsets that were tried on a next point and have to keep to those.
    named
        Share of the bend that the named locations make up together.
    mattering
        Share of a sum that a location makes up at least, if its growth matters.
    waiting
        Share of the time in MPI that one kind of waiting takes, if it is a cause.
    steady
        Power of p up to which something per process counts as constant.
    fallen
        By how much the load balance has fallen, if imbalance is a cause.
    rendezvous
        Bytes from which senders usually wait for the receiver.
    avoidable
        Share of the time in MPI below which overhead is none.
    """

    bend: float = 0.1
    subsets: int = 3
    e_max: float = 20.0
    d: float = 25.0
    tried: int = 2
    named: float = 0.8
    mattering: float = 0.02
    waiting: float = 0.5
    steady: float = 0.25
    fallen: float = 0.05
    rendezvous: float = 4096.0
    avoidable: float = 0.1


THRESHOLDS: Final = Thresholds()


class Bend(StrEnum):
    """How a quadratic departs from a line."""

    FASTER = "faster than p"
    LINEAR = "linear"
    SLOWER = "slower than p"
    UNKNOWN = "unknown"


def bend_of(
    rows: Sequence[Extrapolation], largest: float, limits: Thresholds = THRESHOLDS
) -> Bend:
    """Tell how a time bends; unknown with fewer subsets than have to agree.

    Parameters
    ----------
    rows
        One for each S = 4 … N.
    largest
        The time at the largest P.
    """
    if len(rows) < limits.subsets:
        return Bend.UNKNOWN
    signs = {copysign(1.0, row.a2) for row in rows[-limits.subsets :]}
    part = abs(quadratic_part(rows))
    if len(signs) > 1 or not part or part < limits.bend * abs(largest):
        return Bend.LINEAR
    return Bend.FASTER if signs == {1.0} else Bend.SLOWER


def quadratic_part(rows: Sequence[Extrapolation]) -> float:
    """Return a₂·P² at the largest P, in the unit of the times."""
    last = rows[-1]
    return last.a2 * last.settings[-1] ** 2


def is_usable(
    rows: Sequence[Extrapolation], limits: Thresholds = THRESHOLDS
) -> bool | None:
    """Tell whether an extrapolation may be used; None where too few were tried."""
    tried = [row for row in rows if row.d is not None][-limits.tried :]
    if len(tried) < limits.tried:
        return None
    return all(
        row.e_max is not None
        and row.e_max <= limits.e_max
        and row.d is not None
        and row.d <= limits.d
        for row in tried
    )


def bending_places(
    rows: Mapping[Place, Sequence[Extrapolation]],
    sign: float,
    limits: Thresholds = THRESHOLDS,
) -> tuple[tuple[Place, float], ...]:
    """Return the places that make up most of a bend, with their share of it.

    Parameters
    ----------
    sign
        That of the program's a₂: places that bend the other way are none of them.
    """
    parts = {
        place: part
        for place, of_region in rows.items()
        if of_region and (part := copysign(1.0, sign) * quadratic_part(of_region)) > 0
    }
    total = sum(parts.values())
    named: list[tuple[Place, float]] = []
    for place, part in sorted(parts.items(), key=lambda item: -item[1]):
        if sum(share for _, share in named) >= limits.named:
            break
        named.append((place, part / total))
    return tuple(named)
