"""The disk of the database: a full one lets a server read, but not store."""

import shutil
from pathlib import Path
from time import monotonic
from typing import Final

from sqlalchemy import URL

LEAST_BYTES: Final = 16 * 2**20
"""Room of SQLite's disk below which posts would soon be refused."""

DOUBT_SECONDS: Final = 10.0
"""How long a database counts as full after it was; then the next post is the test."""


class DatabaseDisk:
    """What this process knows of the room on the disk of its database."""

    def __init__(self, url: URL) -> None:
        is_file = url.get_backend_name() == "sqlite" and url.database
        self._folder = Path(str(url.database)).parent if is_file else None
        self._doubted_until = -1.0

    def note_full(self) -> None:
        """Note that something could not be stored for want of room."""
        self._doubted_until = monotonic() + DOUBT_SECONDS

    @property
    def has_room(self) -> bool:
        """Whether a post is likely to be stored."""
        if monotonic() < self._doubted_until:
            return False
        if self._folder is None or not self._folder.exists():
            return True
        return shutil.disk_usage(self._folder).free >= LEAST_BYTES
