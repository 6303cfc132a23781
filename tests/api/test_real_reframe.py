"""A real ReFrame posts to a real server, by the configuration that the docs show."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.live import ask, serving

DOCUMENT = Path(__file__).parents[2] / "docs" / "importing.md"
SITE = """
import os
site_configuration = {
    "systems": [{"name": "toy", "hostnames": [".*"], "partitions": [{"name": "all",
        "scheduler": "local", "launcher": "local", "environs": ["plain"]}]}],
    "environments": [{"name": "plain"}],
}
"""
CHECK = """
import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import *

@rfm.simple_test
class halo(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "echo"
    np = parameter([1, 2, 4], loggable=True)

    @run_before("run")
    def place(self):
        self.num_tasks = self.np
        self.executable_opts = [f"took {8 / self.np}"]

    @sanity_function
    def is_sound(self):
        return sn.assert_found("took", self.stdout)

    @performance_function("s")
    def step(self):
        return sn.extractsingle(r"took (\\S+)", self.stdout, 1, float)
"""


@pytest.fixture(scope="module")
def reframe(request, tmp_path_factory) -> str:
    """The program: SCALEWATCH_REFRAME, on PATH, or with --thorough installed."""
    known = os.environ.get("SCALEWATCH_REFRAME") or shutil.which("reframe")
    if known:
        return known
    if not request.config.getoption("--thorough"):
        pytest.skip("there is no ReFrame, which --thorough installs")
    folder = tmp_path_factory.mktemp("reframe")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install = [folder / "bin" / "pip", "install", "--quiet", "reframe-hpc"]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"ReFrame cannot be installed: {done.stderr.strip()[-200:]}")
    return str(folder / "bin" / "reframe")


def documented() -> str:
    """The lines of configuration that the docs show."""
    text = DOCUMENT.read_text("utf-8")
    (lines,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return lines


def test_documented_configuration_is_short():
    assert len(documented().splitlines()) <= 12


def test_real_reframe_posts_each_test_case(reframe, app, tmp_path):
    (tmp_path / "halo.py").write_text(CHECK)
    with serving(app) as address:
        lines = documented().replace("https://perf.example.org", address)
        (tmp_path / "settings.py").write_text(SITE + lines)
        environment = os.environ | {"CI_COMMIT_SHA": "a1b2", "SCALEWATCH_TOKEN": ""}
        command = [reframe, "-C", "settings.py", "-c", "halo.py", "-r"]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        shown = ask(f"{address}/api/v1/projects/halo/commits").json()

    assert done.returncode == 0, done.stdout + done.stderr
    assert "logging failed" not in done.stdout + done.stderr
    [commit] = shown["commits"]
    assert commit["sha"] == "a1b2"
    [machine] = commit["machines"]
    assert machine["name"] == "toy"
    assert [at["p"] for at in machine["coordinates"]] == [1, 2, 4]
