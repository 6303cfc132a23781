"""`scalewatch bisect`: find the commit since which something scales worse."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import click

from scalewatch.cli.ci.gate import EXITS, ask
from scalewatch.cli.remote import Remote, server_options

ANSWERS: Final = {"fine": "good", "worse": "bad"}
"""Outcomes of a gate in the words of git; every other one skips the commit."""

FOUND: Final = "is the first bad commit"
FIRST: Final = "refs/bisect/bad"
UNDECIDED: Final = EXITS["undecided"]
UNKNOWN: Final = EXITS["pending"]

EPILOG: Final = """
\b
The experiment should repeat each job at least twice (`repeats: 2`): what a single
job shows is a suspicion, and the commit is skipped; counts (`--count`) need one. Keep
its file outside of the checkout if older commits do not have it.
\b
Exit codes:
  0  the first bad commit is printed
  2  undecided: only skipped commits are left
  3  could not tell: no server, or the bad commit is not worse than the good one
\b
Example:
  scalewatch bisect --project hydro --good v1.2 --bad HEAD --experiment ../bcast.yaml
  scalewatch bisect --project hydro --good v1.2 --bad HEAD --count --experiment w.yaml
"""


@dataclass(frozen=True, slots=True)
class Bisection:
    """How a commit is measured and judged during a bisection.

    Parameters
    ----------
    command
        Of the agent: `run` or `count`.
    worse
        What the gate found at each commit that is worse, in words.
    """

    remote: Remote
    project: str
    good: str
    experiment: Path
    wait: float
    command: str
    worse: dict[str, list[str]] = field(default_factory=dict)

    def test(self, sha: str) -> str:
        """Measure what is checked out, and return what the gate says of it."""
        self.measure(sha)
        deadline = time.monotonic() + self.wait
        reply = ask(self.remote, self.project, sha, self.good, deadline)
        if not reply.is_good:
            click.echo(f"  {reply.reason}", err=True)
            return "pending"
        click.echo(f"  {reply.content['sentence']}", err=True)
        self.worse[sha] = [
            f"{finding['region']} ({finding['metric']}) on {finding['machine']}: "
            f"{finding['sentence']}"
            for finding in reply.content["findings"]
            if finding["is_sure"]
        ]
        return str(reply.content["outcome"])

    def measure(self, sha: str) -> None:
        """Run the experiment on what is checked out."""
        click.echo(f"{sha[:10]} {_git('log', '-1', '--format=%s')}", err=True)
        with tempfile.TemporaryDirectory(prefix="scalewatch-bisect-") as folder:
            command = [sys.executable, "-m", "scalewatch_agent", self.command]
            done = subprocess.run(  # noqa: S603, the command is ours
                [
                    *command,
                    str(self.experiment),
                    *("--folder", folder, "--server", self.remote.server, "--fresh"),
                ],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
        if done.returncode:
            last = done.stdout.strip().splitlines()[-1:] or ["no reason"]
            click.echo(f"  the experiment failed: {last[0]}", err=True)


@click.command("bisect", epilog=EPILOG)
@click.option("--project", required=True, help="As the experiment names it.")
@click.option("--good", required=True, metavar="SHA", help="Scaled as it should.")
@click.option("--bad", required=True, metavar="SHA", help="Scales worse.")
@click.option(
    "--experiment",
    required=True,
    type=click.Path(exists=True, dir_okay=False, resolve_path=True, path_type=Path),
    help="What `scalewatch-agent run` measures.",
)
@click.option("--count", is_flag=True, help="Count the work instead of running it.")
@click.option("--wait", type=float, default=600.0, show_default=True)
@server_options
def command(  # noqa: PLR0913, one per option
    *,
    project: str,
    good: str,
    bad: str,
    experiment: Path,
    count: bool,
    wait: float,
    server: str,
    token: str | None,
) -> None:
    """Drive `git bisect` with the verdict as test, in the present checkout.

    A commit is bad if something scales worse than at the good one, or costs more at the
    same growth; an undecided one is skipped.
    """
    if _git("status", "--porcelain", "--untracked-files=no"):
        raise click.ClickException("the checkout has changes: commit or stash them")
    good, bad = (_git("rev-parse", f"{name}^{{commit}}") for name in (good, bad))
    measured = "count" if count else "run"
    remote = Remote(server, token)
    bisection = Bisection(remote, project, good, experiment, wait, measured)
    with _bisecting():
        _git("checkout", "--quiet", good)
        bisection.measure(good)
        _git("checkout", "--quiet", bad)
        if (outcome := bisection.test(bad)) != "worse":
            click.echo(f"Error: {bad[:10]} is {outcome}, not worse", err=True)
            raise SystemExit(UNKNOWN)
        first = _first_bad(bisection, good, bad)
    if first is None:
        raise SystemExit(UNDECIDED)
    for finding in bisection.worse.get(first, ()):
        click.echo(f"  {finding}", err=True)
    click.echo(first)


def _first_bad(bisection: Bisection, good: str, bad: str) -> str | None:
    """Return the first bad commit, None where skipped ones hide it."""
    said = _git("bisect", "start", bad, good)
    while FOUND not in said:
        if "only 'skip'ped commits left" in said or "Bisecting" not in said:
            click.echo(said, err=True)
            return None
        sha = _git("rev-parse", "HEAD")
        outcome = bisection.test(sha)
        # Once only skipped commits are left, git says so and fails.
        said = _git("bisect", ANSWERS.get(outcome, "skip"), may_fail=True)
    return _git("rev-parse", FIRST)


@contextmanager
def _bisecting() -> Iterator[None]:
    """Return to what was checked out, whatever happens."""
    branch = _git("rev-parse", "--abbrev-ref", "HEAD")
    before = _git("rev-parse", "HEAD") if branch == "HEAD" else branch
    try:
        yield
    finally:
        _git("bisect", "reset", may_fail=True)
        _git("checkout", "--quiet", before)


def _git(*arguments: str, may_fail: bool = False) -> str:
    done = subprocess.run(  # noqa: S603, the command is ours
        ["git", *arguments],  # noqa: S607, the user's own git
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode and not may_fail:
        raise click.ClickException(f"git {arguments[0]}: {done.stderr.strip()}")
    return (done.stdout + (done.stderr if may_fail else "")).strip()
