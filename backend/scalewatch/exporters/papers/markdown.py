"""Markdown of a document: tables as GitHub and GitLab show them."""

from collections.abc import Iterator

from scalewatch.exporters.markdown import escaped
from scalewatch.exporters.papers.blocks import (
    Block,
    Document,
    Figure,
    Paragraph,
    Part,
    Row,
    Table,
)


def text(document: Document, extension: str | None) -> str:
    """Return a document.

    Parameters
    ----------
    extension
        Of the pictures in `figures`; None where there are none.
    """
    parts = [f"## {escaped(document.title)}"]
    numbers = {"Table": 0, "Figure": 0}
    for block in document.blocks:
        parts += _block(block, extension, numbers)
    return "\n\n".join(parts) + "\n"


def _block(
    block: Block, extension: str | None, numbers: dict[str, int]
) -> Iterator[str]:
    match block:
        case Paragraph():
            yield escaped(block.text)
        case Table():
            numbers["Table"] += 1
            yield f"*Table {numbers['Table']}.* {escaped(block.caption)}"
            yield "\n".join(_table(block))
        case Figure():
            numbers["Figure"] += 1
            if extension is not None:
                name = f"figures/{block.name}.{extension}"
                yield f"![{escaped(block.alt)}]({name})"
            yield f"*Figure {numbers['Figure']}.* {escaped(block.caption)}"


def _table(table: Table) -> Iterator[str]:
    first = ":---" if table.begins_with_names else "---:"
    yield _line(Row(table.headings))
    yield f"|{first}|" + "---:|" * (len(table.headings) - 1)
    yield from map(_line, table.rows)


def _line(row: Row) -> str:
    marks = {Part.FORECAST: "*", Part.SUM: "**"}.get(row.part, "")
    cells = (f"{marks}{escaped(cell)}{marks}" if cell else "" for cell in row.cells)
    return f"| {' | '.join(cells)} |"
