"""Commands that are loaded when they are called.

`scalewatch --help` imports none of them, so that it answers at once, and a base
install runs the offline commands without the server's packages.
"""

import gc
import sys
from importlib import import_module
from typing import Any

import click

from scalewatch.errors import MissingExtra
from scalewatch.loading import without_collections


class Deferred(click.Command):
    """A command that lives, under the name `command`, in its own module.

    Parameters
    ----------
    name
        Name of the command and, with underscores, of its module.
    summary
        Its line in the list of commands.
    extra
        The extra of the distribution that brings what it imports, or several with
        commas between, unless the base install does.
    package
        The room in which the module lies, by its dotted name.
    module
        The module's name, where that of the command cannot be one.
    """

    def __init__(
        self,
        name: str,
        summary: str,
        *,
        package: str,
        extra: str | None = None,
        module: str | None = None,
    ) -> None:
        super().__init__(name, short_help=summary)
        self.module = f"{package}.{module or name.replace('-', '_')}"
        self.extra = extra

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Load the command; click invokes the one that the context belongs to."""
        return self.load().make_context(*args, **kwargs)

    def load(self) -> click.Command:
        """Import the module and return its command.

        Raises
        ------
        MissingExtra
            If it imports a package that is not installed.
        """
        is_new = self.module not in sys.modules
        try:
            with without_collections():
                module = import_module(self.module)
                if is_new:
                    gc.freeze()  # modules live on: the collector passes over them
        except ModuleNotFoundError as missing:
            package = (missing.name or "").partition(".")[0]
            if self.extra is None or package in {"", "scalewatch"}:
                raise
            raise MissingExtra(str(self.name), package, self.extra) from None
        command: click.Command = module.command
        return command
