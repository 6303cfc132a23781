"""Archives and compressed files: their members, read within bounds."""

import bz2
import gzip
import lzma
import os
import posixpath
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import IO, Any, Final

from scalewatch.errors import UnreadableFile
from scalewatch.importers.source import LONGEST_LINE, Source

LARGEST_MEMBER: Final = 2 * 2**30
"""Bytes that a compressed file may hold: beyond it is a bomb."""

USUAL_MEMBER: Final = 32 * 2**20
MOST_UNPACKED: Final = 200
"""Bytes of each packed one, of a larger file: results shrink to a tenth or so."""

LARGEST_ARCHIVE: Final = 16 * 2**30
"""Bytes that all files of an archive may hold together."""

BROKEN: Final = (
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    NotImplementedError,  # a method of compression
    RuntimeError,  # an encrypted member
    ValueError,  # a header
    KeyError,  # a member that is none
)

_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK\3\4"

COMPRESSED: Final[Mapping[bytes, Callable[[IO[bytes]], Any]]] = {
    _GZIP: lambda file: gzip.GzipFile(fileobj=file),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ": lzma.LZMAFile,
}
"""First bytes of compressed files, and their readers."""

_TAR: Final = re.compile(r"\.(tar(\.\w+)?|t[gbx]z2?)$", re.IGNORECASE)
_Opener = Callable[[], IO[bytes] | None]

_BLOCK: Final = 512
_ANCHOR: Final = b"anchor.xml"
_MOST_BLOCKS: Final = 100_000


def is_zip(head: bytes) -> bool:
    """Tell whether a file begins like a zip archive."""
    return head.startswith(_ZIP)


def is_gzip(head: bytes) -> bool:
    """Tell whether a file begins like one that gzip has compressed."""
    return head.startswith(_GZIP)


def is_tar(name: str, head: bytes) -> bool:
    """Tell by beginning and name, for to open each file as an archive takes long."""
    if head.startswith(_GZIP):
        with suppress(OSError, *BROKEN):
            head = zlib.decompressobj(wbits=31).decompress(head, _BLOCK)
    is_compressed = head.startswith(tuple(COMPRESSED))
    return has_tar_magic(head) or (is_compressed and bool(_TAR.search(name)))


def has_tar_magic(head: bytes) -> bool:
    """Tell whether a block is the header of a member."""
    return head[257:262] == b"ustar"


def holds_cube(stream: IO[bytes]) -> bool:
    """Tell whether an archive is one file of its own, a profile of CUBE.

    Some versions write wrong checksums, which `tarfile` refuses: they do not matter.
    """
    at = 0
    for _ in range(_MOST_BLOCKS):
        stream.seek(at)
        header = stream.read(_BLOCK)
        if not has_tar_magic(header):
            return False
        if header[:100].rstrip(b"\0") == _ANCHOR:
            return True
        try:
            size = int(header[124:136].strip(b"\0 ") or b"0", 8)
        except ValueError:
            return False
        at += _BLOCK + -(-size // _BLOCK) * _BLOCK
    return False


class Archive:
    """The files of a zip or tar archive.

    Parameters
    ----------
    name
        How errors call it.
    stream
        Its content, which can be sought.
    """

    def __init__(self, name: str, stream: IO[bytes]) -> None:
        self.name = name
        self._left = LARGEST_ARCHIVE
        self._declared: dict[str, int] = {}
        try:
            self._packed = size_of(stream)
            is_zipped = is_zip(stream.read(len(_ZIP)))
            stream.seek(0)
            self._open = dict[str, _Opener]()
            if is_zipped:
                archive = zipfile.ZipFile(stream)
                for entry in archive.infolist():
                    self._declared[entry.filename] = entry.file_size
                    if not entry.is_dir():
                        self._open[entry.filename] = partial(archive.open, entry)
            else:
                files = tarfile.open(fileobj=stream)  # noqa: SIM115 - of the stream
                for member in files:
                    if member.isfile():
                        self._declared[member.name] = member.size
                        self._open[member.name] = partial(files.extractfile, member)
        except (OSError, *BROKEN) as error:
            raise self._broken(error) from None

    def names(self) -> Sequence[str]:
        """Return the names of all files; links are none."""
        return list(self._open)

    def sources(self, names: Iterable[str]) -> Iterator[Source]:
        """Yield the files of these names."""
        folders: dict[str, ArchiveFolder] = {}
        for name in names:
            at = posixpath.dirname(name)
            folder = folders.setdefault(at, ArchiveFolder(self, at))
            yield Source(f"{self.name}/{name}", self._lines(name), folder)

    def lines(self, name: str) -> Iterator[bytes] | None:
        """Return the lines of a file, or None if there is none of this name."""
        return self._lines(name) if name in self._open else None

    def _lines(self, name: str) -> Iterator[bytes]:
        try:
            if self._declared.get(name, 0) > max(
                USUAL_MEMBER, MOST_UNPACKED * self._packed
            ):
                raise too_often(self.name)
            if (opened := self._open[name]()) is None:
                return
            with opened as stream:
                for line in bounded_lines(self.name, stream, self._packed):
                    self._left -= len(line)
                    if self._left < 0:
                        reason = "it holds more than 16 GiB once unpacked"
                        raise UnreadableFile(self.name, reason)
                    yield line
        except (OSError, *BROKEN) as error:
            raise self._broken(error) from None

    def _broken(self, error: Exception) -> UnreadableFile:
        return UnreadableFile(self.name, f"the archive is broken ({error})")


class ArchiveFolder:
    """A folder inside an archive: what lies beside a file."""

    def __init__(self, archive: Archive, folder: str) -> None:
        self._archive, self._folder = archive, folder

    def names(self) -> Sequence[str]:
        """Return the names of the files in it."""
        return [
            posixpath.basename(name)
            for name in self._archive.names()
            if posixpath.dirname(name) == self._folder
        ]

    def lines(self, name: str) -> Iterable[bytes] | None:
        """Return the lines of a file, from there; None if there is none."""
        path = posixpath.normpath(posixpath.join(self._folder, name))
        return self._archive.lines(path)


def unzipped(name: str, stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file that gzip has compressed."""
    try:
        packed = size_of(stream)
        yield from bounded_lines(name, gzip.GzipFile(fileobj=stream), packed)
    except (OSError, *BROKEN) as error:
        raise UnreadableFile(name, f"the archive is broken ({error})") from None


def size_of(stream: IO[bytes]) -> int:
    """Return how many bytes a file has, and stay where it is."""
    at = stream.tell()
    size = stream.seek(0, os.SEEK_END)
    stream.seek(at)
    return size


def bounded_lines(
    name: str, stream: IO[bytes] | gzip.GzipFile, packed: int
) -> Iterator[bytes]:
    """Yield the lines of a compressed file, which must not grow without end.

    A file that is many times its `packed` bytes is a bomb long before it is too large.
    """
    size = 0
    while line := stream.readline(LONGEST_LINE):
        size += len(line)
        if size >= LARGEST_MEMBER:
            raise UnreadableFile(name, "it holds more than 2 GiB once unpacked")
        if size >= USUAL_MEMBER and size > MOST_UNPACKED * packed:
            raise too_often(name)
        yield line


def too_often(name: str) -> UnreadableFile:
    """Return the error that a file is a bomb: many times its size once unpacked."""
    reason = f"it holds more than {MOST_UNPACKED} times its size once unpacked"
    return UnreadableFile(name, reason)
