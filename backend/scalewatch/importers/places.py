"""Where measurements lie: files, folders, archives and standard input."""

import gzip
import io
import lzma
import os
import re
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from scalewatch.errors import UnreadableFile
from scalewatch.importers.source import Source, unreadable

STANDARD_INPUT: Final = "-"

_GZIP: Final = b"\x1f\x8b"
_TAR: Final = re.compile(r"\.(tar(\.\w+)?|t[gbx]z2?)$", re.IGNORECASE)

LARGEST_MEMBER: Final = 2 * 2**30
"""Bytes that a compressed file may hold: beyond it is a bomb."""

BROKEN: Final = (
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    NotImplementedError,  # a method of compression
    RuntimeError,  # an encrypted member
)


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
            yield iter([(Source("standard input", sys.stdin.buffer), True)])
        elif _is_folder(path):
            yield _of_folder(path)
        else:
            yield _of_file(path, stack, is_named=True)


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def _of_folder(folder: str) -> Iterator[tuple[Source, bool]]:
    """Yield the files below a folder, in order; links that lead out are left out."""
    root = Path(folder).resolve()
    for at, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(at, name)
            if not name.startswith(".") and path.resolve().is_relative_to(root):
                with ExitStack() as stack:
                    yield from _of_file(str(path), stack, is_named=False)


def _of_file(
    path: str, stack: ExitStack, *, is_named: bool
) -> Iterator[tuple[Source, bool]]:
    try:
        stream = stack.enter_context(Path(path).open("rb"))  # noqa: SIM115 - of the stack
        head = stream.read(512)
        stream.seek(0)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if not head:
        yield Source(path, iter(())), is_named
    elif head.startswith(b"PK\3\4"):
        yield from _members(path, _zipped(stream))
    elif _is_tar(path, head):
        yield from _members(path, _tarred(path))
    elif head.startswith(_GZIP):
        yield Source(path, _lines(path, gzip.GzipFile(fileobj=stream))), is_named
    else:
        yield Source(path, stream), is_named


def _is_tar(path: str, head: bytes) -> bool:
    """Tell by beginning and name, for to open each file as an archive takes long."""
    if head.startswith(_GZIP):
        with suppress(OSError, *BROKEN):
            head = zlib.decompressobj(wbits=31).decompress(head, 512)
    is_compressed = head.startswith((_GZIP, b"BZh", b"\xfd7zXZ"))
    return head[257:262] == b"ustar" or (is_compressed and bool(_TAR.search(path)))


def _members(
    path: str, members: Iterator[tuple[str, IO[bytes]]]
) -> Iterator[tuple[Source, bool]]:
    try:
        for name, stream in members:
            with stream:
                yield Source(f"{path}/{name}", _lines(path, stream)), False
    except (OSError, *BROKEN) as error:
        raise UnreadableFile(path, f"the archive is broken ({error})") from None


def _zipped(stream: IO[bytes]) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(stream) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                yield member.filename, archive.open(member)


def _tarred(path: str) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(path) as archive:
        for member in archive:
            if member.isfile() and (held := archive.extractfile(member)):
                yield member.name, held


def _lines(path: str, stream: IO[bytes] | io.BufferedIOBase) -> Iterator[bytes]:
    """Yield the lines of a compressed file, which must not grow without end."""
    size = 0
    try:
        while line := stream.readline(LARGEST_MEMBER):
            size += len(line)
            if size >= LARGEST_MEMBER:
                raise UnreadableFile(path, "it holds more than 2 GiB once unpacked")
            yield line
    except (OSError, *BROKEN) as error:
        raise UnreadableFile(path, f"the archive is broken ({error})") from None
