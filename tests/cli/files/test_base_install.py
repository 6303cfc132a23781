"""What the base install brings is enough for commands about files."""

import subprocess
import sys
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scalewatch.errors.installation import pip_install
from support.live import serving

ORIGIN = ("--project", "code", "--machine", "jureca", "--commit", "v1.2")

MEASURED = "p,time\n4,1.0\n8,2.1\n16,4.0\n32,8.1\n64,16.0\n"
BASE_ONLY = """
import sys

for package in sys.argv.pop(1).split(","):
    sys.modules[package] = None  # an import fails, as where it is not installed
from scalewatch.cli import main
main(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def base_install() -> list[str]:
    """The command where nothing but the base install brings packages."""
    brought, waiting = set(), ["scalewatch"]
    while waiting:
        name = waiting.pop()
        if name in brought:
            continue
        brought.add(name)
        waiting += [
            canonicalize_name(requirement.name)
            for requirement in map(Requirement, requires(name) or ())
            if not requirement.marker or requirement.marker.evaluate({"extra": ""})
        ]
    missing = {
        package
        for package, distributions in packages_distributions().items()
        if not brought & {canonicalize_name(name) for name in distributions}
    }
    return [sys.executable, "-c", BASE_ONLY, ",".join(missing)]


def test_files_are_modelled_with_the_packages_of_the_base_install(
    tmp_path: Path, base_install
):
    file = tmp_path / "measured.csv"
    file.write_text(MEASURED)

    command = [*base_install, "model", str(file), "--expect", "O(p)"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "match" in done.stdout


def test_files_are_posted_with_the_packages_of_the_base_install(
    tmp_path: Path, app, base_install
):
    file = tmp_path / "measured.csv"
    file.write_text(MEASURED)

    with serving(app) as address:
        command = [*base_install, "import", str(file), *ORIGIN]
        done = subprocess.run(
            [*command, "--server", address], capture_output=True, text=True, check=False
        )

    assert done.returncode == 0, done.stderr
    assert "5 runs with 5 results posted" in done.stdout


def test_a_command_of_the_server_says_which_extra_it_lacks(base_install):
    command = [*base_install, "serve"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert pip_install("server") in done.stderr
