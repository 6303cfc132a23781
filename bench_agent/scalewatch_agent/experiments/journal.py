"""The journal of a sweep, by which the next one of the same experiment goes on.

One line of JSON per event, appended and synchronised; a line that an interruption cut
off is no event.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from scalewatch_agent.errors import FolderUnwritable

NAME: Final = "journal.jsonl"
BY: Final = "by --folder"


@dataclass(slots=True)
class Journal:
    """The events of one sweep's folder, by the key of their job.

    `sources` are digests of what was measured, by the name of its commit.
    """

    path: Path
    done: dict[str, str] = field(default_factory=dict)
    submitted: dict[str, dict[str, Any]] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: Path) -> "Journal":
        """Return the journal of the sweep in `folder`, new where there is none."""
        journal = cls(folder / NAME)
        try:
            lines = journal.path.read_text(errors="replace").splitlines()
        except FileNotFoundError:
            lines = []
        except OSError as error:
            raise FolderUnwritable(folder, error.strerror or str(error), BY) from error
        for line in lines:
            try:
                event = json.loads(line)
                journal._take(event["event"], event["key"], event)
            except (ValueError, TypeError, KeyError, RecursionError):
                continue
        return journal

    def _take(self, event: str, key: str, fields: Mapping[str, Any]) -> None:
        match event:
            case "done":
                self.done[key] = str(fields["run"])
                self.submitted.pop(key, None)
            case "failed":
                self.submitted.pop(key, None)
            case "submitted":
                self.submitted[key] = dict(fields)
            case "sources":
                self.sources[key] = str(fields["sources"])

    def note(self, event: str, key: str, **fields: Any) -> None:
        """Write down an event, so that not even a power failure loses it.

        Raises
        ------
        FolderUnwritable
            If the disk is full, for example.
        """
        content = {"event": event, "key": key, **fields}
        try:
            with self.path.open("a+b") as file:
                # A line that was cut off must not spoil this one.
                if file.tell() and not _ends_a_line(self.path):
                    file.write(b"\n")
                file.write(json.dumps(content).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            reason = error.strerror or str(error)
            raise FolderUnwritable(self.path.parent, reason, BY) from error
        self._take(event, key, content)


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def digest_of(content: Any) -> str:
    """Return a short name for any content that JSON can hold."""
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
