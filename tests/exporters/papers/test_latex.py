"""LaTeX of documents: nothing that a name holds is a command, and all compiles."""

import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.exporters.papers import latex
from scalewatch.exporters.papers.blocks import Document, Paragraph, Part, Row, Table

HOSTILE = (
    *('R&D #1 50% {x} ~ ^ \\n $5 "q"', "α_β Ω", "10⁶ m²", "Jülich", "#let x"),
    *("a|b *c* <d>", "x\\input{/etc/passwd}", "%comment", "é ñ ç ø ß ł", "–—… ≥ ≤ × ±"),
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_lose_no_letter(text):
    assert latex.lost(text) == []


def test_letters_without_a_font_are_named():
    assert latex.lost("富岳 on α") == ["富", "岳"]
    assert latex.escaped("富") == "?"


@given(st.text(max_size=60))
def test_no_text_is_a_command(text):
    escaped = latex.escaped(text)

    assert re.search(r"(?<!\\)[&%#$]", escaped) is None
    assert "\\input" not in escaped
    groups = re.sub(r"\\[{}]", "", escaped)
    assert groups.count("{") == groups.count("}")


def document(texts):
    rows = [
        Row((text, "1 ± 2"), part)
        for text, part in zip(texts, [*Part] * 9, strict=False)
    ]
    table = Table(
        ("Name", "Time (s)"), tuple(rows), texts[0], "x", begins_with_names=True
    )
    return Document(texts[0], (Paragraph(" ".join(texts)), table))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is missing")
def test_hostile_names_compile_without_bitmap_fonts(tmp_path):
    made = document(HOSTILE)
    (tmp_path / latex.SECTION).write_text(latex.section(made))
    (tmp_path / "document.tex").write_text(latex.whole(made))

    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "document.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout.decode(errors="replace")[-800:]
    if shutil.which("pdffonts"):
        fonts = subprocess.run(
            ["pdffonts", "document.pdf"], cwd=tmp_path, capture_output=True, check=True
        ).stdout.decode()
        assert "Type 3" not in fonts
