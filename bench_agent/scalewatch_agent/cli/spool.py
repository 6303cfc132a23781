"""Runs that could not be delivered."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from scalewatch_agent import errors, folders
from scalewatch_agent.cli.measured import delivery_state, report_deliveries
from scalewatch_agent.cli.options import json_option, token_option, url
from scalewatch_agent.delivery.deliver import Delivered, Patience, deliver
from scalewatch_agent.delivery.spool import Spool, SpooledRun
from scalewatch_agent.errors import SUMMARY, Exit

EXAMPLES = """\b
Examples:
  scalewatch-agent spool list
  scalewatch-agent spool replay
  scalewatch-agent spool replay --server http://perf:8000 --rejected
  scalewatch-agent spool drop 0198f2c1
"""

rejected_option = click.option(
    "--rejected", is_flag=True, help="Those that the server refused, too."
)
ids_argument = click.argument("ids", metavar="[ID]…", nargs=-1)


@click.group(epilog=f"{EXAMPLES}\n{SUMMARY}")
def command() -> None:
    """Look after runs that could not be delivered.

    A run is named by its id or the beginning of it.
    """


@command.command("list")
@json_option
def list_runs(*, as_json: bool) -> None:
    """List the runs that wait, and those that the server refused."""
    spool = Spool(folders.spool_folder())
    rows = [
        *(_row(entry, "waits") for entry in _entries(spool.pending())),
        *(_row(entry, "refused") for entry in _entries(spool.refused())),
    ]
    if as_json:
        for row in rows:
            click.echo(json.dumps(row))
    elif rows:
        table = Table()
        for heading in ("id", "state", "project", "commit", "machine", "at"):
            table.add_column(heading, overflow="fold")
        for row in rows:
            coordinate = row["coordinate"].items()
            table.add_row(
                row["id"][:8],
                row["state"],
                row["project"],
                row["commit"],
                row["machine"],
                ", ".join(f"{parameter} = {value}" for parameter, value in coordinate),
            )
        Console().print(table)
        for row in rows:
            if row["reason"]:
                click.echo(
                    f"{row['id'][:8]} refused by {row['server']}: {row['reason']}"
                )
        click.echo(f"They lie in {spool.folder}")
    else:
        click.echo(f"No run waits in {spool.folder}")


@command.command()
@ids_argument
@rejected_option
@click.option(
    "--server",
    callback=url,
    metavar="URL",
    help="Post them there, not to the server that each is meant for.",
)
@token_option
@json_option
@click.pass_context
def replay(
    ctx: click.Context,
    /,
    ids: Sequence[str],
    *,
    rejected: bool,
    **options: Any,
) -> None:
    """Post the runs that wait, or those with the given ids.

    Posting a run that the server already has does no harm.
    """
    spool = Spool(folders.spool_folder())
    entries = _chosen(spool, ids, rejected=rejected)
    as_json = options["as_json"]
    if not entries and not as_json:
        click.echo(f"No run waits in {spool.folder}")
    deliveries = []
    for delivery in deliver(
        entries, spool, Patience(), options["server"], options["token"]
    ):
        deliveries.append(delivery)
        if as_json:
            state = delivery_state(delivery)
            click.echo(json.dumps({"id": delivery.entry.id, **state}))
    report_deliveries(deliveries, spool, quiet=as_json)
    if not all(isinstance(delivery.answer, Delivered) for delivery in deliveries):
        ctx.exit(Exit.UNDELIVERED)


@command.command()
@ids_argument
@rejected_option
@click.option("--all", "everything", is_flag=True, help="All runs that wait.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def drop(*, ids: Sequence[str], rejected: bool, everything: bool, yes: bool) -> None:
    """Delete runs that are no longer wanted."""
    if bool(ids) == everything:
        raise click.UsageError("Name the runs to drop by their ids, or all by --all.")
    spool = Spool(folders.spool_folder())
    entries = _chosen(spool, ids, rejected=rejected)
    if entries and not yes:
        click.confirm(f"Delete {len(entries)} runs that no server has?", abort=True)
    for entry in entries:
        spool.remove(entry)
    click.echo(f"{len(entries)} runs dropped")


def _chosen(spool: Spool, ids: Sequence[str], *, rejected: bool) -> list[SpooledRun]:
    """Return the entries that the ids name, or all of them without ids."""
    entries = list(_entries(spool.pending()))
    if rejected or ids:
        entries += _entries(spool.refused())
    if not ids:
        return entries
    for start in ids:
        if not any(entry.id.startswith(start) for entry in entries):
            raise click.UsageError(
                f"No run {start!r} in {spool.folder}: see scalewatch-agent spool list"
            )
    return [entry for entry in entries if entry.id.startswith(tuple(ids))]


def _entries(paths: Iterable[Path]) -> Iterator[SpooledRun]:
    """Yield what can be read, and name what cannot."""
    for path in paths:
        try:
            yield SpooledRun.read(path)
        except errors.UnreadableEntry as error:
            click.echo(f"Warning: {error}", err=True)


def _row(entry: SpooledRun, state: str) -> dict[str, Any]:
    run = entry.run
    problem = entry.problem or {}
    return {
        "id": entry.id,
        "state": state,
        "project": run["project"],
        "commit": run["commit"]["sha"],
        "machine": run["machine"]["name"],
        "coordinate": run["coordinate"],
        "spooled_at": entry.spooled_at.isoformat(timespec="seconds"),
        "server": entry.server,
        "reason": problem.get("detail") or problem.get("title"),
    }
