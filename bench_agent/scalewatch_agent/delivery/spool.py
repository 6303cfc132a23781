"""Runs that are not delivered yet: one file each, written whole or not at all.

A file holds the server that the run is meant for, and the run as it will be posted.
Runs that the server refuses lie apart, each beside the server's problem document.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self
from uuid import UUID

from scalewatch.private_files import write_whole
from scalewatch.wire import RunReport
from scalewatch_agent import errors, folders


@dataclass(frozen=True, slots=True)
class SpooledRun:
    """A run in the spool, as its file holds it."""

    path: Path
    server: str
    spooled_at: datetime
    run: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Return the entry in the file at `path`.

        Raises
        ------
        UnreadableEntry
            If the file does not hold one.
        """
        try:
            content = json.loads(path.read_text())
            run = dict(content["run"])
            UUID(run["id"])
            moment = datetime.fromisoformat(content["spooled_at"])
            return cls(path, str(content["server"]), moment, run)
        except OSError as error:
            raise errors.UnreadableEntry(path, error.strerror or str(error)) from error
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise errors.UnreadableEntry(
                path, f"{type(error).__name__}: {error}"
            ) from error

    @property
    def id(self) -> str:
        """The run's id."""
        return str(self.run["id"])

    @property
    def body(self) -> bytes:
        """The run as it is posted: the same bytes each time."""
        return json.dumps(self.run, separators=(",", ":")).encode()

    @property
    def problem(self) -> dict[str, Any] | None:
        """The reason for which the server refused the run, if it did."""
        try:
            problem: dict[str, Any] = json.loads(_problem_path(self.path).read_text())
        except (OSError, ValueError, RecursionError):
            return None
        return problem


class Spool:
    """The folder that holds the runs until they are delivered.

    Raises
    ------
    FolderUnwritable
        If it cannot be created or written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folders.private_folder(folder)
        self.rejected = folders.private_folder(folder / "rejected")

    def entry(self, report: RunReport, server: str) -> SpooledRun:
        """Return the entry of a run, not yet on disk."""
        run = report.model_dump(mode="json", by_alias=True, exclude_none=True)
        path = self.folder / f"{report.id}.json"
        return SpooledRun(path, server, datetime.now(UTC), run)

    def put(self, entry: SpooledRun) -> None:
        """Write a run to disk, so that not even a power failure loses it.

        Raises
        ------
        FolderUnwritable
            If the disk is full, for example.
        """
        content = {
            "server": entry.server,
            "spooled_at": entry.spooled_at.isoformat(),
            "run": entry.run,
        }
        try:
            write_whole(entry.path, json.dumps(content).encode())
        except OSError as error:
            raise errors.FolderUnwritable(
                self.folder, error.strerror or str(error)
            ) from error

    def keep(self, entry: SpooledRun) -> None:
        """Write a run that is not on disk, since the disk was full before.

        Raises
        ------
        FolderUnwritable
            If it still is.
        """
        if not entry.path.exists():
            self.put(entry)

    def pending(self) -> Iterator[Path]:
        """Yield the files of runs still to be delivered, the oldest first."""
        yield from _oldest_first(self.folder)

    def refused(self) -> Iterator[Path]:
        """Yield the files of runs that the server refused, the oldest first."""
        yield from _oldest_first(self.rejected)

    def remove(self, entry: SpooledRun) -> None:
        """Forget a run that is delivered or no longer wanted."""
        entry.path.unlink(missing_ok=True)
        _problem_path(entry.path).unlink(missing_ok=True)

    def reject(self, entry: SpooledRun, problem: dict[str, Any]) -> Path:
        """Put a refused run aside, with what the server says of it."""
        self.keep(entry)
        path = self.rejected / entry.path.name
        write_whole(_problem_path(path), json.dumps(problem, indent=2).encode())
        entry.path.replace(path)
        return path


def _problem_path(path: Path) -> Path:
    return path.with_suffix(".problem")


def _oldest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"), key=lambda path: (_modified(path), path.name))


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:  # another agent has just delivered it
        return 0
