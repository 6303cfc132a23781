"""`scalewatch import`: post the measurements of foreign files."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

import click

from scalewatch.cli.files.options import better_directions, file_options, read_terms
from scalewatch.cli.remote import Remote, server_options

EPILOG: Final = """
\b
Examples:
  scalewatch import sweep.txt --project code --machine jureca --commit v1.2
  scalewatch import *.jsonl --project code --machine jureca --commit 1a2b3c --dry-run
  scalewatch import times.csv --column p=ranks --column value=seconds \\
      --project code --machine jureca --commit v1.2 --server http://perf:8000
  gprof -b -p code gmon.out > p8.txt
  scalewatch import asv-results/ --project code --store branch:scalewatch-results
  scalewatch import p8.txt --profile --at p=8 \\
      --project code --machine jureca --commit v1.2

Importing a file twice changes nothing: what was interrupted is called again.

\b
Exit codes:
  0  imported            3  a file cannot be read or makes no run; others are posted
  2  wrong usage         4  the server did not take it
"""

SUITE: Final = "imported"


@click.command("import", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--project", required=True, help="Whose measurements they are.")
@click.option("--machine", help="Where they were taken, if no file says so.")
@click.option("--commit", metavar="SHA", help="Hash or tag, if no file says so.")
@click.option("--branch", help="Of the commit.")
@click.option(
    "--parent", "parents", multiple=True, metavar="SHA", help="Of the commit."
)
@click.option(
    "--committed-at",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    help="Time of the commit, in UTC.",
)
@click.option("--message", help="Of the commit.")
@click.option("--author", metavar="NAME", help="Of the commit.")
@click.option("--repository", metavar="URL", help="Where the code lies.")
@click.option("--suite", default=SUITE, help="What the runs are called.")
@file_options("--format")
@click.option(
    "--profile",
    "are_profiles",
    is_flag=True,
    help="Regions are functions, and their own times the profile of a run.",
)
@click.option("--dry-run", is_flag=True, help="Tell what would be posted, no more.")
@click.option(
    "--json", "as_json", is_flag=True, help="With --dry-run: a run per line, as posted."
)
@click.option(
    "--store",
    "where",
    metavar="WHERE",
    help="Add the runs to a store instead: DIR, or branch:NAME[@REMOTE].",
)
@server_options
@click.pass_context
def command(ctx: click.Context, /, files: Sequence[str], **options: Any) -> None:
    """Post the measurements of foreign files as runs of a commit on a machine.

    Reads what `scalewatch model` reads: Extra-P's text, JSON and JSON Lines, tables
    with a header (CSV), and run reports, whose project, machine and commit are then
    those named here; and gprof's flat profiles; folders and archives of them; "-" is
    standard input.
    """
    # Numpy takes longer than --help may.
    from scalewatch.cli.files.posting import Importing  # noqa: PLC0415
    from scalewatch.importers import read_files, read_in_parts  # noqa: PLC0415
    from scalewatch.services.files.imports import ImportOrigin  # noqa: PLC0415

    if options["as_json"] and not options["dry_run"]:
        raise click.UsageError("--json shows what --dry-run would post")
    what = (files, *read_terms(options))
    moment: datetime | None = options["committed_at"]
    stated = {
        "sha": options["commit"],
        "branch": options["branch"],
        "parents": options["parents"] or None,
        "committed_at": moment and moment.replace(tzinfo=UTC).isoformat(),
        "message": options["message"],
        "author": options["author"],
        "repository": options["repository"],
    }
    commit = {name: value for name, value in stated.items() if value is not None}
    origin = ImportOrigin(
        options["project"],
        options["machine"],
        commit if options["commit"] else None,
        options["suite"],
        better_directions(options),
    )
    server = options["server"].rstrip("/")
    importing = Importing(origin, are_profiles=options["are_profiles"])
    if options["dry_run"]:
        reading = read_files(*what)
        there = options["where"] or server
        ctx.exit(importing.shown(reading, there, as_json=options["as_json"]))
    if options["where"]:
        from scalewatch.cli.files.posting import Storing  # noqa: PLC0415
        from scalewatch.stores.store import Store  # noqa: PLC0415

        storing = Storing(Store.at(options["where"]))
        ctx.exit(importing.sent(read_in_parts(*what), storing, options["where"]))
    remote = Remote(server, options["token"])
    ctx.exit(importing.posted(read_in_parts(*what), remote))
