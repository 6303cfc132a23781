"""Integer sort of the NAS benchmarks, whose source the example fetches from Debian."""

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from scalewatch.cli import main as scalewatch
from scalewatch_agent.cli import main
from support.simgrid import SWITCH, needs_simgrid

EXAMPLE = Path(__file__).parents[3] / "examples" / "nas"
KEYS = 2**16
BUCKETS = 2**9
"""Of class S, the smallest."""

ROUNDS = 11
"""Rankings: ten, and one before that is not timed."""

CANNOT_FETCH = 3


def fetched(folder, *words):
    command = ["sh", str(EXAMPLE / "source.sh"), *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture
def source(tmp_path):
    """The source, where apt can have it."""
    folder = tmp_path / "source"
    folder.mkdir()
    done = fetched(folder, "simgrid", "examples/smpi/NAS")
    if done.returncode == CANNOT_FETCH:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    return folder


@needs_simgrid
def test_keys_are_shared_and_buckets_are_every_process_s_own_work(folder, source):
    out = folder / "runs.jsonl"
    path = folder / "is.yaml"
    text = (EXAMPLE / "is.yaml").read_text().replace("to: 64", "to: 32")
    text = re.sub("class: W .*", "class: S", text)
    text = text.replace("platform: torus", f"platform: {SWITCH}")
    # What was fetched once will do, but for the step that fetches.
    path.write_text(
        text.replace(
            "sh {experiment}/source.sh simgrid examples/smpi/NAS",
            f"cp -r {source}/examples .",
        )
    )

    words = ["count", str(path), "--folder", str(folder / "jobs"), "--out", str(out)]
    done = CliRunner().invoke(main, words)

    assert done.exit_code == 0, done.output
    stated = tomllib.loads((EXAMPLE / "scalewatch.toml").read_text())["expectations"]
    expected = [
        word
        for region, each in stated.items()
        for word in ("--expect", f"{region}={each['growth']}")
    ]
    told = CliRunner().invoke(scalewatch, ["model", str(out), "--json", *expected])
    models = {
        each["region"]: (each["model"]["formula"], each["verdict"])
        for each in map(json.loads, filter(None, told.stdout.splitlines()))
        if each["region"] in stated
    }
    shared = (str(ROUNDS * KEYS), "match")
    assert models == {
        "create_seq › loop 1": (str(KEYS), "match"),
        "full_verify › loop 1": (str(KEYS), "match"),
        "rank › loop 3": shared,
        "rank › loop 5": shared,
        "rank › loop 13": shared,
        "rank › loop 1": (f"{ROUNDS * (BUCKETS + 5)}*p", "mismatch"),
        "rank › loop 4": (f"{ROUNDS * (BUCKETS - 1)}*p", "mismatch"),
        "rank › loop 6": (f"{ROUNDS * BUCKETS}*p", "mismatch"),
        "rank › MPI_Alltoallv": (f"{ROUNDS}*p", "match"),
    }


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="no apt-get here")
def test_source_that_no_package_has_is_told(tmp_path):
    done = fetched(tmp_path, "no-package-has-this-name", "examples")

    assert done.returncode == CANNOT_FETCH
    assert "error: apt-get has no source of no-package-has-this-name" in done.stderr


def test_without_apt_nothing_is_fetched(tmp_path):
    command = [shutil.which("sh"), str(EXAMPLE / "source.sh"), "simgrid", "examples"]

    done = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == CANNOT_FETCH
    assert "comes from Debian, and there is no apt-get here" in done.stderr
