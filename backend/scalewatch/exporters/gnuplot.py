"""Figures for gnuplot: one file with data in blocks and the commands that draw them.

`gnuplot FILE.gp` draws the figures of "Knowledge Based Automatic Scalability Analysis
and Extrapolation for MPI Programs": the time of all processes with and without
communication (Figure 2), and a time with its extrapolations (Figures 3 and 4).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scalewatch.modelling import Extrapolation

Values = Sequence[float | None]

HEAD: Final = """\
set terminal svg size 800,560 dynamic
set key left top
set grid
set xlabel 'processes P'
"""

MISSING: Final = "NaN"
_SPECIAL: Final = re.compile(r"[^\w .,:;()+=/\-›]")


@dataclass(frozen=True, slots=True)
class GnuplotFigure:
    """A figure over the number of processes.

    Parameters
    ----------
    name
        Of the picture it becomes, without suffix.
    columns
        What is drawn with marks, by name, shape (n,) each.
    rows
        Extrapolations that are drawn as curves.
    """

    name: str
    title: str
    label: str
    processes: Sequence[float]
    columns: Mapping[str, Values]
    rows: Sequence[Extrapolation] = ()


def gnuplot_text(figures: Sequence[GnuplotFigure]) -> str:
    """Return figures as a program of gnuplot that holds its data."""
    drawn = (_figure(f"data{place}", each) for place, each in enumerate(figures))
    return "\n".join([HEAD, *drawn])


def _figure(block: str, figure: GnuplotFigure) -> str:
    lines = [f"${block} << EOD", " ".join(["# P", *map(_quoted, figure.columns)])]
    for place, p in enumerate(figure.processes):
        at = (column[place] for column in figure.columns.values())
        values = (MISSING if value is None else repr(value) for value in at)
        lines.append(" ".join([f"{p:g}", *values]))
    lines += ["EOD", *(_function(block, row) for row in figure.rows)]
    drawn = [
        f"${block} using 1:{place} with {'points' if figure.rows else 'linespoints'} "
        f"pointtype 7 title {_quoted(name)}"
        for place, name in enumerate(figure.columns, start=2)
    ]
    drawn += [
        f"{block}_{len(row.settings)}(x) "
        f"title 'first {len(row.settings)}, e_max {_percent(row.e_max)}'"
        for row in figure.rows
    ]
    last = 1.25 * max(figure.processes)
    lines += [
        f"set output '{figure.name}.svg'",
        f"set title {_quoted(figure.title)}",
        f"set ylabel {_quoted(figure.label)}",
        f"plot [0:{last:g}][0:] " + ", \\\n  ".join(drawn),
        "",
    ]
    return "\n".join(lines)


def _function(block: str, row: Extrapolation) -> str:
    name = f"{block}_{len(row.settings)}"
    return f"{name}(x) = {row.a0!r} + ({row.a1!r})*x + ({row.a2!r})*x**2"


def _percent(error: float | None) -> str:
    return "unknown" if error is None else f"{error:.2f} %"


def _quoted(text: str) -> str:
    """Return a text in quotes that nothing in it ends, and that has no escapes."""
    return f"'{_SPECIAL.sub('_', text)}'"
