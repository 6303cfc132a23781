"""Rows of a trace, in memory as long as they are few, then in a file without a name."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalewatch_agent.traces.stored.rows import (
    MEMORY,
    Rows,
    StoredRows,
    UnnamedFile,
)


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
