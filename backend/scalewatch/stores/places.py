"""Places of stores: trees of files that are read by name and changed as a whole."""

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from scalewatch.errors import NoStore, StoreUnwritable
from scalewatch.private_files import write_whole

FOLDERS: Final = ("runs",)
"""Folders of a store; what else lies beside it is not looked at."""

SHARED_MODE: Final = 0o666
"""Files of a store are for all whom the umask lets read them."""

FILES: Final = ("store.json", "decisions.jsonl", "scalewatch.toml")


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a store at one moment.

    Parameters
    ----------
    sizes
        Bytes of each file, by its name relative to the store, with slashes. Links are
        left out: they lead elsewhere.
    read
        Yields name and content of files, in the order in which they are named.
    """

    sizes: Mapping[str, int]
    read: Callable[[Iterable[str]], Iterator[tuple[str, bytes]]]

    def text(self, name: str) -> bytes | None:
        """Return the content of a file; None where there is none."""
        if name not in self.sizes:
            return None
        return next(content for _, content in self.read([name]))


Edit = Callable[[Tree], Mapping[str, bytes | None]]
"""Returns new contents by name, None for files that go.

It is asked again where another job was first.
"""


class Place(Protocol):
    """Where a store lies."""

    @property
    def where(self) -> str:
        """The place as users write it."""

    def tree(self) -> Tree:
        """Return all files as they are now.

        Raises
        ------
        NoStore
            If nothing can be read there.
        """

    def change(self, edit: Edit, subject: str, *, anew: bool = False) -> None:
        """Change files, all of them or none, whatever other jobs do meanwhile.

        Parameters
        ----------
        subject
            Says what was done, where the place keeps a history.
        anew
            Forget that history.

        Raises
        ------
        NoStore, StoreUnwritable
            If nothing can be read, or written, there.
        """


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder as the place of a store.

    Each file is written whole or not at all. New names are there before old ones go:
    whoever is killed between them leaves runs twice, which count once.
    """

    path: Path

    @property
    def where(self) -> str:
        """The folder as it was named."""
        return str(self.path)

    def tree(self) -> Tree:
        """Return all files as they are now."""
        sizes = {}
        try:
            if not self.path.is_dir():
                raise NoStore(self.where, "there is no such folder")
            for path in self._files():
                name = path.relative_to(self.path).as_posix()
                sizes[name] = path.stat().st_size
        except OSError as error:
            raise NoStore(self.where, error.strerror or str(error)) from error
        return Tree(dict(sorted(sizes.items())), self._read)

    def _files(self) -> Iterator[Path]:
        for name in FILES:
            if (file := self.path / name).is_file() and not file.is_symlink():
                yield file
        for folder in FOLDERS:
            for parent, _, names in os.walk(self.path / folder):
                for name in names:
                    file = Path(parent, name)
                    if not name.startswith(".") and not file.is_symlink():
                        yield file

    def _read(self, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
        for name in names:
            try:
                yield name, (self.path / name).read_bytes()
            except OSError as error:
                where = f"{self.where}: {name}"
                raise NoStore(where, error.strerror or str(error)) from error

    def change(self, edit: Edit, subject: str, *, anew: bool = False) -> None:  # noqa: ARG002 - a folder has no history
        """Change files while no other job does."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with self._locked():
                changes = edit(self.tree())
                for name, content in changes.items():
                    if content is not None:
                        self._write(name, content)
                for name, content in changes.items():
                    if content is None:
                        (self.path / name).unlink(missing_ok=True)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StoreUnwritable(self.where, reason) from error

    @contextmanager
    def _locked(self) -> Iterator[None]:
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _write(self, name: str, content: bytes) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content, SHARED_MODE)
