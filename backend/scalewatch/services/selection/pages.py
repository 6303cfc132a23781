"""Pages of long listings: so many cells at once, and how to go on."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from scalewatch.errors import NotFound

MOST_CELLS: Final = 1_600
"""Cells of an answer: a table of more comes in pages, of a row at least."""

ROW_CELLS: Final = 10
"""Cells as which a row of a listing counts, whose columns say different things."""

DIGITS: Final = 9

Row = TypeVar("Row")


@dataclass(frozen=True)
class InPages:
    """An answer whose rows come in pages, as `part_of` cuts it.

    Parameters
    ----------
    next
        `cursor` of the next page, if there is one.
    """

    LISTED: ClassVar[str]
    """The name of its rows."""

    CELLS: ClassVar[int] = ROW_CELLS
    """Cells as which each of them counts."""

    next: str | None = field(default=None, kw_only=True)


Answer = TypeVar("Answer", bound=InPages)


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows of a listing.

    Parameters
    ----------
    rows
        In the order of the listing.
    start
        Rows before them.
    total
        Rows of the whole listing.
    length
        Rows of a full page.
    """

    rows: Sequence[Row]
    start: int
    total: int
    length: int

    @classmethod
    def of(cls, rows: Sequence[Row], cursor: str | None, columns: int = 1) -> Self:
        """Return the page of a listing at a cursor.

        Parameters
        ----------
        cursor
            The `next` of the page before; None for the first.
        columns
            Cells of a row.

        Raises
        ------
        NotFound
            If the cursor names no page.
        """
        start, length = place_of(cursor), max(1, MOST_CELLS // max(1, columns))
        return cls(rows[start : start + length], start, len(rows), length)

    @property
    def next(self) -> str | None:
        """The cursor of the next page, if there is one."""
        end = self.start + self.length
        return str(end) if end < self.total else None

    @property
    def previous(self) -> str | None:
        """The cursor of the page before, if there is one."""
        return str(max(0, self.start - self.length)) if self.start else None

    @property
    def is_part(self) -> bool:
        """Whether the listing has other pages."""
        return len(self.rows) < self.total


def part_of(answer: Answer, cursor: str | None) -> tuple[Answer, Page[Any]]:
    """Return an answer with one page of its rows, and that page.

    Raises
    ------
    NotFound
        If the cursor names no page.
    """
    page = Page.of(getattr(answer, answer.LISTED), cursor, answer.CELLS)
    rows: dict[str, Any] = {answer.LISTED: tuple(page.rows)}
    return replace(answer, next=page.next, **rows), page


def place_of(cursor: str | None) -> int:
    """Return the number that a cursor is; 0 if there is none.

    Raises
    ------
    NotFound
        If it is another text.
    """
    if not cursor:
        return 0
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) <= DIGITS):
        raise NotFound("page", cursor)
    return int(cursor)
