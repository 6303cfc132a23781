"""DOCX by python-docx: tables with captions that Word numbers, also into a form."""

# ruff: noqa: SLF001 - python-docx has no other way to rules, fields and alt texts

import re
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from scalewatch.exporters.papers.blocks import (
    Document,
    Figure,
    Paragraph,
    Part,
    Row,
    Table,
)

MADE: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""Date of all documents: the same numbers have the same bytes."""

WIDTH: Final = 16.0
"""Centimetres of a line."""

_LETTER: Final = 0.21
"""Centimetres that a letter of a table takes, about."""

BOLD: Final = 1.3
"""Width of a letter of a heading in others; a heading breaks only between words."""

PADDING: Final = 0.5
"""Centimetres beside the letters of a cell."""

PLACE: Final = "{{scaling}}"
"""Paragraph of a form in whose place the section comes."""


def write_docx(document: Document, folder: Path, name: str, form: Path | None) -> None:
    """Write a document as DOCX, with the PNG pictures of the folder `figures`.

    Parameters
    ----------
    form
        A document into which it goes: in place of the paragraph `{{scaling}}`, else
        at its end.

    Raises
    ------
    ModuleNotFoundError
        Without python-docx, which the extra `report` brings.
    """
    import docx  # noqa: PLC0415 - an extra

    written = docx.Document(str(form)) if form else docx.Document()
    writer = _Writer(written, folder, has_page=form is None)
    place = next((p for p in written.paragraphs if p.text.strip() == PLACE), None)
    before = len(written.element.body)
    writer.write(document)
    if place is not None:
        for element in list(written.element.body)[before - 1 : -1]:
            place._p.addprevious(element)
        place._p.getparent().remove(place._p)
    if form is None:
        properties = written.core_properties
        properties.author = properties.comments = ""
        properties.title = _kept(document.title)
        properties.created = properties.modified = MADE
    written.save(str(folder / name))
    _same_bytes(folder / name)


class _Writer:
    def __init__(self, written: Any, folder: Path, *, has_page: bool) -> None:
        from docx.shared import Cm, Pt  # noqa: PLC0415 - an extra

        self.written, self.folder = written, folder
        self.numbers = {"Table": 0, "Figure": 0}
        if has_page:
            page = written.sections[0]
            page.page_width, page.page_height = Cm(21), Cm(29.7)
            page.left_margin = page.right_margin = Cm(2.5)
            page.top_margin = page.bottom_margin = Cm(2.2)
            normal = written.styles["Normal"]
            normal.font.size = Pt(11)

    def write(self, document: Document) -> None:
        self.written.add_heading(_kept(document.title), 2)
        for block in document.blocks:
            match block:
                case Paragraph():
                    self.written.add_paragraph(_kept(block.text))
                case Table():
                    self._caption("Table", block.caption, keep=True)
                    self._table(block)
                case Figure():
                    self._figure(block)

    def _figure(self, figure: Figure) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH  # noqa: PLC0415 - an extra
        from docx.shared import Cm  # noqa: PLC0415 - an extra

        paragraph = self.written.add_paragraph()
        paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
        paragraph.paragraph_format.keep_with_next = True
        path = self.folder / "figures" / f"{figure.name}.png"
        paragraph.add_run().add_picture(str(path), width=Cm(WIDTH))
        for shape in paragraph._p.xpath(".//wp:docPr"):
            shape.set("descr", _kept(figure.alt))
        self._caption("Figure", figure.caption, keep=False)

    def _caption(self, kind: str, text: str, *, keep: bool) -> None:
        from docx.shared import Pt  # noqa: PLC0415 - an extra

        self.numbers[kind] += 1
        paragraph = self.written.add_paragraph()
        paragraph.paragraph_format.keep_with_next = keep
        paragraph.paragraph_format.space_before = Pt(6)
        paragraph.add_run(f"{kind} ").bold = True
        _number(paragraph, kind, self.numbers[kind])
        paragraph.add_run(". ").bold = True
        paragraph.add_run(_kept(text))
        for run in paragraph.runs:
            run.font.size = Pt(9.5)

    def _table(self, table: Table) -> None:
        from docx.enum.table import WD_TABLE_ALIGNMENT  # noqa: PLC0415 - an extra
        from docx.shared import Cm  # noqa: PLC0415 - an extra

        made = self.written.add_table(0, len(table.headings))
        made.alignment, made.autofit = WD_TABLE_ALIGNMENT.CENTER, False
        rows = [Row(table.headings), *table.rows]
        letters = [
            max(BOLD * len(heading), *(len(row.cells[at]) for row in table.rows))
            for at, heading in enumerate(table.headings)
        ]
        wanted = [_LETTER * each + PADDING for each in letters]
        shrink = min(1.0, WIDTH / sum(wanted))
        widths = [Cm(each * shrink) for each in wanted]
        for column, width in zip(made.columns, widths, strict=True):
            column.width = width
        before = None
        for number, row in enumerate(rows):
            is_head, is_last = not number, number == len(rows) - 1
            rules = {"top": 10} if is_head else {}
            if is_head:
                rules["bottom"] = 5
            elif before is not None and row.part is not before:
                rules["top"] = 4
            if is_last:
                rules["bottom"] = 10
            self._line(made, row, widths, rules, table, is_head=is_head, stays=is_last)
            before = None if is_head else row.part
        self.written.add_paragraph()

    def _line(  # noqa: PLR0913 - how a row of Word is set
        self,
        made: Any,
        row: Row,
        widths: list[Any],
        rules: dict[str, int],
        table: Table,
        *,
        is_head: bool,
        stays: bool,
    ) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH  # noqa: PLC0415 - an extra
        from docx.oxml import OxmlElement  # noqa: PLC0415 - an extra
        from docx.shared import Pt  # noqa: PLC0415 - an extra

        line = made.add_row()
        properties = line._tr.get_or_add_trPr()
        properties.append(OxmlElement("w:cantSplit"))
        if is_head:
            properties.append(OxmlElement("w:tblHeader"))
        cells = zip(line.cells, row.cells, widths, strict=True)
        for number, (cell, text, width) in enumerate(cells):
            cell.width = width
            paragraph = cell.paragraphs[0]
            is_name = table.begins_with_names and not number
            paragraph.alignment = (
                WD_ALIGN_PARAGRAPH.LEFT if is_name else WD_ALIGN_PARAGRAPH.RIGHT
            )
            paragraph.paragraph_format.space_after = Pt(1)
            paragraph.paragraph_format.keep_with_next = not stays
            run = paragraph.add_run(_kept(text))
            run.font.size = Pt(9.5)
            run.bold = is_head
            run.italic = row.part is Part.FORECAST
            _ruled(cell, rules)


def _kept(text: str) -> str:
    """Return a text without what XML has no place for: control characters."""
    return _CONTROL.sub("", text)


_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff\ud800-\udfff]")


def _ruled(cell: Any, rules: dict[str, int]) -> None:
    from docx.oxml import OxmlElement  # noqa: PLC0415 - an extra
    from docx.oxml.ns import qn  # noqa: PLC0415 - an extra

    if not rules:
        return
    borders = OxmlElement("w:tcBorders")
    for side, width in rules.items():
        border = OxmlElement(f"w:{side}")
        for name, value in {"val": "single", "sz": width, "color": "1B1F24"}.items():
            border.set(qn(f"w:{name}"), str(value))
        borders.append(border)
    cell._tc.get_or_add_tcPr().append(borders)


def _number(paragraph: Any, kind: str, number: int) -> None:
    """Add a number that Word counts anew."""
    from docx.oxml import OxmlElement  # noqa: PLC0415 - an extra
    from docx.oxml.ns import qn  # noqa: PLC0415 - an extra

    def part(name: str, **attributes: str) -> Any:
        element = OxmlElement(name)
        for key, value in attributes.items():
            element.set(qn(f"w:{key}"), value)
        paragraph.add_run()._r.append(element)
        return element

    part("w:fldChar", fldCharType="begin")
    part("w:instrText").text = f" SEQ {kind} \\* ARABIC "
    part("w:fldChar", fldCharType="separate")
    paragraph.add_run(str(number)).bold = True
    part("w:fldChar", fldCharType="end")


def _same_bytes(path: Path) -> None:
    """Write the parts of a document anew with one date: an archive notes the clock."""
    with zipfile.ZipFile(path) as archive:
        parts = [(part.filename, archive.read(part)) for part in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts:
            dated = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            archive.writestr(dated, content, zipfile.ZIP_DEFLATED)
