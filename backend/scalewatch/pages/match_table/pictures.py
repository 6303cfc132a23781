"""Small plots for the cells of heat maps: medians, model and expectation on log axes.

Each is a sheet of SVG with one symbol, which a page draws in its own colours.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from typing import Annotated, Final

import numpy as np
from fastapi import APIRouter, Header, Query, Response

from scalewatch.figures.curves import Scaling, curves_of
from scalewatch.modelling import Growth, Mark, arrays
from scalewatch.pages.rendering.sheets import LogAxis, points, sheet
from scalewatch.pages.wording.formats import count, quantity
from scalewatch.services.histories.commits import Measure
from scalewatch.services.match_table import small_plots
from scalewatch.services.selection.view import View
from scalewatch.web import queries, sessions

WIDTH: Final = 260
HEIGHT: Final = 150
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 10, 34
EVERY: Final = 4
"""Stride of the points of a curve that are drawn: the plot is small."""

HEADROOM: Final = 3.0
"""Curves leave the plot beyond this factor above or below the measurements."""

LINE: Final = 'fill="none" stroke-linejoin="round"'
EXPECTED: Final = 'style="stroke:var(--figure-expectation);stroke-dasharray:4 3"'
MODEL: Final = 'style="stroke:var(--accent);stroke-width:2"'
CANDIDATE: Final = 'style="stroke:var(--accent);stroke-dasharray:1 3"'
BAND: Final = 'style="fill:var(--figure-band)"'
WORDS: Final = 'font-size="11" style="fill:var(--ink-quiet)"'

router = APIRouter(include_in_schema=False)


@router.get("/p/{project}/small-plot.svg", name="small-plot")  # noqa: FAST003
def show_small_plot(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    region: str,
    if_none_match: Annotated[str, Header()] = "",
) -> Response:
    """Return the plot of a region on a machine as a symbol named `plot`."""
    drawn = small_plot(small_plots.plotted_cell(session, view, region))
    return sheet([drawn], if_none_match)


def small_plot(scaling: Scaling) -> str:
    """Draw a scan: its medians as dots, the model as a line, the expectation dashed."""
    frame = _Frame.around(scaling)
    if frame is None:
        parts = [_text(WIDTH / 2, HEIGHT / 2, "middle", "no positive values to draw")]
    else:
        parts = [*frame.curves(scaling), *frame.dots(scaling), *frame.axes(scaling)]
    whole = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<symbol id="plot" {whole}>{"".join(parts)}</symbol>'


class _Frame:
    """Maps settings and values to places in the picture, both by their logarithms."""

    def __init__(self, x: arrays.Reals, y: arrays.Reals) -> None:
        ends = LEFT + 6, WIDTH - RIGHT - 6
        self._across = LogAxis(float(x.min()), float(x.max()), *ends, 1e-9).places
        foot = HEIGHT - BOTTOM - 4
        self._down = LogAxis(float(y.min()), float(y.max()), foot, TOP + 4, 0.05).places

    @classmethod
    def around(cls, scaling: Scaling) -> "_Frame | None":
        """Return the frame of a scan; None where logarithms have no place for it."""
        x, y = scaling.x, scaling.middle
        if not x.size or not (x > 0).all() or not (y > 0).all():
            return None
        drawn = curves_of(scaling).drawn
        with np.errstate(invalid="ignore"):
            is_near = (drawn > y.min() / HEADROOM) & (drawn < y.max() * HEADROOM)
        return cls(x, np.concatenate([y, drawn[is_near]]))

    def curves(self, scaling: Scaling) -> list[str]:
        """Draw the band, the expectation and the model, or what it may be."""
        curves = curves_of(scaling)
        parts = []
        if curves.lower is not None and curves.upper is not None:
            band = self._points(curves.x, curves.upper)
            band += self._points(curves.x, curves.lower)[::-1]
            parts = [f'<path d="M{"L".join(band)}Z" {BAND}/>'] if band else []
        if curves.expectation is not None:
            parts.append(self._line(curves.x, curves.expectation, EXPECTED))
        models = scaling.candidates if scaling.is_open else ()
        for model in models:
            values = np.broadcast_to(model(scaling.at(curves.x)), curves.x.shape)
            parts.append(self._line(curves.x, values, CANDIDATE))
        if curves.model is not None and not scaling.is_open:
            parts.append(self._line(curves.x, curves.model, MODEL))
        return parts

    def dots(self, scaling: Scaling) -> list[str]:
        """Draw the medians."""
        return [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" style="fill:var(--ink)"/>'
            for x, y in zip(
                self._across(scaling.x), self._down(scaling.middle), strict=True
            )
        ]

    def axes(self, scaling: Scaling) -> list[str]:
        """Write the ends of both axes, and what they are."""
        x, y = scaling.x, scaling.middle
        foot = HEIGHT - BOTTOM
        frame = f"M{LEFT} {TOP}V{foot}H{WIDTH - RIGHT}"
        ends = [(x.min(), "start", LEFT), (x.max(), "end", WIDTH - RIGHT)]
        words = [
            _text(at, foot + 14, anchor, count(float(value)))
            for value, anchor, at in (ends if x.min() < x.max() else ends[:1])
        ]
        words.append(_text(WIDTH / 2, foot + 28, "middle", f"{scaling.parameter} →"))
        for value in dict.fromkeys((float(y.min()), float(y.max()))):
            at = float(self._down(np.array([value]))[0])
            words.append(_text(LEFT - 5, at + 4, "end", quantity(value, scaling.unit)))
        return [f'<path d="{frame}" {LINE} style="stroke:var(--line-strong)"/>', *words]

    def _line(self, x: arrays.Reals, y: arrays.Reals, style: str) -> str:
        points = self._points(x, y)
        return f'<path d="M{"L".join(points)}" {LINE} {style}/>' if points else ""

    def _points(self, x: arrays.Reals, y: arrays.Reals) -> list[str]:
        with np.errstate(invalid="ignore"):
            known = np.flatnonzero(y > 0)
        kept = known[[*range(0, known.size, EVERY), -1]] if known.size else known
        down = np.clip(self._down(y[kept]), 0, HEIGHT - BOTTOM)
        return points(self._across(x[kept]), down)


def _text(x: float, y: float, anchor: str, words: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {WORDS}>'
        f"{escape(words)}</text>"
    )


LINE_WIDTH: Final = 60
LINE_HEIGHT: Final = 14
MARGIN: Final = 2
LOWEST, STEEPEST = -0.5, 2.0
"""Exponents at the foot and at the top of a line; what is beyond stays there."""

LEAST_SPAN: Final = 0.1
"""Logarithm that fills the height of a line of values at least, as in histories."""

LOGARITHM: Final = 0.2
"""A logarithm counts as this much of an exponent."""

DRAWN: Final = 'fill="none" stroke-linecap="round" vector-effect="non-scaling-stroke"'

STYLES: Final = {
    Mark.MISMATCH: "stroke:var(--verdict-mismatch);stroke-width:2px",
    Mark.BETTER: "stroke:var(--verdict-better);stroke-width:2px;stroke-dasharray:1 3",
}


@router.get("/p/{project}/sparklines.svg", name="sparklines")
def show_sparklines(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    session: sessions.ReadingDep,
    project: str,
    metric: Annotated[list[str], Query()],
    commit: str | None = None,
    show: Measure = Measure.EXPONENT,
    if_none_match: Annotated[str, Header()] = "",
) -> Response:
    """Return the lines of all series up to a commit, each under its own name."""
    view, metrics = View(project, commit or None), tuple(metric)
    if show is Measure.VALUE:
        number, values = small_plots.value_lines(session, view, metrics)
        lines = (line_symbol(series, line, number) for series, line in values.items())
        return sheet(lines, if_none_match)
    drawn = small_plots.sparklines(session, view, metrics)
    step = (LINE_WIDTH - 2 * MARGIN) / max(drawn.commits - 1, 1)
    parts = [symbol(series, line, step) for series, line in drawn.lines.items()]
    return sheet(parts, if_none_match)


def symbol(series: int, line: Sequence[small_plots.LinePoint], step: float) -> str:
    """Draw the line of a series."""
    whole = _path(line, step)
    drawn = f'<path d="{whole}" stroke="currentColor" {DRAWN}/>' if whole else ""
    for mark, style in STYLES.items():
        if part := _path([point for point in line if point.mark is mark], step):
            drawn += f'<path d="{part}" style="{style}" {DRAWN}/>'
    box = f'viewBox="0 0 {LINE_WIDTH} {LINE_HEIGHT}"'
    return f'<symbol id="s{series}" {box}>{drawn}</symbol>'


def line_symbol(key: int, line: Mapping[int, float], number: int) -> str:
    """Draw the values of a series over so many commits, logarithmic, as dots."""
    step = (LINE_WIDTH - 2 * MARGIN) / max(number - 1, 1)
    lowest, highest = min(line.values()), max(line.values())
    middle, span = (lowest + highest) / 2, max(highest - lowest, LEAST_SPAN)
    scale = (LINE_HEIGHT - 2 * MARGIN) / span
    path = "".join(
        f"M{MARGIN + at * step:.1f} {LINE_HEIGHT / 2 - scale * (value - middle):.1f}h0"
        for at, value in sorted(line.items())
    )
    return (
        f'<symbol id="s{key}" viewBox="0 0 {LINE_WIDTH} {LINE_HEIGHT}">'
        f'<path d="{path}" stroke="currentColor" style="stroke-width:2px" {DRAWN}/>'
        "</symbol>"
    )


def _path(line: Sequence[small_plots.LinePoint], step: float) -> str:
    """Return a level piece for each commit, joined where commits are neighbours."""
    parts: list[str] = []
    last = None
    for point in line:
        if point.growth is None:
            continue
        x, y = MARGIN + point.at * step, _height(point.growth)
        start, end = f"{x - step / 2:.1f}", f"{x + step / 2:.1f}"
        move = "L" if last == point.at - 1 else "M"
        parts.append(f"{move}{start} {y}H{end}")
        last = point.at
    return "".join(parts)


@lru_cache(maxsize=4096)
def _height(growth: Growth) -> str:
    steepness = sum(
        float(f.power) + LOGARITHM * float(f.log) + STEEPEST * float(f.exp2)
        for f in growth.factors
    )
    share = (min(max(steepness, LOWEST), STEEPEST) - LOWEST) / (STEEPEST - LOWEST)
    return f"{LINE_HEIGHT - MARGIN - share * (LINE_HEIGHT - 2 * MARGIN):.1f}"
