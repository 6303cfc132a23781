"""Rows of a trace that are too many to be held: in files, read where they are wanted.

Pages of a file that stays mapped count as memory of the process once they were read, so
that a long trace would take as much memory as it has bytes. These rows are read into
arrays of their own, and what was mapped for some of them is let go at once.
"""

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MEMORY: Final = 16 * 2**20
"""Bytes of rows that are kept in memory."""

BLOCK: Final = 100_000
"""Rows that are read at a time: some megabytes, which fit into a cache."""


class UnnamedFile:
    """A file without a name, as long as rows in it are wanted."""

    def __init__(self) -> None:
        """Make an empty one."""
        self.file = TemporaryFile(prefix="trace-")  # noqa: SIM115 - closed at the end
        weakref.finalize(self, self.file.close)


Translation = Callable[[NDArray[Any]], NDArray[Any]]


class StoredRows:
    """Rows of a file: `rows[begin:end]`, `rows[positions]` or the column `rows[name]`.

    Parameters
    ----------
    file
        A path, opened for each reading, or a file that stays open until then.
    offset
        Of the first row, in bytes.
    translate
        What is made of rows that were read, of each by itself.
    """

    def __init__(
        self,
        file: Path | UnnamedFile,
        dtype: np.dtype[Any],
        offset: int,
        count: int,
        translate: Translation | None = None,
    ) -> None:
        """Note where the rows are."""
        self.dtype = dtype
        self._file, self._offset, self._count = file, offset, count
        self._translate = translate

    def __len__(self) -> int:
        """Return how many rows there are."""
        return self._count

    def __getitem__(self, chosen: Any) -> Any:
        """Return rows in memory, one row, or a column of all."""
        if isinstance(chosen, str):
            column = np.zeros(self._count, self.dtype[chosen])
            for begin in range(0, self._count, BLOCK):
                column[begin : begin + BLOCK] = self[begin : begin + BLOCK][chosen]
            return column
        if isinstance(chosen, int):
            at = range(self._count)[chosen]
            return self[at : at + 1][0]
        if isinstance(chosen, slice):
            begin, end, step = chosen.indices(self._count)
            if step != 1:
                chosen = np.arange(begin, end, step)
            else:
                return self._translated(self._read(begin, max(begin, end)))
        # An index by positions copies, and the map ends with the statement.
        return self._translated(np.asarray(self._mapped("r")[chosen]))

    def __setitem__(self, chosen: Any, rows: NDArray[Any]) -> None:
        """Write rows, in a file that was opened for that."""
        self._mapped("r+")[chosen] = rows

    def part(self, begin: int, end: int) -> "StoredRows":
        """Return the rows from one position to another, without reading them."""
        offset = self._offset + begin * self.dtype.itemsize
        return StoredRows(self._file, self.dtype, offset, end - begin, self._translate)

    def translated(self, translate: Translation) -> "StoredRows":
        """Return the same rows, from each of which something else is made."""
        return StoredRows(self._file, self.dtype, self._offset, self._count, translate)

    def sampled(self, stride: int) -> NDArray[Any]:
        """Return each row whose position is a multiple of some number.

        They are read one by one: a map would take in what is around each of them.
        """
        size = self.dtype.itemsize
        with self._descriptor() as file:
            read = [
                os.pread(file, size, self._offset + at * size)
                for at in range(0, self._count, stride)
            ]
        return self._translated(np.frombuffer(bytearray().join(read), self.dtype))

    def _read(self, begin: int, end: int) -> NDArray[Any]:
        rows = np.empty(end - begin, self.dtype)  # faster: its pages are used again
        raw = memoryview(rows.view(np.uint8).data)
        at = self._offset + begin * self.dtype.itemsize
        with self._descriptor() as file:
            done = 0
            while done < len(raw) and (count := os.preadv(file, [raw[done:]], at)):
                done, at = done + count, at + count
        raw[done:] = bytes(len(raw) - done)  # of a file that was cut meanwhile
        return rows

    def _mapped(self, mode: Any) -> NDArray[Any]:
        if not self._count:
            return np.zeros(0, self.dtype)
        file = self._file if isinstance(self._file, Path) else self._file.file
        return np.memmap(
            file, self.dtype, mode, offset=self._offset, shape=(self._count,)
        )

    def _translated(self, rows: NDArray[Any]) -> NDArray[Any]:
        return rows if self._translate is None else self._translate(rows)

    @contextmanager
    def _descriptor(self) -> Iterator[int]:
        if not isinstance(self._file, Path):
            yield self._file.file.fileno()
            return
        with self._file.open("rb", buffering=0) as file:
            yield file.fileno()


Rows = NDArray[Any] | StoredRows
"""Rows of any number, in memory or not."""


def zeros(count: int, dtype: np.dtype[Any]) -> Rows:
    """Return rows of zeros that can be written: many of them in a file without a name.

    What is never written takes no room there.
    """
    if count * dtype.itemsize <= MEMORY:
        return np.zeros(count, dtype)
    unnamed = UnnamedFile()
    unnamed.file.truncate(count * dtype.itemsize)
    return StoredRows(unnamed, dtype, 0, count)


def part(rows: Rows, begin: int, end: int) -> Rows:
    """Return the rows from one position to another, without reading them."""
    return rows.part(begin, end) if isinstance(rows, StoredRows) else rows[begin:end]


def sampled(rows: Rows, stride: int) -> NDArray[Any]:
    """Return each row whose position is a multiple of some number."""
    if isinstance(rows, StoredRows):
        return rows.sampled(stride)
    return rows[::stride]


class Spool:
    """Rows that are added in blocks; many of them go to a file."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        """Make an empty one."""
        self.dtype = dtype
        self.count = 0
        self._blocks: list[NDArray[Any]] = []
        self._size = 0

    def add(self, rows: NDArray[Any]) -> None:
        """Append rows."""
        self._blocks.append(np.ascontiguousarray(rows, self.dtype))
        self.count += len(rows)
        self._size += self._blocks[-1].nbytes
        if self._size > MEMORY:
            self._write()

    def rows(self) -> NDArray[Any]:
        """Return all rows, shape (n,), mapped where they are many; they can be changed.

        Nothing can be added any more.
        """
        if not hasattr(self, "_unnamed"):
            self._blocks = [np.concatenate([np.zeros(0, self.dtype), *self._blocks])]
            return self._blocks[0]
        self._flush()
        return np.memmap(self._unnamed.file, self.dtype, "r+", shape=(self.count,))

    def stored(self) -> Rows:
        """Return all rows, read where they are wanted; none can be added any more."""
        if not hasattr(self, "_unnamed"):
            return self.rows()
        self._flush()
        return StoredRows(self._unnamed, self.dtype, 0, self.count)

    def _flush(self) -> None:
        self._write()
        self._unnamed.file.flush()

    def _write(self) -> None:
        if not hasattr(self, "_unnamed"):
            self._unnamed = UnnamedFile()
        for block in self._blocks:
            self._unnamed.file.write(block.data)
        self._blocks, self._size = [], 0
