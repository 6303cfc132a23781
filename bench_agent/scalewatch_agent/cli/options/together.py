"""Options that several commands have alike."""

from collections.abc import Callable
from functools import reduce
from typing import Any

Command = Callable[..., Any]
Option = Callable[[Command], Command]


def together(*options: Option) -> Option:
    """Return what gives a command all of these options, in the order of `--help`."""
    return lambda command: reduce(
        lambda decorated, option: option(decorated), reversed(options), command
    )
