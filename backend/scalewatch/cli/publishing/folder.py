"""The folder of a site: its files are listed, and those of earlier sites removed."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from scalewatch.errors import ScalewatchError

LISTED: Final = "scalewatch-site.json"
"""File that says that a folder is a site, and lists its files."""

_NAME: Final = re.compile(r"[a-z0-9_][a-z0-9._-]*")


class NoFolderForSite(ScalewatchError):
    """The folder cannot hold a site, or holds something else."""

    def __init__(self, folder: Path, reason: str) -> None:
        self.folder = folder
        self.reason = reason
        super().__init__(f"no site can be written to {folder}: {reason}")


@dataclass(slots=True)
class SiteFolder:
    """The folder that a site is written to; use as a context.

    Parameters
    ----------
    written
        Sizes of the files of the site, in bytes.
    changed
        How many of them were not there before, or differed.
    """

    folder: Path
    written: dict[str, int] = field(default_factory=dict)
    changed: int = 0
    _before: frozenset[str] = frozenset()

    @classmethod
    def at(cls, folder: Path) -> Self:
        """Return a folder that is new, empty, or holds a site.

        Raises
        ------
        NoFolderForSite
            If it holds anything else, or cannot be written.
        """
        try:
            listed = folder / LISTED
            if listed.is_file():
                return cls(folder, _before=_listed(listed))
            if folder.exists() and any(folder.iterdir()):
                reason = (
                    "it holds other files, and no site; choose a new folder or an "
                    "empty one"
                )
                raise NoFolderForSite(folder, reason)
        except (OSError, ValueError) as error:
            raise NoFolderForSite(folder, _reason(error)) from error
        return cls(folder)

    def write(self, name: str, content: bytes) -> None:
        """Write a file; one that is there already stays as it is.

        Raises
        ------
        NoFolderForSite
            If it cannot be written, for instance since the disk is full.
        """
        path = self.folder / name
        try:
            self._begin()
            if not path.is_file() or path.read_bytes() != content:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                self.changed += 1
        except OSError as error:
            raise NoFolderForSite(self.folder, f"{name}: {_reason(error)}") from error
        self.written[name] = len(content)

    def end(self) -> None:
        """Remove the files of the site before that this one does not have."""
        for name in sorted(self._before - self.written.keys()):
            path = self.folder / name
            path.unlink(missing_ok=True)
            for parent in path.relative_to(self.folder).parents[:-1]:
                if any((self.folder / parent).iterdir()):
                    break
                (self.folder / parent).rmdir()
        self._list(sorted(self.written))

    def _begin(self) -> None:
        """Say that the folder is a site, before its first file is there."""
        if not self.written:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._list(sorted(self._before))

    def _list(self, names: list[str]) -> None:
        content: Mapping[str, object] = {"site": 1, "files": names}
        text = json.dumps(content, indent=0) + "\n"
        (self.folder / LISTED).write_text(text, encoding="utf-8")


def _listed(file: Path) -> frozenset[str]:
    """Return the files of a site; names that no site has are not its own."""
    stated = json.loads(file.read_text("utf-8"))
    names = stated.get("files") if isinstance(stated, dict) else None
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise ValueError(LISTED)
    return frozenset(n for n in names if all(map(_NAME.fullmatch, n.split("/"))))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return f"{LISTED} in it cannot be read"
