"""`scalewatch gate`: may this commit pass."""

import json
import time
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

import click

from scalewatch.cli.ci.forges import NotReported, report
from scalewatch.cli.ci.remote import Remote, Reply, Unreachable, segment, server_options
from scalewatch.exporters.gates import gate_junit, gate_markdown, gate_text

EXITS: Final = {"fine": 0, "worse": 1, "undecided": 2, "pending": 3}
UNKNOWN: Final = 3
"""Exit code where nobody can tell: no server, no such commit, no verdict in time."""

NOT_FOUND: Final = 404
PAUSE: Final = 1.0

EPILOG: Final = """
\b
Exit codes:
  0  nothing is worse
  1  something scales worse, or costs more at the same growth
  2  undecided: not or not enough measured, no baseline, or one job alone says worse
  3  could not tell: no server, no such commit, no such option, no verdict in time
\b
Examples:
  scalewatch gate --project hydro --commit "$(git rev-parse HEAD)"
  scalewatch gate --project hydro --commit "$SHA" --baseline v1.2 --format junit
  scalewatch gate --project hydro --commit "$SHA" --report github
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


@click.command("gate", cls=Gate, epilog=EPILOG)
@click.option("--project", required=True)
@click.option("--commit", required=True, help="Hash, its beginning, or tag.")
@click.option("--baseline", help="By default the merge base, or the parent.")
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
    help="Ask for another run where one job alone says worse; wait for it if an agent "
    "serves the machine.",
)
@click.option(
    "--format",
    "wanted",
    type=click.Choice(["text", "markdown", "json", "junit"]),
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
def command(  # noqa: PLR0913, one per option
    *,
    project: str,
    commit: str,
    baseline: str | None,
    wait: float,
    confirm: bool,
    wanted: str,
    forge: str | None,
    server: str,
    token: str | None,
) -> None:
    """Tell a CI job whether a commit scales worse, or costs more, than its baseline."""
    remote = Remote(server, token)
    deadline = time.monotonic() + wait
    reply = ask(remote, project, commit, baseline, deadline)
    if reply.is_good and reply.content["outcome"] == "undecided" and confirm:
        reply = _confirmed(remote, reply, baseline, deadline)
    if not reply.is_good:
        click.echo(f"Error: {reply.reason}", err=True)
        raise SystemExit(UNKNOWN)
    click.echo(_written(reply.content, wanted))
    if forge is not None:
        try:
            told = with_whole_hash(reply.content, commit)
            click.echo(f"{forge}: {report(forge, told, server)}", err=True)
        except NotReported as error:
            click.echo(f"Warning: {forge} was not told: {error}", err=True)
    if reply.content["outcome"] == "pending":
        click.echo(f"Error: no verdict within {wait:g} s", err=True)
    raise SystemExit(EXITS[reply.content["outcome"]])


def ask(
    remote: Remote, project: str, commit: str, baseline: str | None, deadline: float
) -> Reply:
    """Ask until the analysis is finished; a commit may still be on its way."""
    told = None
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
        is_lost = reply.status == NOT_FOUND and told is None
        if is_lost and (wrong := _unknown_project(remote, project)):
            return wrong
        why = reply.content["sentence"] if reply.is_good else reply.reason
        if why != told:
            click.echo(f"Waiting for up to {left:.0f} s: {why}", err=True)
            told = why
        time.sleep(min(PAUSE, left))


def with_whole_hash(gate: Mapping[str, Any], asked: str) -> Mapping[str, Any]:
    """Return a gate with the hash that was asked for, if runs abbreviated that.

    Forges want whole hashes.
    """
    known = gate["commit"]
    is_abbreviated = asked.startswith(known["sha"])
    return {**gate, "commit": {**known, "sha": asked}} if is_abbreviated else gate


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


def _confirmed(
    remote: Remote, reply: Reply, baseline: str | None, deadline: float
) -> Reply:
    """Ask for runs that confirm what is suspected, and wait for those on their way."""
    project, sha = reply.content["project"], reply.content["commit"]["sha"]
    if all(each["is_sure"] for each in reply.content["findings"]):
        return reply
    wish = {"commit": sha, "baseline": baseline}
    try:
        asked = remote.post(f"projects/{segment(project)}/confirmations", wish)
    except Unreachable as error:
        asked = Reply(503, {"detail": str(error)})
    if not asked.is_good:
        click.echo(f"No confirming run was asked for: {asked.reason}", err=True)
        return reply
    while True:
        reply = ask(remote, project, sha, baseline, deadline)
        left = deadline - time.monotonic()
        if left <= 0 or not (reply.is_good and _is_being_confirmed(reply.content)):
            return reply
        time.sleep(min(PAUSE, left))


def _is_being_confirmed(gate: Mapping[str, Any]) -> bool:
    """Tell whether an agent is about to settle what is suspected."""
    return gate["outcome"] == "undecided" and any(
        each["state"] == "running" or (each["state"] == "open" and each["is_attended"])
        for each in gate["confirmations"]
    )


def _written(gate: Mapping[str, Any], wanted: str) -> str:
    match wanted:
        case "json":
            return json.dumps(gate, indent=2, ensure_ascii=False)
        case "junit":
            return gate_junit(gate)
        case "markdown":
            return gate_markdown(gate)
        case _:
            return gate_text(gate)
