"""Rows of tables that a program prints, among what others print meanwhile."""

import re
from collections.abc import Sequence
from typing import Final

_NUMBER: Final = re.compile(r"[\d.]+")


def is_row(cells: Sequence[str], columns: int) -> bool:
    """Tell a row, also one with a wrong cell: it must be refused, and not left out."""
    numbers = sum(_NUMBER.fullmatch(cell) is not None for cell in cells)
    if numbers == len(cells):
        return numbers > 0
    return numbers > 0 and len(cells) == columns and not cells[0].isalpha()
