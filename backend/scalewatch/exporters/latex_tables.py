r"""Tables for LaTeX that are no wider than the text.

A table that fits stands as it is. In one that does not, letters are smaller and cells
break into lines, between words and after the signs of long names. One whose longest
words still need more room is cut into several, each with what names a row. Widths are
estimates from above, in points, of Computer Modern; lines are shares of `\linewidth`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from scalewatch.exporters.papers.latex import escaped

LINE: Final = 345.0
"""Width of a line of the class `article`."""

TEXT: Final = 340.0
"""Width that tables take of it."""

GAP, SMALL_GAP = 12.0, 6.0
"""Between two columns, and where letters are smaller."""

SMALL: Final = 0.88
"""Width of a small letter beside that of a usual one."""

WIDE, USUAL, NARROW = 8.4, 5.3, 3.5
"""Widths of letters of 10 points: of the widest, of most, and of the narrow ones."""

_WIDE: Final = re.compile(r"[A-ZmwW@%&–—…+=<>~\u0080-\U0010ffff]")
_NARROW: Final = re.compile(r"[ijlt.,:;'|!()\[\] ]")

LONGEST: Final = 14
"""Letters of a part of a name that is never broken."""

_PARTS: Final = re.compile(r"[^_.:/=,;-]*[_.:/=,;-]+|[^_.:/=,;-]+")
"""Parts of a name that a line may end after."""

_COMMAND: Final = re.compile(r"\\([a-z]+)|[{}^]")
"""Marks of LaTeX in a formula, which have no width of their own."""

MOST_ROWS: Final = 45
"""Rows that fit on a printed page, below their heading."""

LONG: Final = "longtable"
"""The table that breaks between rows where a page ends."""

MEASURED: Final = 1000
"""Rows whose cells decide how wide columns are; of later ones all words are broken."""


class Formula(str):
    """A part of a cell that is mathematics, as LaTeX."""

    __slots__ = ()


Cell = Sequence[str]
"""Texts and formulas, one after the other."""


@dataclass(frozen=True, slots=True)
class _Column:
    """Widths of a column: of its widest word that is never broken, and of all of it."""

    is_number: bool
    least: float
    whole: float


def lines_of(
    titles: Sequence[str], rows: Iterable[Sequence[Cell]], is_number: Sequence[bool]
) -> Iterator[str]:
    """Yield the lines of a table; where a page may end it breaks between rows."""
    every = iter(rows)
    head = list(islice(every, MEASURED))
    every = chain(head, every)
    columns = [
        _column([[title], *(row[place] for row in head)], is_right=is_right)
        for place, (title, is_right) in enumerate(zip(titles, is_number, strict=True))
    ]
    wide = sum(column.whole for column in columns) + GAP * len(columns)
    if wide <= TEXT and len(head) < MEASURED:
        table = LONG if len(head) > MOST_ROWS else "tabular"
        packages = "booktabs" + f",{LONG}" * (table == LONG)
        yield f"% Needs: \\usepackage{{{packages}}}\n"
        sides = "".join("r" if column.is_number else "l" for column in columns)
        yield from _table(table, sides or "l", [*map(escaped, titles)], every, escaped)
        return
    yield f"% Needs: \\usepackage{{array,booktabs,{LONG}}}\n"
    yield "{\\footnotesize\\setlength{\\tabcolsep}{3pt}\n"
    parts = _parts(columns, _key(head, columns))
    kept = list(every) if len(parts) > 1 else every
    for number, places in enumerate(parts):
        if number:
            yield "\n\\bigskip\n\n"
        shown = ([row[place] for place in places] for row in kept)
        sides = _sides([columns[place] for place in places])
        heads = [_written([titles[place]], _breakable) for place in places]
        yield from _table(LONG, sides, heads, shown, _breakable)
    yield "}\n"


def _table(
    table: str,
    sides: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    write: Callable[[str], str],
) -> Iterator[str]:
    """Yield a table ruled as the package booktabs does."""
    yield f"\\begin{{{table}}}{{{sides}}}\n\\toprule\n"
    yield " & ".join(heads) + r" \\" + "\n\\midrule\n"
    if table == LONG:
        yield "\\endhead\n\\bottomrule\n\\endfoot\n"
    for row in rows:
        yield " & ".join(_written(cell, write) for cell in row) + r" \\" + "\n"
    if table != LONG:
        yield "\\bottomrule\n"
    yield f"\\end{{{table}}}\n"


def _written(cell: Cell, write: Callable[[str], str]) -> str:
    """Return a cell with the spaces around its formulas."""
    return "".join(
        f"${part}$"
        if isinstance(part, Formula)
        else " ".join(write(word) if word else "" for word in part.split(" "))
        for part in cell
    )


def _breakable(word: str) -> str:
    """Return a word that may be broken after its signs, and where it is very long."""
    return r"\allowbreak{}".join(map(escaped, _pieces(word)))


def _pieces(word: str) -> list[str]:
    if isinstance(word, Formula) or len(word) <= LONGEST:
        return [word]
    return [
        part[start : start + LONGEST]
        for part in _PARTS.findall(word)
        for start in range(0, len(part), LONGEST)
    ]


def _key(rows: Sequence[Sequence[Cell]], columns: Sequence[_Column]) -> int:
    """Return the column that names rows best, the first of those that do so alike."""
    different = [
        0 if column.is_number else len({tuple(row[place]) for row in rows})
        for place, column in enumerate(columns)
    ]
    return different.index(max(different))


def _parts(columns: Sequence[_Column], key: int) -> list[list[int]]:
    """Return which columns stand in a table together; the key begins all but one."""
    needed = [column.least + SMALL_GAP for column in columns]
    parts: list[list[int]] = [[]]
    for place, _ in enumerate(columns):
        if sum(needed[each] for each in {*parts[-1], place}) > TEXT and parts[-1]:
            parts.append([key])
        if place not in parts[-1]:
            parts[-1].append(place)
    return parts


def _sides(columns: Sequence[_Column]) -> str:
    """Share the width: each has room for its words, and more where lines are long."""
    room = TEXT - SMALL_GAP * len(columns) - sum(column.least for column in columns)
    wanted = sum(column.whole - column.least for column in columns)
    share = min(1.0, max(room, 0.0) / wanted) if wanted else 0.0
    widths = [each.least + share * (each.whole - each.least) for each in columns]
    return "".join(
        f">{{\\ragged{'left' if column.is_number else 'right'}\\arraybackslash}}"
        f"p{{{width / LINE:.3f}\\linewidth}}"
        for column, width in zip(columns, widths, strict=True)
    )


def _column(cells: Iterable[Cell], *, is_right: bool) -> _Column:
    least = whole = 0.0
    for cell in cells:
        whole = max(whole, sum(map(_width, cell)))
        units = (
            unit
            for part in cell
            for unit in ([part] if isinstance(part, Formula) else part.split(" "))
        )
        pieces = (_width(piece) for unit in units for piece in _pieces(unit))
        least = max(least, SMALL * max(pieces, default=0.0))
    return _Column(is_right, least, whole)


def _width(text: str) -> float:
    """Return the width of a text in letters of 10 points, at most."""
    letters = _COMMAND.sub(r"\1", text) if isinstance(text, Formula) else text
    wide, narrow = len(_WIDE.findall(letters)), len(_NARROW.findall(letters))
    usual = len(letters) - wide - narrow
    return WIDE * wide + NARROW * narrow + USUAL * usual
