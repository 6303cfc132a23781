"""Findings as a table: coloured on a terminal, plain text in a pipe."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from scalewatch.cli.files.findings_columns import FindingColumn, FindingRow, columns_of
from scalewatch.cli.files.notation import COLOURS, PLAIN, RICH
from scalewatch.modelling import Finding, Verdict

_GAP: Final = 2
"""Blanks between columns."""


def print_table(rows: Sequence[FindingRow], console: Console) -> None:
    """Print one line per row, in their order, and one that sums them up."""
    findings = [row.finding for row in rows]
    notation = RICH if console.is_terminal and not console.options.ascii_only else PLAIN
    columns = [
        _Filled(column, [column.text(row) for row in rows])
        for column in columns_of(rows, notation)
    ]
    if console.is_terminal:
        _print_coloured(columns, [COLOURS[each.verdict] for each in findings], console)
    else:
        console.file.writelines(f"{line}\n" for line in _plain(columns))
    console.file.write(f"{summary(findings)}\n")


def summary(findings: Sequence[Finding]) -> str:
    """Return how many findings there are of each kind."""
    counts = Counter(map(_kind, findings))
    kinds = (*map(str, Verdict), "without expectation", "without model")
    tally = ", ".join(f"{counts[kind]} {kind}" for kind in kinds if counts[kind])
    return f"{len(findings)} series: {tally}"


@dataclass(frozen=True, slots=True)
class _Filled:
    """A column with its cells."""

    column: FindingColumn
    cells: Sequence[str]

    @property
    def is_told_once(self) -> bool:
        return self.column.is_told_once and len(set(self.cells)) == 1

    @property
    def widest(self) -> int:
        return max(len(self.column.heading), *map(len, self.cells))

    @property
    def narrowest(self) -> int:
        """The width below which it cannot be read."""
        return min(self.widest, self.column.narrowest or self.widest)

    def padded(self) -> list[str]:
        lines = [self.column.heading, *self.cells]
        fit = str.rjust if self.column.is_number else str.ljust
        width = self.widest
        return [fit(line, width) for line in lines]


def _plain(columns: Sequence[_Filled]) -> Iterator[str]:
    """Yield lines whose cells are lined up by blanks, whatever their width."""
    for line in zip(*(column.padded() for column in columns), strict=True):
        yield (" " * _GAP).join(line).rstrip()


def _print_coloured(
    columns: Sequence[_Filled], colours: Sequence[str], console: Console
) -> None:
    for filled in columns:
        if filled.is_told_once:
            console.print(Text(f"{filled.column.heading}: {filled.cells[0]}"))
    others = [filled for filled in columns if not filled.is_told_once]
    for part in _parts(others, console.width):
        console.print(_coloured(part, colours))
        console.print()


def _parts(columns: Sequence[_Filled], width: int) -> Iterator[Sequence[_Filled]]:
    """Yield columns that fit side by side, each time behind the first column."""
    first, *others = columns
    part = [first]
    for filled in others:
        needed = sum(each.narrowest + _GAP for each in (*part, filled)) - _GAP
        if needed > width and len(part) > 1:
            yield part
            part = [first]
        part.append(filled)
    yield part


def _coloured(columns: Sequence[_Filled], colours: Sequence[str]) -> Table:
    table = Table(
        box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False
    )
    for filled in columns:
        table.add_column(
            filled.column.heading,
            justify="right" if filled.column.is_number else "left",
            overflow="fold",
            no_wrap=filled.column.narrowest is None,
            min_width=filled.narrowest,
        )
    for cells in zip(*(filled.cells for filled in columns), colours, strict=True):
        colour = cells[-1]
        table.add_row(
            *(
                Text(cell, style=colour if filled.column.is_coloured else "")
                for filled, cell in zip(columns, cells, strict=False)
            )
        )
    return table


def _kind(finding: Finding) -> str:
    if finding.model is None:
        return "without model"
    return "without expectation" if finding.expectation is None else finding.verdict
