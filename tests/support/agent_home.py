"""A folder of an agent's own, with what all tests' agents have installed."""

import os
from collections.abc import Iterable
from pathlib import Path


def lend(home: Path, kept: Iterable[Path]) -> None:
    """Link folders into an agent's folder, those that this user may write to."""
    for folder in kept:
        if folder.is_dir() and os.access(folder, os.W_OK):
            (home / folder.name).symlink_to(folder)
