"""Agent command line."""

import gc
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final

import click

from scalewatch.errors import ScalewatchError
from scalewatch.errors.operations import TOO_DEEP, mendable, pip_install
from scalewatch.loading import without_collections
from scalewatch_agent.errors import Exit, exit_code

COMMANDS: Final[Mapping[str, str]] = {
    "run": "Sweep any program through the parameters of an experiment file.",
    "mpi": "Measure this machine's MPI library at several process counts.",
    "openmp": "Measure memory bandwidth, OpenMP constructs and CG over threads.",
    "count": "Count the work of a program: calls of functions, iterations of loops.",
    "trace": "Trace MPI programs: where their time goes, and what they wait for.",
    "calibrate": "Measure how long MPI calls take at their best, for trace's overhead.",
    "serve": "Measure again what the server suspects on a machine.",
    "spool": "Look after runs that could not be delivered.",
}
"""All commands with their summaries; each is `command` in a module of its name."""


class Commands(click.Group):
    """A group that loads a command when it is called, and ends in one clear line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Return the names in the order of the table, not of the alphabet."""
        return list(COMMANDS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Load the command that is called; the list of all needs none of them."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, _load(name) if name else command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; end in one line where it raises."""
        try:
            with _ending_like_ctrl_c(signal.SIGTERM, signal.SIGHUP):
                result = super().invoke(ctx)
            # A pipe that broke shows here, not at the interpreter's end.
            sys.stdout.flush()
        except ScalewatchError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(exit_code(error))
        except RecursionError:
            click.echo(f"Error: {TOO_DEEP}", err=True)
            ctx.exit(Exit.WRONG_INPUT)
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            ctx.exit(Exit.INTERRUPTED)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(Exit.BROKEN_PIPE)
        except OSError as error:
            if (why := mendable(error)) is None:
                raise
            click.echo(f"Error: {why}", err=True)
            ctx.exit(Exit.FAILED)
        return result


def _load(name: str) -> click.Command:
    path = f"scalewatch_agent.cli.{name}"
    is_new = path not in sys.modules
    try:
        with without_collections():
            module = import_module(path)
            if is_new:
                gc.freeze()  # modules live on: the collector passes over them
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package in {"", "scalewatch", "scalewatch_agent"}:
            raise
        raise click.ClickException(
            f"`scalewatch-agent {name}` needs {package}, which is not installed: "
            + pip_install("agent")
        ) from None
    command: click.Command = module.command
    return command


@contextmanager
def _ending_like_ctrl_c(*signals: signal.Signals) -> Iterator[None]:
    """Leave no process where a scheduler says stop, or a terminal is closed."""
    before = {number: signal.getsignal(number) for number in signals}
    for number, reaction in before.items():
        if reaction is not signal.SIG_IGN:  # nohup's wish
            signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, reaction in before.items():
            signal.signal(number, reaction)


@click.group(
    cls=Commands,
    commands={
        name: click.Command(name, short_help=summary)
        for name, summary in COMMANDS.items()
    },
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Each command explains itself: scalewatch-agent COMMAND --help",
)
@click.version_option(package_name="scalewatch", prog_name="scalewatch-agent")
def main() -> None:
    """Measure codes under MPI and post what was measured to a Scalewatch server."""
