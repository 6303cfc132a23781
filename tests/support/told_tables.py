"""Tables drawn at random with the truth about each row, for properties of readers.

Rows fail in words, codes and signs; numbers are torn; units differ from row to row.
The truth is known: which value a row holds, in seconds, and whether its run succeeded.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

SUCCESSES = ("PASS", "ok", "COMPLETED", "0", "passed", "Success")
FAILURES = (
    *("FAIL", "failed", "OOM", "killed", "TIMEOUT", "OUT_OF_MEMORY", "1", "137"),
    *("segfault", "CANCELLED by 1000", "NODE_FAIL", "error", "Crashed", "aborted"),
)
UNKNOWN = ("flaky", "hmm", "weird state", "partial?", "to do", "retry me")
"""Words that nobody listed."""

WORDS_OF_NO_VALUE = ("FAIL", "OOM", "killed", "TIMEOUT", "DNF", "segfault", "crashed")
TORN = ("1.2e", "3.4.5", "12,34,5", "1_0_24", "--3", "0.5.", "7 8", "1e5e2", "4..1")
STATES = ("status", "State", "outcome", "job_state")

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "min": 60.0, "ns": 1e-9}
OTHERS = ("MB", "GB/s", "J", "cells/s", "W")
"""Units of other dimensions."""


@dataclass(frozen=True)
class ToldRow:
    """A row as it is written, and what it holds.

    Attributes
    ----------
    value, unit
        What a run that succeeded measured; None where none did.
    """

    p: int
    cells: tuple[str, ...]
    value: float | None
    unit: str = "s"


@dataclass(frozen=True)
class ToldTable:
    """A table of p, a time and, maybe, how runs ended."""

    header: tuple[str, ...]
    rows: tuple[ToldRow, ...]

    @property
    def is_understood(self) -> bool:
        """Whether every row holds what a run that succeeded measured.

        A size in a column of times is a series of its own, and counted as new.
        """
        return all(row.value is not None for row in self.rows)

    def written(self, separator: str) -> str:
        """Return the table as text."""
        lines = [self.header, *(row.cells for row in self.rows)]
        return "".join(f"{separator.join(line)}\n" for line in lines)

    def markdown(self) -> str:
        """Return the table in Markdown."""
        rule = ("---",) * len(self.header)
        lines: Sequence[Sequence[str]] = [
            self.header,
            rule,
            *(r.cells for r in self.rows),
        ]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)


@st.composite
def told_tables(draw: st.DrawFn) -> ToldTable:
    """Draw a table whose rows may be anything."""
    has_state, has_units = draw(st.booleans()), draw(st.booleans())
    settings = draw(st.lists(st.sampled_from((1, 2, 4, 8, 16, 32)), min_size=4))
    header = ["p", "time" if has_units else "time (s)"]
    if has_state:
        header.append(draw(st.sampled_from(STATES)))
    rows = [_row(draw, p, has_state=has_state, has_units=has_units) for p in settings]
    return ToldTable(tuple(header), tuple(rows))


def _row(draw: st.DrawFn, p: int, *, has_state: bool, has_units: bool) -> ToldRow:
    value: float | None = draw(st.integers(1, 9999)) / 8
    unit = draw(st.sampled_from([*SECONDS] * 3 + [*OTHERS])) if has_units else "s"
    cell = f"{value} {unit}" if has_units else str(value)
    if draw(st.integers(0, 5)) == 0:
        cell, value = draw(st.sampled_from(WORDS_OF_NO_VALUE + TORN)), None
    cells = [str(p), cell]
    if has_state:
        words = draw(st.sampled_from([SUCCESSES] * 4 + [FAILURES, UNKNOWN]))
        cells.append(draw(st.sampled_from(words)))
        if words is not SUCCESSES:
            value = None
    return ToldRow(p, tuple(cells), value, unit)
