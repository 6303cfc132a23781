"""Arrays of many series: sums and order statistics of columns, padding, scratch memory.

What is computed of a column is the same bit for bit, whatever columns are beside it.
Sorting a few long rows by comparing whole rows is some twenty times as fast as
sorting many short columns.

References
----------
D. E. Knuth, "The Art of Computer Programming", volume 3, section 5.3.4: odd-even
transposition.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.assumptions import ASSUMED

Reals = NDArray[np.float64]
Singles = NDArray[np.float32]
Indices = NDArray[np.intp]
Scalar = TypeVar("Scalar", bound=np.generic)


def total(rows: Iterable[NDArray[Scalar]]) -> NDArray[Scalar]:
    """Add rows one after the other; `ndarray.sum` changes the order with the shape.

    It keeps the order where rows are long and follow each other in memory.
    """
    if (
        isinstance(rows, np.ndarray)
        and rows.flags.c_contiguous
        and rows.size > len(rows)
    ):
        added: NDArray[Scalar] = np.add.reduce(rows, axis=0)
        return added
    iterator = iter(rows)
    added = next(iterator).copy()
    for row in iterator:
        np.add(added, row, out=added)
    return added


def sorted_rows(rows: Sequence[Reals]) -> list[Reals]:
    """Return rows that hold the same columns, each in rising order.

    Parameters
    ----------
    rows
        Arrays of one shape. A column with NaN has it afterwards, in no order.
    """
    if len(rows) > ASSUMED.rows_in_turn:
        return list(np.sort(np.stack(rows), axis=0))
    ordered = list(rows)
    for turn in range(len(ordered)):
        for low in range(turn % 2, len(ordered) - 1, 2):
            below, above = ordered[low], ordered[low + 1]
            ordered[low] = np.minimum(below, above)
            ordered[low + 1] = np.maximum(below, above)
    return ordered


def quantile(ordered: Sequence[Reals], q: float) -> Reals:
    """Interpolate linearly between rows that are in order."""
    position = q * (len(ordered) - 1)
    below = int(position)
    weight = position - below
    if not weight:
        return ordered[below]
    return ordered[below] * (1 - weight) + ordered[below + 1] * weight


def ragged_quantile(
    ordered: Sequence[Reals], count: NDArray[np.intp], q: float
) -> Reals:
    """Interpolate linearly between the first rows of each column.

    Parameters
    ----------
    ordered
        Rows in order.
    count
        How many of them exist in each column, at least one; the shape of a row.
    q
        Share of them that lies below, 0 … 1.
    """
    position = q * (count - 1)
    below = position.astype(np.intp)
    weight = position - below
    stack = np.stack(ordered)
    low = np.take_along_axis(stack, below[np.newaxis], axis=0)[0]
    high = np.take_along_axis(
        stack, np.minimum(below + 1, count - 1)[np.newaxis], axis=0
    )[0]
    between: Reals = low * (1 - weight) + high * weight
    return between


def combine(table: Reals, rows: Reals, out: Reals) -> Reals:
    """Write the matrix product of a table, (H, n), with rows, (n, S), to `out`.

    `einsum` adds the rows in order, which a matrix product of BLAS does not promise;
    but it does so only for two columns or more.
    """
    if rows.shape[1] > 1:
        return np.einsum("hk,ks->hs", table, rows, out=out)
    out[:] = np.einsum("hk,ks->hs", table, np.repeat(rows, 2, axis=1))[:, :1]
    return out


def combine_each(factors: Singles, rows: Singles, out: Singles) -> None:
    """Write the sum of rows, (n, H, S), times factors, (n, S); see `combine`."""
    if rows.shape[2] > 1:
        np.einsum("ns,nhs->hs", factors, rows, out=out)
    else:
        factors, rows = (np.repeat(each, 2, axis=-1) for each in (factors, rows))
        out[:] = np.einsum("ns,nhs->hs", factors, rows)[:, :1]


def stacked(arrays: Sequence[Reals]) -> Reals:
    """Return arrays as one, each padded to the longest along every axis.

    Parameters
    ----------
    arrays
        At least one, all of as many axes.
    """
    longest = np.max([array.shape for array in arrays], axis=0)
    whole = np.full((len(arrays), *longest), np.nan)
    for part, array in zip(whole, arrays, strict=True):
        part[tuple(map(slice, array.shape))] = array
    return whole


def spread(rows: Reals, places: Indices, count: int) -> Reals:
    """Return rows at their places among `count`, the others NaN."""
    whole = np.full((count, *rows.shape[1:]), np.nan)
    whole[places] = rows
    return whole


def widened(rows: Reals, width: int) -> Reals:
    """Return rows of this width, NaN behind their own; shape (n, width)."""
    lacking = width - rows.shape[1]
    if not lacking:
        return rows
    return np.pad(rows, ((0, 0), (0, lacking)), constant_values=np.nan)


@dataclass(slots=True)
class Scratch:
    """Arrays of one shape, handed out with any content: memory shared between blocks.

    To allocate a large array costs more than to fill it: the pages come from the system
    and go back to it. Kernels that run over many blocks take their arrays from here.

    Parameters
    ----------
    shape
        Of all of them.
    """

    shape: tuple[int, ...]
    _reals: list[Reals] = field(default_factory=list)
    _singles: list[Singles] = field(default_factory=list)
    _stack: Singles = field(default_factory=lambda: np.empty(0, dtype=np.float32))

    def reals(self) -> Reals:
        """Hand out an array in double precision."""
        return self._reals.pop() if self._reals else np.empty(self.shape)

    def singles(self) -> Singles:
        """Hand out an array in single precision."""
        if self._singles:
            return self._singles.pop()
        return np.empty(self.shape, dtype=np.float32)

    def stack(self, rows: int) -> Singles:
        """Lend arrays in single precision one behind the other, shape (rows, *shape).

        They are the same ones each time.
        """
        if len(self._stack) < rows:
            self._stack = np.empty((rows, *self.shape), dtype=np.float32)
        return self._stack[:rows]

    def take_back(self, *arrays: Reals | Singles) -> None:
        """Keep arrays that were handed out and are not needed any more."""
        for array in arrays:
            known: list[Any] = (
                self._reals if array.dtype == np.float64 else self._singles
            )
            known.append(array)
