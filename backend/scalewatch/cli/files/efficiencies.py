"""Efficiency of scans on a terminal: what was measured first, growth last."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from rich.console import Console

from scalewatch.cli.files.findings_table import PLAIN, RICH, FindingRow
from scalewatch.errors.files import printable
from scalewatch.importers import Reading
from scalewatch.importers.series import WHOLE_PROGRAM
from scalewatch.services.efficiencies import wording
from scalewatch.services.efficiencies.scan import ScanScaling
from scalewatch.services.efficiencies.table import Table, TableRow, table_of
from scalewatch.texts.scales import RESOURCES

MOST: Final = 4
"""Scans of which each has a table of its own; of more, the growths are listed."""

BAR: Final = 5
"""Letters of a bar of 100 %."""

_SIGNS: Final = dict(
    zip("±≥█░–→×³⁶⁹µ·", ("+/-", ">=", *"#.-", "->", *"x369u*"), strict=True)
)
"""Signs that a terminal without Unicode shows otherwise."""


def headings_of(reading: Reading) -> dict[str, str]:
    """Return the names that columns of scales have in the tables that were read."""
    names: dict[str, set[str]] = {}
    for table in reading.tables:
        for column in table.columns:
            if column.meaning in RESOURCES:
                names.setdefault(column.meaning, set()).add(column.name)
    return {scale: name for scale, (name, *more) in names.items() if not more}


def print_scalings(
    rows: Sequence[FindingRow], files: Sequence[str], console: Console
) -> None:
    """Print the efficiency of each scan, and its growth in the last line."""
    is_ascii = console.options.ascii_only
    settings = [row.series.configuration for row in rows]
    varied = {
        name
        for held in settings
        for name in held
        if any(each.get(name, ...) != held[name] for each in settings)
    }
    for number, row in enumerate(rows):
        lines = [
            line for each in row.scalings for line in _lines(row, each, files, varied)
        ]
        lines.append(_growth_line(row, is_ascii=is_ascii))
        if number:
            console.file.write("\n")
        for line in lines:
            console.file.write(f"{_in_ascii(line) if is_ascii else line}\n")


def _lines(
    row: FindingRow, scaled: ScanScaling, files: Sequence[str], varied: Collection[str]
) -> Iterator[str]:
    name = row.series.region
    if name == WHOLE_PROGRAM and len(files) == 1 and files[0] != "-":
        name = files[0].rstrip("/").rpartition("/")[2]
    held = [f"{key} = {setting:,.10g}" for key, setting in scaled.held.items()]
    held += [
        f"{name}={setting}"
        for name, setting in row.series.configuration.items()
        if name in varied
    ]
    yield f"{printable(', '.join([name, *held]))}: {wording.kind_words(scaled)}"
    if scaled.scaling is not None:
        yield from _table_lines(table_of(scaled))
        yield f"  {wording.limits_sentence(scaled)}"
        if following := wording.next_sentence(scaled):
            yield f"  {following}"
    for sentence in (*wording.remarks(scaled), *wording.questions(scaled)):
        yield f"  {sentence}"


def _table_lines(table: Table) -> Iterator[str]:
    widths = [
        max(len(heading), *(len(row.cells[column]) for row in table.rows))
        for column, heading in enumerate(table.headings)
    ]

    def line(cells: Sequence[str]) -> str:
        padded = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        return f"  {'  '.join(padded)}"

    yield line(table.headings)
    for row in table.rows:
        yield f"{line(row.cells)}  {_bar(row)}".rstrip()


def _bar(row: TableRow) -> str:
    if row.efficiency is None or row.is_forecast:
        return row.note
    full = min(BAR, max(0, round(BAR * row.efficiency)))
    return f"{'█' * full}{'░' * (BAR - full)}  {row.note}"


def _growth_line(row: FindingRow, *, is_ascii: bool) -> str:
    notation, finding = (PLAIN if is_ascii else RICH), row.finding
    if finding.told_growth is None:
        reason = finding.misfit or finding.reason
        why = f": {reason}" if reason else ""
        return f"  No growth{why}. Models: --formula."
    growth, model = finding.told_growth, notation.model_text(finding.model)
    return f"  Growth: O({notation.growth_text(growth)}), {model}. Details: --formula."


def _in_ascii(text: str) -> str:
    plain = "".join(_SIGNS.get(letter, letter) for letter in text)
    return plain.encode("ascii", "replace").decode()
