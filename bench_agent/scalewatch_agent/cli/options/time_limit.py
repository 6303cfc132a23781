"""The time that a job of a command may take."""

from collections.abc import Callable
from typing import Any

import click


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
