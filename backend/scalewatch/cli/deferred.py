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
    """A command that lives in a module of its subject.

    Parameters
    ----------
    name, summary
        Name of the command, and its line in the list of commands.
    place
        Where it lives below `package`: its module and, after a colon, its name there,
        which is `command` unless the module has several.
    extra
        The extra of the distribution that brings what it imports, or several with
        commas between, unless the base install does.
    """

    def __init__(
        self,
        name: str,
        place: str,
        summary: str,
        extra: str | None = None,
        *,
        package: str = "scalewatch.cli",
    ) -> None:
        super().__init__(name, short_help=summary)
        module, _, attribute = place.partition(":")
        self.module = f"{package}.{module}"
        self.attribute = attribute or "command"
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
        module = loaded(self.module, str(self.name), self.extra)
        command: click.Command = getattr(module, self.attribute)
        return command


def loaded(module: str, command: str, extra: str | None) -> Any:
    """Import a module that a command needs.

    Parameters
    ----------
    extra
        The extra of the distribution that brings what it imports.

    Raises
    ------
    MissingExtra
        If it imports a package that is not installed.
    """
    is_new = module not in sys.modules
    try:
        with without_collections():
            imported = import_module(module)
            if is_new:
                gc.freeze()  # modules live on: the collector passes over them
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if extra is None or package in {"", "scalewatch"}:
            raise
        raise MissingExtra(command, package, extra) from None
    return imported
