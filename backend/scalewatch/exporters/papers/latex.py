r"""LaTeX that pdfLaTeX compiles with graphicx and booktabs alone.

Letters that its fonts lack become `?`, and are named. T1 is loaded with Latin Modern
only: without that it would bring bitmap fonts, and so would `\$`.
"""

import unicodedata
from collections.abc import Iterator
from typing import Final

from scalewatch.exporters.papers.blocks import (
    Block,
    Document,
    Figure,
    Paragraph,
    Part,
    Row,
    Table,
)

_SIGNS: Final = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"{\upshape\char36}",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\ensuremath{\sim}",
    "^": r"\ensuremath{\wedge}",
    "|": r"\ensuremath{|}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    '"': "''",
    "`": "{`}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{THIN SPACE}": r"\,",
    "\N{ZERO WIDTH SPACE}": "",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
    "°": r"\ensuremath{^\circ}",
    "ß": r"\ss{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
    "’": "'",
    "‘": "`",
    "“": "``",
    "”": "''",
}

_MATHS: Final = {
    "±": r"\pm",
    "×": r"\times",
    "÷": r"\div",
    "·": r"\cdot",
    "−": "-",
    "≥": r"\geq",
    "≤": r"\leq",
    "≈": r"\approx",
    "≠": r"\neq",
    "∞": r"\infty",
    "√": r"\surd",
    "∂": r"\partial",
    "∇": r"\nabla",
    "→": r"\to",
    "✓": r"\surd",
    "✗": r"\times",
    "⪯": r"\preceq",
    "µ": r"\mu",
    "⌊": r"\lfloor",
    "⌋": r"\rfloor",
    "⌈": r"\lceil",
    "⌉": r"\rceil",
    "ε": r"\varepsilon",
}

_RAISED: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True))
_LOWERED: Final = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))

_ACCENTS: Final = {
    "\N{COMBINING GRAVE ACCENT}": r"\`",
    "\N{COMBINING ACUTE ACCENT}": r"\'",
    "\N{COMBINING CIRCUMFLEX ACCENT}": r"\^",
    "\N{COMBINING TILDE}": r"\~",
    "\N{COMBINING DIAERESIS}": r"\"",
    "\N{COMBINING CARON}": r"\v",
    "\N{COMBINING CEDILLA}": r"\c",
    "\N{COMBINING RING ABOVE}": r"\r",
    "\N{COMBINING MACRON}": r"\=",
    "\N{COMBINING BREVE}": r"\u",
    "\N{COMBINING DOUBLE ACUTE ACCENT}": r"\H",
    "\N{COMBINING DOT ABOVE}": r"\.",
}

LOST: Final = "?"

SECTION: Final = "section.tex"


def escaped(text: str) -> str:
    """Return a text in which nothing is a command, and every letter has a font."""
    return "".join(map(_letter, _letters(text)))


def _letters(text: str) -> Iterator[str]:
    """Yield the letters of a text with their accents; exponents and indices whole."""
    letter = ""
    for following in text:
        marks = next((each for each in (_RAISED, _LOWERED) if following in each), ())
        if letter and (following in _ACCENTS or letter[-1] in marks):
            letter += following
            continue
        if letter:
            yield letter
        letter = following
    if letter:
        yield letter


def lost(text: str) -> list[str]:
    """Return the letters of a text that no font of pdfLaTeX has, each once."""
    return sorted({each for each in _letters(text) if _is_lost(each)})


def _is_lost(letter: str) -> bool:
    return letter != LOST and letter.isprintable() and _letter(letter) == LOST


def _letter(letter: str) -> str:
    """Return what typesets a letter, else `?`."""
    if letter in _SIGNS:
        return _SIGNS[letter]
    if letter.isascii():
        return letter if letter.isprintable() else LOST
    maths = _MATHS.get(letter) or _greek(letter)
    for marks, sign in ((_RAISED, "^"), (_LOWERED, "_")):
        if letter[0] in marks:
            maths = f"{sign}{{{''.join(map(marks.__getitem__, letter))}}}"
    return rf"\ensuremath{{{maths}}}" if maths else _accented(letter)


def _accented(letter: str) -> str:
    base, *marks = list(unicodedata.normalize("NFD", letter))
    if base.isascii() and base.isalpha() and len(marks) == 1 and marks[0] in _ACCENTS:
        return f"{_ACCENTS[marks[0]]}{{{base}}}"
    return LOST


def _greek(letter: str) -> str | None:
    """Return the command of a Greek letter; those that look like Latin ones too."""
    name = unicodedata.name(letter[0], "") if len(letter) == 1 else ""
    for size in ("SMALL", "CAPITAL"):
        word = name.removeprefix(f"GREEK {size} LETTER ").lower()
        if word == name.lower() or not word.isalpha():
            continue
        word = {"lamda": "lambda"}.get(word, word)
        if size == "SMALL":
            return "o" if word == "omicron" else rf"\{word}"
        has_own = word in {"gamma", "delta", "theta", "lambda", "xi", "pi", "sigma"}
        has_own |= word in {"upsilon", "phi", "psi", "omega"}
        latin = _CAPITALS.get(word, "")
        return rf"\{word.capitalize()}" if has_own else rf"\mathrm{{{latin}}}"
    return None


_CAPITALS: Final = {
    "alpha": "A",
    "beta": "B",
    "epsilon": "E",
    "zeta": "Z",
    "eta": "H",
    "iota": "I",
    "kappa": "K",
    "mu": "M",
    "nu": "N",
    "omicron": "O",
    "rho": "P",
    "tau": "T",
    "chi": "X",
}


def section(document: Document) -> str:
    """Return the blocks of a document, to be included in another one."""
    head = "% Needs: \\usepackage{graphicx,booktabs}\n"
    return head + "\n".join(line for block in document.blocks for line in _block(block))


def whole(document: Document) -> str:
    """Return a document that includes the section and compiles by itself."""
    paper = "letterpaper" if document.paper == "letter" else "a4paper"
    return rf"""\documentclass[{paper},11pt]{{article}}
\usepackage[utf8]{{inputenc}}
% Latin Modern where it is installed: T1 without it would give bitmap fonts.
\IfFileExists{{lmodern.sty}}{{\usepackage[T1]{{fontenc}}\usepackage{{lmodern}}}}{{}}
\usepackage[margin=25mm]{{geometry}}
\usepackage{{graphicx}}
\IfFileExists{{booktabs.sty}}{{\usepackage{{booktabs}}}}{{%
  \let\toprule\hline \let\midrule\hline \let\bottomrule\hline}}
\begin{{document}}
\section*{{{escaped(document.title)}}}
\input{{{SECTION.removesuffix(".tex")}}}
\end{{document}}
"""


def _block(block: Block) -> Iterator[str]:
    match block:
        case Paragraph():
            yield escaped(block.text)
        case Table():
            yield from _table(block)
        case Figure():
            yield r"\begin{figure}[htbp]"
            yield r"  \centering"
            yield rf"  \includegraphics[width=\linewidth]{{figures/{block.name}}}"
            yield rf"  \caption{{{escaped(block.caption)}}}"
            yield rf"  \label{{fig:{block.label}}}"
            yield r"\end{figure}"
    yield ""


def _table(table: Table) -> Iterator[str]:
    columns = ["l" if table.begins_with_names else "r"]
    columns += ["r"] * (len(table.headings) - 1)
    yield r"\begin{table}[htbp]"
    yield r"  \centering\small\setlength{\belowcaptionskip}{4pt}"
    yield rf"  \caption{{{escaped(table.caption)}}}"
    yield rf"  \label{{tab:{table.label}}}"
    yield rf"  \begin{{tabular}}{{{''.join(columns)}}}"
    yield r"    \toprule"
    yield f"    {' & '.join(map(escaped, table.headings))} \\\\"
    yield r"    \midrule"
    before = Part.BODY
    for row in table.rows:
        if row.part is not before:
            yield r"    \midrule"
            before = row.part
        yield f"    {_line(row)} \\\\"
    yield r"    \bottomrule"
    yield r"  \end{tabular}"
    yield r"\end{table}"


def _line(row: Row) -> str:
    cells = [*map(escaped, row.cells)]
    if row.part is Part.FORECAST:
        cells = [rf"\textit{{{cell}}}" if cell else "" for cell in cells]
    return " & ".join(cells)
