"""Programs for `scalewatch-agent count`, and what their runs say."""

import json
import shlex
import subprocess

from click.testing import CliRunner

from scalewatch_agent.cli import main
from scalewatch_agent.counts.gcov.gcov import FLAGS


def compiled(folder, *sources, flags=f"-O2 {FLAGS}", compiler="gcc", name="program"):
    """Compile sources in a folder, by default so that they count."""
    command = [compiler, *shlex.split(flags), "-o", name, *sources]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def count(folder, *words, settings=("n=4",), options=()):
    """Count a command; return how that ended, and its runs."""
    out = folder / "runs.jsonl"
    chosen = [word for setting in settings for word in ("--set", setting)]
    done = CliRunner().invoke(
        main,
        ["count", "--commit", "v1", "--out", str(out), *chosen, *options, "--", *words],
    )
    lines = out.read_text().splitlines() if out.exists() else []
    return done, [json.loads(line) for line in lines]


def counts(run, metric="count"):
    """Return the counts of a run by region."""
    return {
        result["region"]: result["values"][0]
        for result in run["results"]
        if result["metric"] == metric
    }


def reason(run):
    """Return why a run has counted nothing."""
    (result,) = run["results"]
    assert (result["status"], result["metric"]) == ("failed", "count")
    return result["reason"]


def counted(folder, source, *, n=4, name="program.c", compiler="gcc", flags=None):
    """Return the counts of one program at one setting."""
    (folder / name).write_text(source)
    compiled(folder, name, compiler=compiler, flags=flags or f"-O2 {FLAGS}")
    done, (run,) = count(folder, "./program", "{n}", settings=[f"n={n}"])
    assert done.exit_code == 0, done.output
    return counts(run)
