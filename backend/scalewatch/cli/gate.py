"""`scalewatch gate`: may this commit pass."""

import json
import time
from collections.abc import Mapping
from typing import Any, Final

import click

from scalewatch.cli.remote import Remote, Reply, Unreachable, segment, server_options
from scalewatch.exporters.gates import gate_junit, gate_markdown, gate_text

EXITS: Final = {"fine": 0, "worse": 1, "undecided": 2, "pending": 3}
UNKNOWN: Final = 3
"""Exit code where nobody can tell: no server, no such commit, no verdict in time."""

PAUSE: Final = 1.0

EPILOG: Final = """
\b
Exit codes:
  0  nothing scales worse
  1  something scales worse
  2  undecided: too few measurements, or one job alone says worse
  3  could not tell: no server, no such commit, no verdict in time
\b
Examples:
  scalewatch gate --project hydro --commit "$(git rev-parse HEAD)"
  scalewatch gate --project hydro --commit "$SHA" --baseline v1.2 --format junit
"""


@click.command("gate", epilog=EPILOG)
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
    "--format",
    "wanted",
    type=click.Choice(["text", "markdown", "json", "junit"]),
    default="text",
    show_default=True,
)
@server_options
def command(  # noqa: PLR0913, one per option
    *,
    project: str,
    commit: str,
    baseline: str | None,
    wait: float,
    wanted: str,
    server: str,
    token: str | None,
) -> None:
    """Tell a CI job whether a commit scales worse than its baseline."""
    remote = Remote(server, token)
    deadline = time.monotonic() + wait
    reply = ask(remote, project, commit, baseline, deadline)
    if not reply.is_good:
        click.echo(f"Error: {reply.reason}", err=True)
        raise SystemExit(UNKNOWN)
    click.echo(_written(reply.content, wanted))
    if reply.content["outcome"] == "pending":
        click.echo(f"Error: no verdict within {wait:g} s", err=True)
    raise SystemExit(EXITS[reply.content["outcome"]])


def ask(
    remote: Remote, project: str, commit: str, baseline: str | None, deadline: float
) -> Reply:
    """Ask until the analysis is finished; a commit may still be on its way."""
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
        time.sleep(min(PAUSE, left))


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
