"""Domain decomposition: which process computes which cells."""

from collections.abc import Callable, Mapping
from typing import Final

TILE: Final = 8
"""Rows that the tiled distribution hands out together."""

Distribution = Callable[[int, int], list[int]]
"""Return the number of rows of each part from their total and the number of parts."""


class TooSmall(ValueError):
    """A domain has fewer cells along an axis than there are processes."""

    def __init__(self, cells: int, parts: int) -> None:
        super().__init__(
            f"{cells} cells cannot be divided among {parts} processes: "
            "enlarge the domain or take fewer processes"
        )


def process_grid(processes: int) -> tuple[int, int]:
    """Return the most nearly square grid of so many processes, the longer side first.

    A prime number of processes has no choice but a single column.
    """
    columns = next(
        width for width in range(int(processes**0.5), 0, -1) if processes % width == 0
    )
    return processes // columns, columns


def even(cells: int, parts: int) -> list[int]:
    """Return parts that differ by one cell at most."""
    share, rest = divmod(cells, parts)
    return [share + (part < rest) for part in range(parts)]


def tiled(cells: int, parts: int) -> list[int]:
    """Return parts of whole tiles, and give all that is left over to the last one.

    This is the bug that a hotspot scan has to find: where the number of parts does
    not divide that of the tiles, one process computes while the others wait for it.
    """
    share = max(1, cells // TILE // parts) * min(TILE, max(1, cells // parts))
    return [share] * (parts - 1) + [cells - share * (parts - 1)]


DISTRIBUTIONS: Final[Mapping[str, Distribution]] = {"even": even, "tiled": tiled}
"""By name; `tiled` is wrong on purpose."""


def extents(cells: int, parts: int, distribution: str) -> list[range]:
    """Return the cells of each part along one axis.

    Raises
    ------
    TooSmall
        If there is not a cell for each part.
    """
    if cells < parts:
        raise TooSmall(cells, parts)
    sizes = DISTRIBUTIONS[distribution](cells, parts)
    ends = [sum(sizes[: part + 1]) for part in range(parts)]
    return [range(end - size, end) for size, end in zip(sizes, ends, strict=True)]
