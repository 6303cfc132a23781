"""PDF by Typst: a fixed template, to which all text comes as data.

No source of Typst is made of text, so there is nothing to escape. The system's fonts
and its clock are not used: the same document has the same bytes everywhere.
"""

import json
from pathlib import Path
from typing import Any, Final
from unicodedata import category
from unicodedata import name as name_of

from scalewatch.exporters.papers.blocks import Block, Document, Figure, Paragraph, Table

SCRIPTS: Final = frozenset(
    {"LATIN", "GREEK", "CYRILLIC", "HEBREW", "COMBINING", "MODIFIER"}
    | {"FEMININE", "MASCULINE", "ALEF", "BET", "GIMEL"}
)
"""First words of the names of letters that the fonts of Typst have."""

TEMPLATE: Final = """
#let data = json(bytes(sys.inputs.data))
#set document(title: data.title, date: none)
#set page(paper: data.paper, margin: (x: 2.5cm, y: 2.2cm))
#set text(font: "Libertinus Serif", size: 11pt, lang: "en")
#set par(justify: true)
#show figure.caption: set text(size: 9.5pt)
#show figure.where(kind: table): set figure.caption(position: top)
#show heading: set block(below: 0.8em)
#let styled(cell, part) = if part == "forecast" { emph(cell) } else { cell }
#let lines(block) = {
  set text(size: 9.5pt, number-width: "tabular")
  let before = "body"
  let body = ()
  for row in block.rows {
    if row.part != before {
      body.push(table.hline(stroke: 0.4pt))
      before = row.part
    }
    for cell in row.cells { body.push(styled(cell, row.part)) }
  }
  table(
    columns: block.headings.len(), stroke: none, inset: (x: 6pt, y: 3.2pt),
    align: (x, y) => if x == 0 and block.names { start } else { end },
    table.hline(stroke: 0.9pt),
    table.header(..block.headings),
    table.hline(stroke: 0.5pt),
    ..body,
    table.hline(stroke: 0.9pt),
  )
}
#heading(data.title)
#for block in data.blocks {
  if block.kind == "table" { figure(lines(block), caption: block.caption) }
  else if block.kind == "figure" {
    figure(image(block.path, width: 100%, alt: block.alt), caption: block.caption)
  } else { par(block.text) }
}
"""


def lost(text: str) -> list[str]:
    """Return the letters that the fonts of the PDF lack: those of other scripts."""
    return sorted({letter for letter in text if _is_lost(letter)})


def _is_lost(letter: str) -> bool:
    kind = category(letter)
    script = name_of(letter, "").partition(" ")[0]
    return kind == "So" or (kind in {"Lo", "Lm", "Mn"} and script not in SCRIPTS)


def write_pdf(document: Document, folder: Path, name: str) -> None:
    """Write a document as PDF beside the folder `figures` with its SVG pictures.

    Raises
    ------
    ModuleNotFoundError
        Without Typst, which the extra `report` brings.
    """
    import typst  # noqa: PLC0415 - an extra

    papers = {"a4": "a4", "letter": "us-letter"}
    data = {
        "title": document.title,
        "paper": papers[document.paper],
        "blocks": [_object(block) for block in document.blocks],
    }
    template = folder / ".document.typ"
    try:
        template.write_text(TEMPLATE, encoding="utf-8")
        typst.compile(
            str(template),
            output=str(folder / name),
            root=str(folder),
            ignore_system_fonts=True,
            sys_inputs={"data": json.dumps(data)},
        )
    finally:
        template.unlink(missing_ok=True)


def _object(block: Block) -> dict[str, Any]:
    match block:
        case Paragraph():
            return {"kind": "paragraph", "text": block.text}
        case Table():
            return {
                "kind": "table",
                "headings": block.headings,
                "rows": [{"cells": r.cells, "part": str(r.part)} for r in block.rows],
                "caption": block.caption,
                "names": block.begins_with_names,
            }
        case Figure():
            path = f"figures/{block.name}.svg"
            said = {"alt": block.alt, "caption": block.caption}
            return {"kind": "figure", "path": path, **said}
