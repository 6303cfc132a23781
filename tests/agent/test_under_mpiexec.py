import subprocess
from pathlib import Path

import pytest

BODIES = Path(__file__).parent / "under_mpi"
WITHOUT_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Which bodies do not use, and each process would import."""


@pytest.mark.parametrize(
    "processes",
    [
        pytest.param(1, marks=pytest.mark.thorough),
        2,
        pytest.param(4, marks=pytest.mark.thorough),
    ],
)
def test_bodies_hold_on_every_communicator(processes, launcher):
    options = ["-q", "--no-header", "-p", "no:cacheprovider", f"--confcutdir={BODIES}"]

    done = subprocess.run(
        launcher.command(processes, "-m", "pytest", *options, str(BODIES)),
        env=launcher.environment(processes) | WITHOUT_PLUGINS,
        capture_output=True,
        check=False,
        text=True,
        timeout=500,
    )

    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]
    assert done.stdout.count(" passed") == processes
