"""Experiment files for `scalewatch-agent run`, and what their runs say."""

import yaml
from click.testing import CliRunner

from scalewatch_agent.cli import main

GOOD = "print('took 2.5 s')"
RULE = {"pattern": "took (.+) s", "region": "all", "unit": "s"}


def experiment(folder, code=GOOD, **fields):
    """Write an experiment whose program is Python code, and return its path."""
    (folder / "program.py").write_text(code)
    content = {
        "name": "sweep",
        "project": "code",
        "commit": "v1",
        "machine": "here",
        "parameters": {"p": [1, 2]},
        "repeats": 1,
        "execute": "{python} {experiment}/program.py {p}",
        "results": [RULE],
    } | fields
    path = folder / "sweep.yaml"
    path.write_text(yaml.safe_dump(content, sort_keys=False))
    return path


def run(path, server, *options):
    words = ["run", str(path), "--server", server, *options]
    return CliRunner().invoke(main, words)


def reasons(receiver):
    return [run["results"][0].get("reason") for run in receiver.runs]
