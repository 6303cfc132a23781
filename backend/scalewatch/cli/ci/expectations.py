"""`scalewatch expectations push`: declare the expectations in a file of the code."""

from collections.abc import Mapping, Sequence
from getpass import getuser
from pathlib import Path
from typing import Any, Final

import click

from scalewatch.cli.project_file import FILE, declarations, gate_rules, read
from scalewatch.cli.remote import Remote, Unreachable, segment, server_options

UNREACHABLE: Final = 3

EPILOG: Final = """
\b
The file, at the top of a repository:
  project = "hydro"
  guidelines = ["MPI_Allreduce <= MPI_Reduce + MPI_Bcast"]
  target = { p = 65536 }              # where effects are told
  [expectations]
  MPI_Bcast = "O(log p)"
  solve = { growth = "O(p^0.5)", deviation_limit = "O(p^0.25)", metric = "time" }
  cg = { formula = "13*8*N/triad + 2*parallel" }   # composed of other regions
  old_solver = { growth = false }     # withdraws it
  [gate]                              # what stops a commit
  mismatch = false                    # scales worse than expected
  new_mismatch = true                 # and did not before
  growth = true                       # scales worse than before
  constant = 0.1                      # surely costs over 10 % more; false: never
  guideline = true                    # breaks a guideline that held
  missing = "undecided"               # or "ignore" what failed or is missing in part
  oversubscribed = "accept"           # judge times for which processes shared cores
  smallest_effect = 0.05              # what changes by less is a drift (at least 0.03)
  [gate.regions.solve]
  constant = 0.3
  [aliases]                           # former name = present name
  bcast = "MPI_Bcast"
  [import.osu]                        # settings of files, see `scalewatch import`
  path = "{**}/size{nodes}/{**}"
  derive = { p = "nodes * 56" }
  better = { FOM = "higher" }

\b
Example:
  scalewatch expectations push --reason "$(git log -1 --format=%s)"
"""


def _login() -> str | None:
    """Return who calls, if the system knows."""
    try:
        return getuser()
    except (OSError, KeyError):
        return None


@click.group("expectations", epilog=EPILOG)
def command() -> None:
    """Declare the growths that are expected of a code."""


@command.command("push", epilog=EPILOG)
@click.argument(
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=FILE,
)
@click.option("--project", help="That of the file unless given.")
@click.option(
    "--author", default=_login, required=True, help="By default your login name."
)
@click.option("--reason")
@server_options
def push(  # noqa: PLR0913, one per option
    *,
    file: Path,
    project: str | None,
    author: str,
    reason: str | None,
    server: str,
    token: str | None,
) -> None:
    """Declare what FILE states, by default scalewatch.toml.

    That is expectations, guidelines, rules of the gate, the target scale and new names
    of regions. What is as before keeps its version; all else is judged anew.
    """
    stated = read(file)
    name = project or stated.get("project")
    if not isinstance(name, str):
        raise click.UsageError(f'{file} names no project: add project = "…"')
    said = {"author": author, "reason": reason}
    remote = Remote(server, token)
    declared = declarations(stated.get("expectations", {}), file)
    if declared:
        content = said | {"expectations": declared}
        _put(remote, name, "expectations", content, [e["region"] for e in declared])
    if "guidelines" in stated:
        rules = {"guidelines": stated["guidelines"]}
        _put(remote, name, "guidelines", said | rules)
    if "gate" in stated or "target" in stated:
        rules = gate_rules(stated.get("gate", {}), file)
        target = stated.get("target", {})
        _put(remote, name, "gate/rules", said | {"rules": rules, "target": target})
    if "aliases" in stated:
        _put(remote, name, "aliases", said | {"aliases": stated["aliases"]})
    number = f"{len(declared)} expectation{'s' * (len(declared) != 1)}"
    click.echo(f"{name}: {number} stated")


def _put(
    remote: Remote,
    project: str,
    noun: str,
    content: Mapping[str, Any],
    names: Sequence[str] = (),
) -> None:
    """Send content; what is wrong with a list is told by the names of its entries."""
    try:
        reply = remote.put(f"projects/{segment(project)}/{noun}", content)
    except Unreachable as error:
        click.echo(f"Error: {error}", err=True)
        raise SystemExit(UNREACHABLE) from None
    if not reply.is_good:
        reason = reply.reason
        for number, name in enumerate(names):
            reason = reason.replace(f"{noun}.{number}.", f"{noun}.{name}.")
        raise click.ClickException(reason)
