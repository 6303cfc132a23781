"""What the base install brings is enough for commands about files."""

import subprocess
from pathlib import Path

from scalewatch.errors.operations import pip_install
from support.base_install import base_install
from support.live import serving

ORIGIN = ("--project", "code", "--machine", "jureca", "--commit", "v1.2")

MEASURED = "p,time\n4,1.0\n8,2.1\n16,4.0\n32,8.1\n64,16.0\n"


def test_files_are_modelled_with_the_packages_of_the_base_install(tmp_path: Path):
    file = tmp_path / "measured.csv"
    file.write_text(MEASURED)

    command = [*base_install(), "model", str(file), "--expect", "O(p)"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "match" in done.stdout


def test_files_are_posted_with_the_packages_of_the_base_install(tmp_path: Path, app):
    file = tmp_path / "measured.csv"
    file.write_text(MEASURED)

    with serving(app) as address:
        command = [*base_install(), "import", str(file), *ORIGIN]
        done = subprocess.run(
            [*command, "--server", address], capture_output=True, text=True, check=False
        )

    assert done.returncode == 0, done.stderr
    assert "5 runs with 5 results" in done.stdout


def test_a_command_of_the_server_says_which_extra_it_lacks():
    command = [*base_install(), "serve"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert pip_install("server") in done.stderr
