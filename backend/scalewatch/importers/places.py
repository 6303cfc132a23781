"""The files that a path leads to: itself, a folder, an archive, standard input."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Final

from scalewatch.errors import UnreadableFile
from scalewatch.importers.archives import (
    Archive,
    holds_cube,
    is_gzip,
    is_tar,
    is_zip,
    unzipped,
)
from scalewatch.importers.source import LONGEST_LINE, Source, unreadable

STANDARD_INPUT: Final = "-"

_HEAD: Final = 512
"""Bytes by which an archive is known."""

_PART: Final = re.compile(r"profile\.\d{1,9}\.\d{1,9}\.\d{1,9}")
"""A file of TAU, whose processes and threads write one each: together they are one."""


@contextmanager
def sources_of(path: str) -> Iterator[Iterator[tuple[Source, bool]]]:
    """Open what lies at `path`: each file, and whether it was named by the user.

    Raises
    ------
    UnreadableFile
        If it cannot be opened.
    """
    with ExitStack() as stack:
        if path == STANDARD_INPUT:
            yield _of_stream("standard input", sys.stdin.buffer, stack)
            return
        try:
            is_folder = Path(path).is_dir()
        except (OSError, ValueError) as error:
            raise unreadable(path, error) from None
        yield _of_folder(path) if is_folder else _of_file(path, stack)


def distinct(paths: Iterable[str]) -> Sequence[str]:
    """Return paths, of files that are one result together only the first."""
    return list(dict.fromkeys(map(_first_of, paths)))


def _first_of(path: str) -> str:
    folder, name = os.path.split(path)
    if not _PART.fullmatch(name):
        return path
    try:
        names = [
            file.name for file in Path(folder).iterdir() if _PART.fullmatch(file.name)
        ]
    except OSError:
        return path
    return str(Path(folder, min(names, key=_numbers))) if name in names else path


def _leads(names: Iterable[str]) -> Iterator[str]:
    """Yield names in order, of files that are one result together only the first."""
    parts: dict[str, list[str]] = {}
    for path in names:
        folder, name = os.path.split(path)
        if _PART.fullmatch(name):
            parts.setdefault(folder, []).append(path)
        else:
            yield path
    for paths in parts.values():
        yield min(paths, key=lambda path: _numbers(os.path.basename(path)))  # noqa: PTH119


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split(".")[1:]))


def _of_folder(folder: str) -> Iterator[tuple[Source, bool]]:
    """Yield the files below a folder, in order; links that lead out are left out."""
    root = Path(folder).resolve()
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        beside = Folder(at)
        for name in _leads(sorted(name for name in names if not name.startswith("."))):
            path = Path(at, name)
            if path.resolve().is_relative_to(root) and path.is_file():
                with ExitStack() as stack:
                    yield from _of_file(str(path), stack, beside)


def _of_file(
    path: str, stack: ExitStack, beside: "Folder | None" = None
) -> Iterator[tuple[Source, bool]]:
    """Yield what a file holds; one of no folder was named by the user."""
    is_named = beside is None
    try:
        stream = stack.enter_context(Path(path).open("rb"))  # noqa: SIM115 - of the stack
        head = stream.read(_HEAD)
        stream.seek(0)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if is_zip(head) or (is_tar(path, head) and not holds_cube(stream)):
        stream.seek(0)
        archive = Archive(path, stream)
        for source in archive.sources(list(_leads(archive.names()))):
            yield source, False
        return
    stream.seek(0)
    if is_gzip(head):
        yield Source(path, unzipped(path, stream)), is_named
    else:
        folder = beside or Folder(os.path.dirname(path))  # noqa: PTH120 - "" is here
        yield Source(path, _lines(stream), folder), is_named


def _of_stream(
    name: str, stream: IO[bytes], stack: ExitStack
) -> Iterator[tuple[Source, bool]]:
    """Yield what a stream holds, an archive from a copy in a file without a name."""
    head = stream.read(_HEAD)
    if not is_zip(head) and not is_gzip(head) and not is_tar(name, head):
        yield Source(name, _lines_behind(head, stream)), True
        return
    copy = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 - of the stack
    copy.write(head)
    shutil.copyfileobj(stream, copy)
    copy.seek(0)
    if is_gzip(head) and not is_tar(name, head):
        yield Source(name, unzipped(name, copy)), True
    elif not is_zip(head) and holds_cube(copy):
        copy.seek(0)
        yield Source(name, _lines(copy)), True
    else:
        copy.seek(0)
        archive = Archive(name, copy)
        for source in archive.sources(list(_leads(archive.names()))):
            yield source, False


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    return iter(partial(stream.readline, LONGEST_LINE), b"")


def _lines_behind(head: bytes, stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a stream whose beginning was read already."""
    *lines, last = head.splitlines(keepends=True) or [b""]
    yield from lines
    last += b"" if last.endswith(b"\n") else stream.readline(LONGEST_LINE)
    if last:
        yield last
    yield from _lines(stream)


class Folder:
    """A folder: what lies beside a file."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def names(self) -> Sequence[str]:
        """Return the names of the files in it."""
        return sorted(file.name for file in self._path.iterdir() if file.is_file())

    def lines(self, name: str) -> Iterable[bytes] | None:
        """Return the lines of a file, from there; None if there is none.

        Raises
        ------
        UnreadableFile
            If it cannot be opened.
        """
        path = self._path / name
        if path.is_symlink() or not path.is_file():
            return None
        return self._read(path)

    def _read(self, path: Path) -> Iterator[bytes]:
        try:
            with path.open("rb") as stream:
                yield from _lines(stream)
        except OSError as error:
            raise UnreadableFile(str(path), str(error.strerror)) from None
