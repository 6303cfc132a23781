"""Parameters of queries, read as one of several choices or as a positive number."""

from enum import StrEnum
from math import isfinite
from typing import TypeVar

from scalewatch.errors import BadScale, UnknownChoice

Choice = TypeVar("Choice", bound=StrEnum)


def one_of(option: str, stated: str | None, usual: Choice) -> Choice:
    """Return the choice that a text names, the default where it is empty.

    Raises
    ------
    UnknownChoice
        If there is no such choice.
    """
    if not stated:
        return usual
    kind = type(usual)
    if stated not in list(kind):
        raise UnknownChoice(option, stated, [str(each) for each in kind])
    return kind(stated)


def positive(what: str, stated: str | None) -> float | None:
    """Return the positive number that a text holds, None where it is empty.

    Raises
    ------
    BadScale
        If it is no positive number.
    """
    if not stated:
        return None
    try:
        number = float(stated)
    except ValueError:
        raise BadScale(what, stated) from None
    if not (isfinite(number) and number > 0):
        raise BadScale(what, stated)
    return number
