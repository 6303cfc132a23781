"""Repositories of code under test."""

import subprocess
from pathlib import Path


def git(folder: Path, *arguments: str) -> str:
    """Run git as Ada; return what it says."""
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    return subprocess.run(
        ["git", *identity, *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.strip()
