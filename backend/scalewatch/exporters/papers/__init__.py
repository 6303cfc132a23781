"""Documents that people hand in, written from one list of blocks.

* `blocks` — headings, paragraphs, tables, figures; writers know nothing of scaling
* `latex`, `markdown` — text that other documents include
* `typst` — PDF; `word` — DOCX; both by the extra `report`
"""
