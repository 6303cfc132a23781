"""Options that several commands have alike."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import click

Command = Callable[..., Any]
Option = Callable[[Command], Command]


def together(*options: Option) -> Option:
    """Return what gives a command all of these options, in the order of `--help`."""
    return lambda command: reduce(
        lambda decorated, option: option(decorated), reversed(options), command
    )


def time_limit_option(what: str = "a job") -> Callable[[Any], Any]:
    """Return the option, in whose help `what` is killed."""
    return click.option(
        "--time-limit",
        type=click.FloatRange(min=0, min_open=True),
        default=600.0,
        show_default=True,
        metavar="SECONDS",
        help=f"Time after which {what} is killed.",
    )
