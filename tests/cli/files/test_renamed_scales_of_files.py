"""Files by nodes, GPUs or threads give the answers of files by p, but for the word.

What runs cost follows from the meaning of a scale, and is left out: columns of hours,
and questions about them.
"""

import json
import re
from math import log2

import numpy as np
import pytest
from click.testing import CliRunner

from scalewatch.cli import main

SCALES = ("nodes", "gpus", "threads")
SIZES = (2, 4, 8, 16, 32)
WORDS = {
    "p": r"processes p|process(?:es)?|p",
    "nodes": r"nodes?",
    "gpus": r"gpus?",
    "threads": r"threads?",
}
GROWTHS = {
    "solve": lambda x, is_new: (40 / x + 0.2) * (1.6 if is_new else 1),
    "exchange": lambda x, is_new: (1 + log2(x)) * (x**0.5 if is_new else 1),
    "halo": lambda x, _: 1e-3 * x,
}


def table(scale, *, is_new):
    rows = [f"{scale},region,time"]
    for region, growth in GROWTHS.items():
        for size in SIZES:
            draw = np.random.default_rng([*f"{region} {size} {is_new}".encode()])
            rows += [
                f"{size},{region},{growth(size, is_new) * draw.lognormal(0, 0.01)}"
                for _ in range(4)
            ]
    return "\n".join(rows) + "\n"


@pytest.fixture
def answer(tmp_path, monkeypatch):
    """Return a function that runs a command on the files of a scale, in plain words."""

    def answer(scale, *arguments):
        folder = tmp_path / scale
        folder.mkdir(exist_ok=True)
        for commit, is_new in (("1111111", False), ("2222222", True)):
            (folder / f"{commit}.csv").write_text(table(scale, is_new=is_new))
        monkeypatch.chdir(folder)
        stated = [each.replace("@", scale) for each in arguments]
        done = CliRunner().invoke(main, stated)
        assert done.exit_code in {0, 1, 5}, done.output
        if "--json" in arguments:
            lines = map(json.loads, done.stdout.splitlines())
            return done.exit_code, [uncosted(line, scale) for line in lines]
        return done.exit_code, *map(plain(scale), (done.stdout, done.stderr))

    return answer


def plain(scale):
    def words(text):
        text = re.sub(
            rf"(?<![\w-])(?:{WORDS[scale]})(?![\w-])", "@", text, flags=re.IGNORECASE
        )
        return re.sub(r"[ ─-]+", " ", text)

    return words


def uncosted(value, scale):
    """Return JSON in plain words without costs, and with keys in no order."""
    if isinstance(value, dict):
        return {
            plain(scale)(key): uncosted(kept, scale)
            for key, kept in value.items()
            if key not in {"hours", "hours_unit", "questions", "next"}
        }
    if isinstance(value, list):
        return [uncosted(each, scale) for each in value]
    return plain(scale)(value) if isinstance(value, str) else value


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    "command",
    [
        ("model", "1111111.csv", "--formula"),
        ("model", "1111111.csv", "--formula", "--next"),
        ("model", "1111111.csv", "--json"),
        ("model", "2222222.csv", "--since", "1111111.csv"),
        ("model", "1111111.csv", "--formula", "--expect", "exchange=log @"),
        (
            "import",
            "1111111.csv",
            "--project",
            "neko",
            "--machine",
            "m",
            "--commit",
            "v1",
            "--dry-run",
        ),
        (
            *("gate", ".", "--path", "{commit}.csv"),
            *("--commit", "2222222", "--baseline", "1111111"),
        ),
    ],
    ids=" ".join,
)
def test_a_scale_of_another_name_gives_the_same_answer(answer, scale, command):
    assert answer(scale, *command) == answer("p", *command)
