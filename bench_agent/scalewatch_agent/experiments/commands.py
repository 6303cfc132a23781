"""Command lines with places for parameters: `./solver {n}`."""

import re
from collections.abc import Mapping
from typing import Final

from scalewatch_agent.experiments.expressions import Scalar

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
