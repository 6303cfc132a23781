"""Server and offline command line.

* `files` — model, import, export; `ci` — gate, bisect, expectations
* `server` — what runs and keeps a server; `demo` — the demonstration
* `search` — the search for the best configuration
"""

import os
import sys
from collections.abc import Sequence
from typing import Any, Final

import click

from scalewatch.cli.deferred import Deferred
from scalewatch.errors import ScalewatchError

CI: Final = "scalewatch.cli.ci"
DEMO: Final = "scalewatch.cli.demo"
FILES: Final = "scalewatch.cli.files"
SEARCH: Final = "scalewatch.cli.search"
SERVER: Final = "scalewatch.cli.server"

COMMANDS: Final[Sequence[Deferred]] = (
    Deferred(
        "demo",
        "Measure MPI on this machine and show how it scales.",
        extra="server,agent",
        package=DEMO,
    ),
    Deferred(
        "model",
        "Model files of measurements and judge how they scale, offline.",
        package=FILES,
    ),
    Deferred("gate", "Tell a CI job whether a commit scales worse.", package=CI),
    Deferred(
        "expectations", "Push the expectations of the file scalewatch.toml.", package=CI
    ),
    Deferred(
        "bisect", "Find the commit since which something scales worse.", package=CI
    ),
    Deferred(
        "import",
        "Post the measurements of foreign files.",
        module="importing",
        package=FILES,
    ),
    Deferred(
        "export",
        "Write the measurements of a commit for other programs.",
        extra="server",
        package=FILES,
    ),
    Deferred(
        "search",
        "Run an experiment in different configurations and tell which is best.",
        extra="search,agent",
        package=SEARCH,
    ),
    Deferred(
        "serve", "Serve the dashboard and its API.", extra="server", package=SERVER
    ),
    Deferred(
        "worker",
        "Analyse what is posted, beside the server.",
        extra="server",
        package=SERVER,
    ),
    Deferred(
        "migrate", "Bring the database up to date.", extra="server", package=SERVER
    ),
    Deferred("token", "Make, list and revoke tokens.", extra="server", package=SERVER),
    Deferred(
        "backup", "Write everything into one file.", extra="server", package=SERVER
    ),
    Deferred(
        "restore",
        "Fill an empty database from a backup.",
        extra="server",
        package=SERVER,
    ),
    Deferred("replay", "Read anew what was posted.", extra="server", package=SERVER),
    Deferred(
        "thin", "Export old repetitions and keep some.", extra="server", package=SERVER
    ),
    Deferred(
        "remove",
        "Remove a run, commit, machine or project.",
        extra="server",
        package=SERVER,
    ),
    Deferred(
        "status",
        "Tell what is stored and what is to be done.",
        extra="server",
        package=SERVER,
    ),
)
"""All commands, in the order in which one comes to need them."""

INTERRUPTED: Final = 130
"""Exit code after Ctrl-C, as of a process that died of SIGINT."""

BROKEN_PIPE: Final = 141
"""Exit code once nobody reads the output, as of a process that died of SIGPIPE."""


class Commands(click.Group):
    """A group that puts every deliberate error into one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Return the names in the order of the table, not of the alphabet."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; end in one line where it raises."""
        try:
            result = super().invoke(ctx)
            # A pipe that broke shows here, not at the interpreter's end.
            sys.stdout.flush()
        except ScalewatchError as error:
            raise click.ClickException(str(error)) from error
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(BROKEN_PIPE)
        return result


@click.group(
    cls=Commands,
    commands={str(command.name): command for command in COMMANDS},
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Each command explains itself: scalewatch COMMAND --help",
)
@click.version_option(package_name="scalewatch", prog_name="scalewatch")
def main() -> None:
    """Tell whether HPC codes still scale the way they should."""
