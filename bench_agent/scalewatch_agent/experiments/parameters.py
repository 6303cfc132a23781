"""Parameters of an experiment: combinations, and their places in commands."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from math import isfinite, prod
from typing import Final

from scalewatch_agent.errors import BadExpression
from scalewatch_agent.experiments.expressions import Expression, Scalar

MOST_COMBINATIONS: Final = 100_000

Combination = Mapping[str, Scalar]


class BadParameters(ValueError):
    """Parameters make no combinations; `place` is where in the file, and why."""

    def __init__(self, place: tuple[str | int, ...], reason: str) -> None:
        super().__init__(reason)
        self.place = place


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters, and how they are combined.

    Parameters
    ----------
    lists
        Values of each parameter that has values of its own.
    derived
        Parameters that follow from others.
    zipped
        Groups whose members move together; all else is combined.
    where
        Which combinations are wanted; all of them without it.
    """

    lists: Mapping[str, tuple[Scalar, ...]]
    derived: Mapping[str, Expression]
    zipped: tuple[tuple[str, ...], ...] = ()
    where: Expression | None = None

    def combinations(self) -> list[dict[str, Scalar]]:
        """Return the combinations, the last parameter varying fastest.

        Raises
        ------
        BadParameters
            If there are none or too many, or one cannot be computed.
        """
        partners = {name: group for group in self.zipped for name in group}
        together = dict.fromkeys(partners.get(name, (name,)) for name in self.lists)
        groups = [
            (group, list(zip(*(self.lists[name] for name in group), strict=True)))
            for group in together
        ]
        if prod(len(rows) for _, rows in groups) > MOST_COMBINATIONS:
            reason = f"there are over {MOST_COMBINATIONS:,} combinations"
            raise BadParameters(("parameters",), reason)
        order = self._derivation()
        wanted = []
        for rows in product(*(rows for _, rows in groups)):
            combination: dict[str, Scalar] = {}
            for (names, _), row in zip(groups, rows, strict=True):
                combination |= zip(names, row, strict=True)
            place: tuple[str, ...] = ()
            try:
                for name in order:
                    place = ("parameters", name, "expression")
                    combination[name] = self.derived[name].value(combination)
                place = ("where",)
                if self.where is None or self.where.holds(combination):
                    wanted.append(combination)
            except BadExpression as error:
                raise BadParameters(place, str(error)) from error
        if not wanted:
            raise BadParameters(("where",), "no combination is left")
        return wanted

    def _derivation(self) -> list[str]:
        """Return the derived parameters, each after those that it follows from."""
        order: list[str] = []
        known = set(self.lists)
        left = dict(self.derived)
        while left:
            ready = [name for name in left if left[name].names <= known]
            if not ready:
                name, expression = next(iter(left.items()))
                missing = sorted(expression.names - known - set(left))
                why = (
                    f"there is no parameter {missing[0]!r}"
                    if missing
                    else "it follows from itself"
                )
                raise BadParameters(("parameters", name, "expression"), why)
            order += ready
            known |= set(ready)
            for name in ready:
                del left[name]
        return order


def spaced(
    start: float, end: float, step: float | None, factor: float | None
) -> tuple[float, ...]:
    """Return numbers from `start` to `end`, the end included where it is hit.

    Whole numbers stay whole. One of `step` and `factor` is given, and leads to `end`.
    """
    if not all(isfinite(number) for number in (start, end, step or factor or 0)):
        raise BadParameters((), "a range needs finite numbers")
    leads = (
        step is not None and step * (end - start) >= 0 and step != 0
        if factor is None
        else factor > 0 and factor != 1 and start * (end - start) * (factor - 1) >= 0
    )
    if not leads:
        raise BadParameters((), f"this never comes from {start:g} to {end:g}")
    try:
        values = tuple(
            islice(_numbers(start, end, step, factor), MOST_COMBINATIONS + 1)
        )
    except OverflowError:
        raise BadParameters((), "its numbers grow too large") from None
    if len(values) > MOST_COMBINATIONS:
        raise BadParameters((), f"these are over {MOST_COMBINATIONS:,} values")
    return values


def _numbers(
    start: float, end: float, step: float | None, factor: float | None
) -> Iterator[float]:
    # Sums of decimal steps miss the end by a rounding error.
    slack = 1e-9 * max(abs(start), abs(end))
    count = 0
    while True:
        number = start * (factor**count) if factor else start + count * (step or 0)
        if (number - end) * (1 if end >= start else -1) > slack:
            return
        yield number
        if start == end:
            return
        count += 1


PLACE: Final = re.compile(
    r"(?<!\$)(?:\{\{(?P<literal>[A-Za-z_]\w*)\}\}|\{(?P<name>[A-Za-z_]\w*)\})", re.ASCII
)
"""`{n}`, but neither `${n}`, which is the shell's, nor `{{n}}`, which means `{n}`."""

FOLDERS: Final = ("source", "experiment", "prepare", "compile", "job")
FLAGS: Final = ("cflags", "fflags")
"""Compiler flags by which a program counts its work; empty otherwise."""

COMPILERS: Final = ("mpicc", "mpicxx", "mpif90")
"""The compilers of the MPI library in use, or of the simulator."""

RESERVED: Final = (*FOLDERS, *FLAGS, *COMPILERS, "python", "repeat")
"""Names that a command may use beside the parameters."""


def names_in(command: str) -> frozenset[str]:
    """Return the names whose values the command wants."""
    return frozenset(match["name"] for match in PLACE.finditer(command)) - {None}


def filled(command: str, values: Mapping[str, Scalar]) -> str:
    """Return the command with each name's value in its place."""

    def value(match: re.Match[str]) -> str:
        name = match["name"]
        return f"{{{match['literal']}}}" if name is None else written(values[name])

    return PLACE.sub(value, command)


def written(value: Scalar) -> str:
    """Return a value as it stands on a command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
