"""`scalewatch store`: run reports in a folder, or on a branch, without a server."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import click

from scalewatch.cli.files.options import better_directions, file_options, read_terms
from scalewatch.cli.files.stored import reports_of, tell_faults
from scalewatch.cli.remote import Remote, Unreachable, segment, server_options
from scalewatch.errors import NoStore, RunAlreadyRecorded, StoreUnwritable
from scalewatch.stores import decisions
from scalewatch.stores.decisions import Decision
from scalewatch.stores.files import StoreFault
from scalewatch.stores.store import Store

UNREADABLE: Final = 3
REFUSED: Final = 4
"""Exit codes: something cannot be read and does not count; runs are not taken."""

EPILOG: Final = """
\b
WHERE is a folder, or a branch of a git repository:
  results                     a folder
  branch:scalewatch-results   a branch of the repository at hand
  branch:NAME@origin          of one of its remotes, which is not cloned
  branch:NAME@URL             of any repository

\b
Examples:
  scalewatch store add runs.jsonl --store branch:scalewatch-results@origin
  scalewatch store add sweep.txt --project hydro --machine jureca --commit 1a2b3c4d \\
      --store results
  scalewatch store check --store results
  scalewatch store compact --store results --before 2026-01-01 --keep 5
  scalewatch store take --store results --server http://perf:8000 --project hydro
  scalewatch store post --store results --server http://perf:8000
  scalewatch gate --store results
  scalewatch serve --store results

\b
Exit codes:
  0  all is well
  2  wrong usage
  3  a file or line cannot be read: it is named, and the others count
  4  the store, or the server, did not take runs
"""

WHERE: Final = "WHERE"


def store_option(command: Any) -> Any:
    """Add --store to a command that needs one."""
    return click.option(
        "--store",
        "where",
        metavar=WHERE,
        required=True,
        envvar="SCALEWATCH_STORE",
        help="DIR, or branch:NAME[@REMOTE]; or SCALEWATCH_STORE.",
    )(command)


class _Stores(click.Group):
    """A group whose errors of places have an exit code of their own."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what a store does not let be done ends in one line."""
        try:
            return super().invoke(ctx)
        except NoStore as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(UNREADABLE)
        except (StoreUnwritable, RunAlreadyRecorded, Unreachable) as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(REFUSED)


@click.group("store", cls=_Stores, epilog=EPILOG)
def command() -> None:
    """Keep run reports in a folder or on a branch of git, without a server."""


@command.command("add", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@store_option
@click.option("--project", help="Of measurements that do not say it.")
@click.option("--machine", help="Where they were taken, if no file says so.")
@click.option("--commit", metavar="SHA", help="Hash or tag, if no file says so.")
@click.option("--suite", default="imported", help="What such runs are called.")
@file_options("--format")
@click.pass_context
def add(
    ctx: click.Context, /, files: Sequence[str], where: str, **options: Any
) -> None:
    """Add run reports, or the measurements of foreign files, to a store.

    Run reports, as `scalewatch-agent run --out` writes them, are added as they are; of
    other files runs are made as by `scalewatch import`. What is there already is not
    added again. Jobs may add at once.
    """
    store = Store.at(where)
    if options["project"] is None:
        reports, wrong = reports_of(files)
        tell_faults(wrong)
        if not reports and wrong:
            ctx.exit(UNREADABLE)
        added = store.add(reports)
        _tell_added(added.runs, added.known, where)
        ctx.exit(UNREADABLE if wrong else 0)
    # Numpy takes longer than --help may.
    from scalewatch.cli.files.posting import Importing, Storing  # noqa: PLC0415
    from scalewatch.importers import read_in_parts  # noqa: PLC0415
    from scalewatch.services.files.imports import ImportOrigin  # noqa: PLC0415

    origin = ImportOrigin(
        options["project"],
        options["machine"],
        {"sha": options["commit"]} if options["commit"] else None,
        options["suite"],
        better_directions(options),
    )
    importing = Importing(origin, are_profiles=False)
    parts = read_in_parts(files, *read_terms(options))
    ctx.exit(importing.sent(parts, Storing(store), where))


def _tell_added(runs: int, known: int, where: str) -> None:
    before = f", {known} were there before" if known else ""
    click.echo(f"{runs} run{'s' * (runs != 1)} added to {where}{before}")


@command.command("check", epilog=EPILOG)
@store_option
@click.pass_context
def check(ctx: click.Context, /, where: str) -> None:
    """Read all of a store, and name each file and line that does not count."""
    wrong: list[StoreFault] = []
    files, runs = Store.at(where).check(wrong.append)
    tell_faults(wrong)
    click.echo(f"{runs} runs in {files} files of {where} can be read")
    ctx.exit(UNREADABLE if wrong else 0)


@command.command("compact", epilog=EPILOG)
@store_option
@click.option(
    "--before",
    type=click.DateTime(["%Y-%m-%d"]),
    required=True,
    help="Runs that ended before this day, in UTC.",
)
@click.option(
    "--keep",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Repetitions of each result, lowest and highest among them.",
)
def compact(*, where: str, before: datetime, keep: int) -> None:
    """Thin the repetitions of old runs, and begin a branch anew without its past.

    Whoever has cloned the branch fetches it again. Jobs that add meanwhile lose
    nothing.
    """
    moment = before.replace(tzinfo=UTC)
    thinned = Store.at(where).compact(moment, keep)
    noun = f"run{'s' * (thinned.runs != 1)}"
    click.echo(f"{thinned.runs} {noun} in {thinned.files} files of {where} thinned")


@command.command("post", epilog=EPILOG)
@store_option
@click.option("--project", help="Only its runs.")
@server_options
@click.pass_context
def post(
    ctx: click.Context,
    /,
    where: str,
    project: str | None,
    server: str,
    token: str | None,
) -> None:
    """Post the runs of a store to a server, oldest commits first."""
    from scalewatch.cli.files.posting import NotTaken, Posting  # noqa: PLC0415
    from scalewatch.services.stores.order import (  # noqa: PLC0415
        commits_in_order,
        only_project,
    )

    contents = Store.at(where).contents()
    if project is not None:
        contents = only_project(contents, project)
    wrong = [*contents.faults]
    with Posting.to(Remote(server, token)) as posting:
        try:
            for commit in commits_in_order(contents, contents.files):
                for _, runs in contents.runs(commit.files, wrong.append):
                    for run in runs:
                        posting.add_line(run.report.id, run.line)
            posting.end()
        except NotTaken as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(REFUSED)
    tell_faults(wrong)
    known = f", {posting.known} of them before" if posting.known else ""
    click.echo(f"{posting.runs} runs posted to {server}{known}")
    ctx.exit(UNREADABLE if wrong else 0)


PAGE: Final = 500
"""Runs of one answer of a server."""


@command.command("take", epilog=EPILOG)
@store_option
@click.option("--project", required=True, help="Whose runs and decisions are taken.")
@server_options
def take(*, where: str, project: str, server: str, token: str | None) -> None:
    """Take the runs of a server's project, and what people decided, into a store."""
    remote = Remote(server, token)
    store = Store.at(where)
    added = store.add(_posted(remote, project))
    _tell_added(added.runs, added.known, where)
    decided = store.decide(list(_decided(remote, project)))
    if decided:
        click.echo(f"{decided} decisions on regressions added")


def _posted(remote: Remote, project: str) -> Iterator[bytes]:
    """Yield the runs of a project as they were posted, in the order of arrival."""
    cursor: str | None = "0"
    while cursor is not None:
        reply = remote.get(
            f"projects/{segment(project)}/runs", after=cursor, limit=str(PAGE)
        )
        if not reply.is_good:
            raise Unreachable(f"{remote.server}: {reply.reason}")
        for text in reply.content["runs"]:
            yield text.encode()
        cursor = reply.content["next"]


def _decided(remote: Remote, project: str) -> Iterable[Decision]:
    """Yield what people said of regressions: states, owners, notes and links."""
    base = f"projects/{segment(project)}/regressions"
    listed = remote.get(base)
    for row in listed.content.get("regressions", ()):
        whole = remote.get(f"{base}/{row['id']}").content
        is_decided = whole.get("state") in {"acknowledged", "expected"}
        people = [
            event
            for event in whole.get("events", ())
            if event["action"] in {"noted", "owner", "link"} or "→" in event["action"]
        ]
        if not people or not (is_decided or whole["owner"] or whole["link"]):
            continue
        last = people[-1]
        notes = [event["note"] for event in people if event["note"]]
        yield Decision(
            project=project,
            first=whole["first"]["sha"],
            kind=whole["kind"],
            regions=tuple(dict.fromkeys(m["region"] for m in whole["members"])),
            state=whole["state"] if is_decided else None,
            owner=whole["owner"],
            note=notes[-1] if notes else None,
            link=whole["link"],
            author=last["actor"],
            at=decisions.moment(last["at"]),
        )
