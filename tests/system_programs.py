"""`make test` brings what tests need and PyPI lacks: browser, Slurm, compilers, …

What is on PATH is used. Else root installs the packages of Debian, where apt is there,
and Playwright fetches its own browser. What is missing after that, tests skip.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support import chromium, clang, simgrid, slurm_cluster

POLICY = Path("/usr/sbin/policy-rc.d")
"""What Debian's packages ask whether they may start their services."""

TOOLS = ("gfortran", "valgrind", "eztrace")
"""Programs whose packages of Debian have their names; each test says what it lacks."""

APT = ("apt-get", "-qq", "-o", "Acquire::http::Timeout=20")


def main() -> None:
    """Bring what is missing, and say what could not be brought."""
    packages = missing_packages()
    if not packages:
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        install(packages)
    if not chromium.is_there():
        fetch_browser()
    if not chromium.is_there():
        say(f"Tests of pages will be skipped; they need Chromium: {chromium.HOW}.")
    if missing := slurm_cluster.missing_programs():
        needed = ", ".join(missing)
        say(f"Tests of Slurm will be skipped; they need {needed}: {slurm_cluster.HOW}.")
    if missing := simgrid.missing_programs():
        needed = ", ".join(missing)
        say(f"Tests of simulation will be skipped; they need {needed}: {simgrid.HOW}.")
    if missing := [each for each in TOOLS if shutil.which(each) is None]:
        say(f"Some tests will be skipped: apt-get install {' '.join(missing)}.")


def missing_packages() -> list[str]:
    """Return the packages of Debian that have what is missing."""
    packages = [] if chromium.is_there() else [chromium.SHELL]
    if slurm_cluster.missing_programs():
        packages += ["slurm-wlm", "munge"]
    if simgrid.missing_programs():
        packages += ["libsimgrid-dev", "gcc"]
    if not clang.is_usable():
        packages += clang.PACKAGES
    return packages + [each for each in TOOLS if shutil.which(each) is None]


def install(packages: list[str]) -> None:
    """Install packages of Debian; what fails says why by itself."""
    say(f"Installing {', '.join(packages)} …")
    with daemons_left_alone():
        run(*APT, "update")
        run(*APT, "install", "-y", "--no-install-recommends", *packages)


def fetch_browser() -> None:
    """Let Playwright fetch a browser and, for root, the libraries that it needs."""
    say("Fetching Chromium by Playwright …")
    also = ["--with-deps"] if os.geteuid() == 0 and shutil.which("apt-get") else []
    run(sys.executable, "-m", "playwright", *chromium.FETCH, *also)


@contextmanager
def daemons_left_alone() -> Iterator[None]:
    """Let packages start no service: tests start daemons of their own."""
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink()


def run(*command: str) -> None:
    """Run a step, whose failure is no end: tests skip what is missing."""
    subprocess.run(
        command, env=os.environ | {"DEBIAN_FRONTEND": "noninteractive"}, check=False
    )


def say(sentence: str) -> None:
    print(sentence, flush=True)  # noqa: T201 - this is a command


if __name__ == "__main__":
    main()
