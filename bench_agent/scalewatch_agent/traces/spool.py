"""Rows of a trace, in memory as long as they are few, then in a file without a name."""

import weakref
from tempfile import TemporaryFile
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MEMORY: Final = 16 * 2**20
"""Bytes of rows that are kept in memory."""


class Spool:
    """Rows that are added in blocks; many of them are mapped, never held."""

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
        """Return all rows, shape (n,); nothing can be added any more."""
        if not hasattr(self, "_file"):
            return np.concatenate([np.zeros(0, self.dtype), *self._blocks])
        self._write()
        self._file.flush()
        mapped = np.memmap(self._file, self.dtype, "r+", shape=(self.count,))
        self._closing()  # the file stays as long as it is mapped
        return mapped

    def _write(self) -> None:
        if not hasattr(self, "_file"):
            self._file = TemporaryFile(prefix="trace-")  # noqa: SIM115 - see below
            self._closing = weakref.finalize(self, self._file.close)
        for block in self._blocks:
            self._file.write(block.data)
        self._blocks, self._size = [], 0
