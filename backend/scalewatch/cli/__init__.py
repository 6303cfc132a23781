"""Server and offline command line.

* `files` — model, import; `ci` — gate, bisect, expectations; `search`
* `server` — what runs a server and keeps its database; `demo` — the demonstration
"""

import os
import sys
from typing import Any, Final

import click

from scalewatch.cli.deferred import Deferred
from scalewatch.errors import ScalewatchError
from scalewatch.errors.operations import TOO_DEEP, mendable

COMMANDS: Final = (
    Deferred(
        "demo",
        "demo.demo",
        "Measure MPI on this machine and show how it scales.",
        "server,agent",
    ),
    Deferred(
        "model",
        "files.model",
        "Model files of measurements and judge how they scale, offline.",
    ),
    Deferred(
        "report",
        "papers.report",
        "Write the scaling section of a computing-time proposal.",
    ),
    Deferred("gate", "ci.gate", "Tell a CI job whether a commit scales worse."),
    Deferred(
        "expectations",
        "project_file",
        "Push the expectations of the file scalewatch.toml.",
    ),
    Deferred(
        "bisect", "ci.bisect", "Find the commit since which something scales worse."
    ),
    Deferred("import", "files.importing", "Post the measurements of foreign files."),
    Deferred(
        "store",
        "stores.store",
        "Keep run reports in a folder or on a branch, without a server.",
    ),
    Deferred(
        "publish",
        "publishing.publish",
        "Write the pages of a store as files, for any web space.",
        "server",
    ),
    Deferred(
        "export",
        "server.runs:export_runs",
        "Write the measurements of a commit for other programs.",
        "server",
    ),
    Deferred(
        "search",
        "search",
        "Run an experiment in different configurations and tell which is best.",
        "search,agent",
    ),
    Deferred("serve", "server.serve", "Serve the dashboard and its API.", "server"),
    Deferred(
        "worker",
        "server.worker",
        "Analyse what is posted, beside the server.",
        "server",
    ),
    Deferred(
        "migrate", "server.upkeep:migrate", "Bring the database up to date.", "server"
    ),
    Deferred("token", "server.token", "Make, list and revoke tokens.", "server"),
    Deferred(
        "backup", "server.upkeep:backup", "Write everything into one file.", "server"
    ),
    Deferred(
        "restore",
        "server.upkeep:restore",
        "Fill an empty database from a backup.",
        "server",
    ),
    Deferred(
        "replay", "server.runs:replay_runs", "Read anew what was posted.", "server"
    ),
    Deferred(
        "thin", "server.runs:thin", "Export old repetitions and keep some.", "server"
    ),
    Deferred(
        "remove",
        "server.runs:remove",
        "Remove a run, commit, machine or project.",
        "server",
    ),
    Deferred(
        "status",
        "server.upkeep:show_status",
        "Tell what is stored and what is to be done.",
        "server",
    ),
)
"""All commands, in the order in which one comes to need them."""

INTERRUPTED: Final = 130
"""Exit code after Ctrl-C, as of a process that died of SIGINT."""

BROKEN_PIPE: Final = 141
"""Exit code once nobody reads the output, as of a process that died of SIGPIPE."""


NO_TEXT: Final = "what was given holds bytes that are no text in UTF-8"


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
        except RecursionError as error:
            raise click.ClickException(TOO_DEEP) from error
        except UnicodeEncodeError as error:
            raise click.ClickException(NO_TEXT) from error
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            ctx.exit(INTERRUPTED)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(BROKEN_PIPE)
        except OSError as error:
            if (why := mendable(error)) is None:
                raise
            raise click.ClickException(why) from error
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
