"""`scalewatch gate`: may this commit pass."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from typing import Any, Final

import click

from scalewatch.cli.ci.forges import NotReported, report
from scalewatch.cli.deferred import loaded
from scalewatch.cli.files.options import (
    StatedGrowth,
    better_directions,
    file_options,
    read_terms,
)
from scalewatch.cli.project_file import stated_here
from scalewatch.cli.remote import Remote, Reply, Unreachable, segment, server_options
from scalewatch.errors import ScalewatchError
from scalewatch.exporters.gates import gate_junit, gate_markdown, gate_text

EXITS: Final = {"fine": 0, "worse": 1, "undecided": 2, "pending": 3}
UNKNOWN: Final = 3
"""Exit code where nobody can tell: no server, no such commit, no verdict in time."""

NOT_FOUND: Final = 404
PAUSE: Final = 1.0
"""Seconds between two questions to a server that has no answer yet."""

WRITERS: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "text": gate_text,
    "markdown": gate_markdown,
    "json": partial(json.dumps, indent=2, ensure_ascii=False),
    "junit": gate_junit,
}

EPILOG: Final = """
\b
Exit codes:
  0  nothing is worse
  1  something scales worse, or costs more at the same growth
  2  undecided: not or not enough measured, no baseline, or worse in a single job only
  3  could not tell: no server, no such commit, no such option, no verdict in time
\b
Files are judged here, without a server: beside what is expected, in options or in
scalewatch.toml, and beside an earlier version; of a folder that tells of many commits,
as asv's results do, the newest beside its parent or, where parents are unknown, beside
the one before it in time; what has one setting beside the 20 commits before, too, so
that no spike stops anybody.
\b
Examples:
  scalewatch gate --project hydro --commit "$(git rev-parse HEAD)"
  scalewatch gate --project hydro --commit "$SHA" --baseline v1.2 --format junit
  scalewatch gate --project hydro --commit "$SHA" --report github
  scalewatch gate new.txt --baseline old.txt
  scalewatch gate logs/ --path 'p{p}/{**}' --expect 'MPI_Bcast=O(log p)'
  scalewatch gate --store branch:scalewatch-results@origin --also runs.jsonl
  scalewatch gate results/ --commit 1a2b3c4d --baseline 0f1e2d3c
"""


class Gate(click.Command):
    """A command whose input may be wrong without that being an answer."""

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        """Read the options; what cannot be read is no verdict `undecided`."""
        try:
            return super().make_context(*args, **kwargs)
        except click.UsageError as error:
            error.show()
            raise SystemExit(UNKNOWN) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Answer; what options or files mean may turn out to be wrong only now."""
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            error.show()
            raise SystemExit(UNKNOWN) from error


@click.command("gate", cls=Gate, epilog=EPILOG)
@click.argument("files", nargs=-1, metavar="[FILE…]")
@click.option("--project", help="On a server; of files not needed.")
@click.option(
    "--commit",
    help="Hash, its beginning, or tag; of files the newest that they tell of.",
)
@click.option(
    "--baseline",
    help="By default the merge base, or the parent; of files an earlier version, or a "
    "commit that they tell of.",
)
@click.option(
    "--expect",
    "expectations",
    type=StatedGrowth(),
    multiple=True,
    help="Of files: growth that regions should have, as for `scalewatch model`.",
)
@click.option(
    "--deviation",
    "deviation_limits",
    type=StatedGrowth(),
    multiple=True,
    help="Of files: deviation that is still acceptable.",
)
@file_options("--file-format")
@click.option(
    "--store",
    "where",
    metavar="WHERE",
    help="Answer with the history of a store: DIR, or branch:NAME[@REMOTE]; project "
    "and commit are those of the checkout unless given.",
)
@click.option(
    "--also",
    multiple=True,
    metavar="FILE",
    help="With --store: run reports that are not in it, as those of a pull request.",
)
@click.option(
    "--site",
    metavar="URL",
    help="With --store and --report: address of the site with this commit, for links.",
)
@click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=600.0,
    show_default=True,
    help="Seconds to wait for the analysis.",
)
@click.option(
    "--confirm/--no-confirm",
    default=True,
    show_default=True,
    help="Ask for another run where a single job is worse; wait for it if an agent "
    "serves the machine.",
)
@click.option(
    "--format",
    "wanted",
    type=click.Choice(list(WRITERS)),
    default="text",
    show_default=True,
)
@click.option(
    "--report",
    "forge",
    type=click.Choice(["github", "gitlab"]),
    help="Also set the commit's status, and comment on the pull or merge request; by "
    "GITHUB_TOKEN or GITLAB_TOKEN and the other variables of a CI job.",
)
@server_options
def command(
    *,
    files: Sequence[str],
    project: str | None,
    commit: str | None,
    baseline: str | None,
    **options: Any,
) -> None:
    """Tell a CI job whether a commit, or files, scale worse or cost more."""
    if files:
        raise SystemExit(_judge_files(files, commit, baseline, options))
    if options["where"]:
        raise SystemExit(_judge_store(project, commit, baseline, options))
    if project is None or commit is None:
        missing = "--project" if project is None else "--commit"
        raise click.UsageError(f"Missing option '{missing}', or files to be judged.")
    remote = Remote(options["server"], options["token"])
    deadline = time.monotonic() + options["wait"]
    reply = ask(remote, project, commit, baseline, deadline)
    is_open = reply.is_good and reply.content["outcome"] == "undecided"
    if is_open and options["confirm"]:
        reply = confirmed(remote, reply, baseline, deadline)
    if not reply.is_good:
        click.echo(f"Error: {reply.reason}", err=True)
        raise SystemExit(UNKNOWN)
    click.echo(WRITERS[options["wanted"]](reply.content))
    _tell_forge(options["forge"], reply.content, commit, server=options["server"])
    if reply.content["outcome"] == "pending":
        click.echo(f"Error: no verdict within {options['wait']:g} s", err=True)
    raise SystemExit(EXITS[reply.content["outcome"]])


def _judge_files(
    files: Sequence[str],
    commit: str | None,
    baseline: str | None,
    options: Mapping[str, Any],
) -> int:
    """Print the answer about files and return the exit code."""
    # Numpy takes longer than --help may.
    from scalewatch.cli.files.gating import gate_files  # noqa: PLC0415
    from scalewatch.services.files.model_files import Question  # noqa: PLC0415

    if options["forge"] is not None:
        raise click.UsageError("--report tells what a server answers, not of files")
    question = Question(
        expectations=options["expectations"],
        deviation_limits=options["deviation_limits"],
        better=better_directions(options),
    )
    try:
        answer = gate_files(
            files,
            read_terms(options),
            question,
            stated=stated_here(),
            commit=commit,
            baseline=baseline,
        )
    except ScalewatchError as error:
        click.echo(f"Error: {error}", err=True)
        return UNKNOWN
    click.echo(WRITERS[options["wanted"]](answer.content))
    outcome = answer.content["outcome"]
    return EXITS[outcome] if answer.is_whole or outcome == "worse" else UNKNOWN


def _judge_store(
    project: str | None,
    commit: str | None,
    baseline: str | None,
    options: Mapping[str, Any],
) -> int:
    """Print the answer from a store and return the exit code."""
    from scalewatch.cli.files.stored import reports_of, tell_faults  # noqa: PLC0415
    from scalewatch.stores.store import Store  # noqa: PLC0415

    also, wrong = reports_of(options["also"])
    try:
        filling = loaded("scalewatch.cli.stores.filling", "gate --store", "server")
        content, came = filling.gate_content(
            Store.at(options["where"]), also, project, commit, baseline
        )
    except ScalewatchError as error:
        click.echo(f"Error: {error}", err=True)
        return UNKNOWN
    faults = [*wrong, *came.faults]
    tell_faults(faults)
    click.echo(WRITERS[options["wanted"]](content))
    _tell_forge(options["forge"], content, commit, site=options["site"])
    outcome = content["outcome"]
    return EXITS[outcome] if not faults or outcome == "worse" else UNKNOWN


def _tell_forge(
    forge: str | None,
    content: Mapping[str, Any],
    commit: str | None,
    *,
    server: str | None = None,
    site: str | None = None,
) -> None:
    """Report an answer to a forge, where one is named."""
    if forge is None:
        return
    try:
        outcome = with_whole_hash(content, commit or content["commit"]["sha"])
        click.echo(f"{forge}: {report(forge, outcome, server, site)}", err=True)
    except NotReported as error:
        click.echo(f"Warning: {forge} is unknown: {error}", err=True)


def with_whole_hash(gate: Mapping[str, Any], commit: str) -> Mapping[str, Any]:
    """Return a gate with the hash that was asked for, if runs abbreviated that.

    Forges want whole hashes.
    """
    known = gate["commit"]
    is_abbreviated = commit.startswith(known["sha"])
    return {**gate, "commit": {**known, "sha": commit}} if is_abbreviated else gate


def ask(
    remote: Remote, project: str, commit: str, baseline: str | None, deadline: float
) -> Reply:
    """Ask until the analysis is finished; a commit may still be on its way."""
    last_reason = None
    while True:
        try:
            reply = remote.get(
                f"projects/{segment(project)}/gate", commit=commit, baseline=baseline
            )
        except Unreachable as error:
            reply = Reply(503, {"detail": str(error)})
        is_open = reply.status in {404, 429} or reply.status >= 500
        if reply.is_good:
            is_open = reply.content.get("outcome") == "pending"
        left = deadline - time.monotonic()
        if not is_open or left <= 0:
            return reply
        is_lost = reply.status == NOT_FOUND and last_reason is None
        if is_lost and (wrong := _unknown_project(remote, project)):
            return wrong
        why = reply.content["sentence"] if reply.is_good else reply.reason
        if why != last_reason:
            click.echo(f"Waiting for up to {left:.0f} s: {why}", err=True)
            last_reason = why
        time.sleep(min(PAUSE, left))


def confirmed(
    remote: Remote, reply: Reply, baseline: str | None, deadline: float
) -> Reply:
    """Ask for runs that confirm what is suspected, and wait for those on their way."""
    project, sha = reply.content["project"], reply.content["commit"]["sha"]
    if all(each["is_sure"] for each in reply.content["findings"]):
        return reply
    wish = {"commit": sha, "baseline": baseline}
    try:
        request = remote.post(f"projects/{segment(project)}/confirmations", wish)
    except Unreachable as error:
        request = Reply(503, {"detail": str(error)})
    if not request.is_good:
        click.echo(f"No confirming run was asked for: {request.reason}", err=True)
        return reply
    while True:
        reply = ask(remote, project, sha, baseline, deadline)
        left = deadline - time.monotonic()
        if left <= 0 or not reply.is_good or reply.content["outcome"] != "undecided":
            return reply
        is_settled_soon = any(
            each["state"] == "running"
            or (each["state"] == "open" and each["is_attended"])
            for each in reply.content["confirmations"]
        )
        if not is_settled_soon:
            return reply
        time.sleep(min(PAUSE, left))


def _unknown_project(remote: Remote, project: str) -> Reply | None:
    """Return that there is no such project, with the one that may be meant."""
    try:
        reply = remote.get(f"projects/{segment(project)}/commits", limit="1")
        listed = remote.get("projects").content
    except Unreachable:
        return None
    if reply.status != NOT_FOUND:
        return None
    known = [each["name"] for each in listed.get("projects", ())]
    meant = get_close_matches(project, known, n=1)
    hint = f"; is {meant[0]!r} meant?" if meant else ""
    return Reply(NOT_FOUND, {"detail": f"{reply.reason}{hint}"})
