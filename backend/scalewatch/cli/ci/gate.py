"""`scalewatch gate`: may this commit pass."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click

from scalewatch.cli.ci.forges import NotReported, report
from scalewatch.cli.ci.waiting import ask, confirmed
from scalewatch.cli.files.option_types import (
    ColumnMapping,
    StatedGrowth,
    columns_by_meaning,
)
from scalewatch.cli.files.options import (
    better_directions,
    setting_options,
    setting_rules,
)
from scalewatch.cli.project_file import stated_here
from scalewatch.cli.remote import Remote, server_options
from scalewatch.errors import ScalewatchError
from scalewatch.exporters.gates import gate_junit, gate_markdown, gate_text
from scalewatch.importers.formats import FORMATS

EXITS: Final = {"fine": 0, "worse": 1, "undecided": 2, "pending": 3}
UNKNOWN: Final = 3
"""Exit code where nobody can tell: no server, no such commit, no verdict in time."""

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
as asv's results do, the newest beside the one before it.
\b
Examples:
  scalewatch gate --project hydro --commit "$(git rev-parse HEAD)"
  scalewatch gate --project hydro --commit "$SHA" --baseline v1.2 --format junit
  scalewatch gate --project hydro --commit "$SHA" --report github
  scalewatch gate new.txt --baseline old.txt
  scalewatch gate logs/ --path 'p{p}/{**}' --expect 'MPI_Bcast=O(log p)'
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
@click.option(
    "--file-format",
    type=click.Choice(FORMATS),
    default="auto",
    help="Format of the files; auto looks at their content.",
)
@click.option(
    "--column",
    "columns",
    type=ColumnMapping(),
    multiple=True,
    help="Meaning of a table's column, as for `scalewatch model`.",
)
@setting_options
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
    click.echo(_written(reply.content, options["wanted"]))
    if (forge := options["forge"]) is not None:
        try:
            outcome = with_whole_hash(reply.content, commit)
            answer = report(forge, outcome, options["server"])
            click.echo(f"{forge}: {answer}", err=True)
        except NotReported as error:
            click.echo(f"Warning: {forge} was not told: {error}", err=True)
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
    from scalewatch.cli.files.gating import Reader, gate_files  # noqa: PLC0415
    from scalewatch.services.files.model_files import Question  # noqa: PLC0415

    if options["forge"] is not None:
        raise click.UsageError("--report tells what a server answers, not of files")
    columns = columns_by_meaning(options["columns"])
    question = Question(
        expectations=options["expectations"],
        deviation_limits=options["deviation_limits"],
        better=better_directions(options),
    )
    try:
        answer = gate_files(
            files,
            Reader(options["file_format"], columns, setting_rules(options)),
            question,
            stated=stated_here(),
            commit=commit,
            baseline=baseline,
        )
    except ScalewatchError as error:
        click.echo(f"Error: {error}", err=True)
        return UNKNOWN
    click.echo(_written(answer.content, options["wanted"]))
    outcome = answer.content["outcome"]
    return EXITS[outcome] if answer.is_whole or outcome == "worse" else UNKNOWN


def with_whole_hash(gate: Mapping[str, Any], commit: str) -> Mapping[str, Any]:
    """Return a gate with the hash that was asked for, if runs abbreviated that.

    Forges want whole hashes.
    """
    known = gate["commit"]
    is_abbreviated = commit.startswith(known["sha"])
    return {**gate, "commit": {**known, "sha": commit}} if is_abbreviated else gate


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
