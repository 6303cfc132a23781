"""Figures as SVG that stands alone: for readers without scripts, for prints and papers.

It draws the part of plotly's schema that our figures use, in the colours of the light
theme, 160 mm wide with letters of 7.6 pt. A figure that needs more of the schema is to
extend it here: `support.plotted` draws every figure that a test makes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape, unescape
from itertools import pairwise
from math import isfinite, log10, nan
from typing import Any, Final

import numpy as np

from scalewatch.figures.axes import even_ticks, log_ticks, tick_text
from scalewatch.figures.colours import PALETTE
from scalewatch.figures.figure import Figure, Trace

WIDTH: Final = 720
HEIGHT: Final = 300
"""Width of the picture, and height of the area inside of its axes."""

MILLIMETRES: Final = 160
"""Width of the picture where it is printed."""

LETTER: Final = 6.4
"""Mean width of a letter."""

LINE: Final = 16
EDGE: Final = 12
BAR: Final = 78
"""Height of a line of text, the margin, and the width of a bar of colours."""

BESIDE: Final = 20
"""Width of the lines that lead to names beside the axes."""

CELLS: Final = 64
"""Cells of a contour in each direction."""

VIRIDIS: Final = [PALETTE[f"growth-{step}"] for step in range(8, -1, -1)]

_TAG: Final = re.compile(r"<(/?)(i|b|sup|sub|br)\s*/?>")

_SPANS: Final = {
    "i": ' font-style="italic"',
    "b": ' font-weight="bold"',
    "sup": ' dy="-4" font-size="9"',
    "sub": ' dy="3" font-size="9"',
}

_MARKS: Final[Mapping[str, str]] = {
    "circle": "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0 -2 0Z",
    "diamond": "M0 -1.3L1.3 0L0 1.3L-1.3 0Z",
    "square": "M-.9 -.9H.9V.9H-.9Z",
    "triangle-up": "M0 -1.2L1.1 .8H-1.1Z",
    "triangle-down": "M0 1.2L1.1 -.8H-1.1Z",
    "cross": "M-.4 -1.2H.4V-.4H1.2V.4H.4V1.2H-.4V.4H-1.2V-.4H-.4Z",
    "x": "M-1 -.6L-.6 -1L0 -.4L.6 -1L1 -.6L.4 0L1 .6L.6 1L0 .4L-.6 1L-1 .6L-.4 0Z",
}
"""Symbols of a radius of one."""


def svg(figure: Figure, heading: str = "", place: str = "") -> bytes:
    """Return a picture of a figure.

    Parameters
    ----------
    heading, place
        Lines above it: what is drawn, and of which commit and machine.
    """
    return _Picture(figure, heading, place).drawn().encode()


@dataclass(slots=True)
class _Axis:
    """Where values are between `start` and `end`, and what its ticks say."""

    layout: Mapping[str, Any]
    values: list[Any]
    start: float = 0.0
    end: float = 1.0
    low: float = field(init=False)
    high: float = field(init=False)
    ticks: list[tuple[float, str]] = field(init=False)
    names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        texts = [each for each in self.values if isinstance(each, str)]
        kind = self.layout.get("type") or ("category" if texts else "linear")
        self.names = list(dict.fromkeys(texts)) if "category" in kind else []
        known = [at for each in self.values if isfinite(at := self.number(each))]
        low, high = min(known, default=0.0), max(known, default=1.0)
        room = 0.04 * (high - low) or 0.5
        low, high = low - room, high + room
        if self.names:
            low, high = -0.6, len(self.names) - 0.4
        elif self.layout.get("rangemode") == "tozero" and not self.is_log:
            low = min(low + room, 0.0)
        self.low, self.high = map(self._end, self.layout.get("range", (low, high)))
        self.ticks = [*self._ticks()]

    @property
    def is_log(self) -> bool:
        return self.layout.get("type") == "log"

    def number(self, value: Any) -> float:
        """Return a value as the axis counts it."""
        if value is None:
            return nan
        if isinstance(value, str):
            if self.names:
                return float(self.names.index(value))
            moment = datetime.fromisoformat(value)
            return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
        if self.is_log:
            return log10(value) if value > 0 else nan
        return float(value)

    def at(self, value: Any) -> float:
        """Return where a value is."""
        return self.place(self.number(value))

    def place(self, number: float) -> float:
        share = (number - self.low) / (self.high - self.low or 1.0)
        return self.start + share * (self.end - self.start)

    def _end(self, value: Any) -> float:
        return float(value) if not isinstance(value, str) else self.number(value)

    def _ticks(self) -> Iterator[tuple[float, str]]:
        form, suffix = (
            self.layout.get(name, "") for name in ("tickformat", "ticksuffix")
        )
        if self.layout.get("visible") is False:
            return
        if self.names:
            yield from ((float(place), name) for place, name in enumerate(self.names))
        elif "tickvals" in self.layout:
            for value, text in zip(
                self.layout["tickvals"], self.layout["ticktext"], strict=True
            ):
                yield self.number(value), text
        elif self.layout.get("type") == "date":
            for moment in np.linspace(self.low, self.high, 5)[1:-1].tolist():
                yield moment, f"{datetime.fromtimestamp(moment, UTC):%-d %b %Y}"
        else:
            values = (log_ticks if self.is_log else even_ticks)(self.low, self.high)
            for value in values:
                is_share = "%" in form
                text = tick_text(100 * value if is_share else value, "")
                yield self.number(value), text + (" %" if is_share else suffix)


@dataclass(slots=True)
class _Picture:
    figure: Figure
    heading: str
    place: str
    parts: list[str] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)

    def drawn(self) -> str:
        """Return the whole picture."""
        layout, traces = self.figure.layout, _laid_out(self.figure)
        x, y = (
            _Axis(layout.get(f"{name}axis", {}), _values(traces, name)) for name in "xy"
        )
        entries = _entries(layout, traces)
        rows = _rows(entries)
        top = EDGE + LINE * (bool(self.heading) + bool(self.place) + len(rows)) + 14
        has_bar = any("colorbar" in trace for trace in traces)
        widest = max((_width(text) for _, text in y.ticks), default=0.0)
        left = EDGE + widest + 8 + LINE * bool(_title(y))
        names = [note["text"] for note in layout.get("annotations", ()) if "ax" in note]
        beside = max(map(_width, names), default=-BESIDE) + BESIDE
        x.start, x.end = left, WIDTH - EDGE - 12 - BAR * has_bar - beside
        y.start, y.end = top + HEIGHT, top
        lines = max((text.count("<br>") for _, text in x.ticks), default=0) + 1
        height = y.start + 8 + LINE * (lines + bool(_title(x))) + EDGE

        self._words()
        self._legend(rows, top)
        self._axes(x, y)
        area = f'x="{x.start:.1f}" y="{y.end:.1f}" width="{x.end - x.start:.1f}"'
        self.parts.append(f'<clipPath id="area"><rect {area} height="{HEIGHT}"/>')
        self.parts.append('</clipPath><g clip-path="url(#area)">')
        shapes = layout.get("shapes", ())
        below = [each for each in shapes if each.get("layer") == "below"]
        for shape in below:
            self._shape(shape, x, y)
        kinds = {
            "scatter": self._scatter,
            "bar": self._bars,
            "contour": self._contour,
        }
        for trace in traces:
            kinds[trace["type"]](trace, x, y)
        for shape in (each for each in shapes if each not in below):
            self._shape(shape, x, y)
        self.parts.append("</g>")
        for note in layout.get("annotations", ()):
            self._note(note, x, y)
        for trace in traces:
            if "colorbar" in trace:
                self._bar(trace, x.end + 14, y)
        size = f'width="{MILLIMETRES}mm" height="{MILLIMETRES * height / WIDTH:.1f}mm"'
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {WIDTH} '
            f'{height:.0f}" font-family="Helvetica, Arial, sans-serif" font-size="12" '
            f'fill="{PALETTE["ink"]}"><title>{escape(self._said)}</title>'
            f'<rect width="{WIDTH}" height="{height:.0f}" fill="#ffffff"/>'
        )
        marks = (f'<path id="{name}" {look}/>' for look, name in self.marks.items())
        return f"{head}<defs>{''.join(marks)}</defs>{''.join(self.parts)}</svg>"

    @property
    def _said(self) -> str:
        return " · ".join(filter(None, (self.heading, self.place)))

    def _words(self) -> None:
        lines = [(self.heading, ' font-weight="bold"'), (self.place, "")]
        for row, (text, look) in enumerate(line for line in lines if line[0]):
            self._text(EDGE, EDGE + LINE * (row + 0.75), escape(text), look)

    def _text(self, x: float, y: float, text: str, look: str = "") -> None:
        for row, line in enumerate(text.split("<br>")):
            at = f'x="{x:.1f}" y="{y + LINE * row:.1f}"'
            self.parts.append(f"<text {at}{look}>{_spans(line)}</text>")

    def _legend(self, rows: Sequence[Sequence[Trace]], top: float) -> None:
        for row, traces in enumerate(rows):
            x, y = float(EDGE), top - LINE * (len(rows) - row) + 3
            for trace in traces:
                look, is_line = _look(trace), "line" in trace and _mode(trace) != "fill"
                if is_line and "lines" in trace.get("mode", ""):
                    self.parts.append(f'<path d="M{x} {y - 4}h22" {_stroke(trace)}/>')
                elif _mode(trace) == "fill":
                    box = f'x="{x}" y="{y - 9}" width="22" height="10"'
                    self.parts.append(f"<rect {box} {look}/>")
                if "markers" in trace.get("mode", ""):
                    self._mark(trace, 0, x + 11, y - 4)
                self._text(x + 28, y, trace["name"])
                x += 28 + _width(trace["name"]) + 18

    def _axes(self, x: _Axis, y: _Axis) -> None:
        grid = f'stroke="{PALETTE["grid"]}"'
        middle = ' text-anchor="middle"'
        quiet = f' fill="{PALETTE["quiet"]}"'
        last = -1e9
        for number, text in x.ticks:
            at = x.place(number)
            if not x.start - 1 <= at <= x.end + 1:
                continue
            if x.layout.get("showgrid", True) and not x.names:
                self.parts.append(f'<path d="M{at:.1f} {y.start:.1f}V{y.end}" {grid}/>')
            if at - _width(text) / 2 > last + 6:
                self._text(at, y.start + LINE, text, middle + quiet)
                last = at + _width(text) / 2
        for number, text in y.ticks:
            at = y.place(number)
            if y.end - 1 <= at <= y.start + 1:
                self.parts.append(
                    f'<path d="M{x.start:.1f} {at:.1f}H{x.end:.1f}" {grid}/>'
                )
                self._text(x.start - 6, at + 4, text, f' text-anchor="end"{quiet}')
        line = f'fill="none" stroke="{PALETTE["quiet"]}"'
        corner = f"M{x.start:.1f} {y.end:.1f}V{y.start:.1f}H{x.end:.1f}"
        if x.ticks or y.ticks:
            self.parts.append(f'<path d="{corner}" {line}/>')
        lines = max((text.count("<br>") for _, text in x.ticks), default=0) + 2
        centre = (x.start + x.end) / 2, (y.start + y.end) / 2
        self._text(centre[0], y.start + LINE * lines + 2, _title(x), middle)
        turned = f'{middle} transform="rotate(-90 {EDGE + 4} {centre[1]:.1f})"'
        self._text(EDGE + 4, centre[1], _title(y), turned)

    def _shape(self, shape: Mapping[str, Any], x: _Axis, y: _Axis) -> None:
        (x0, x1), (y0, y1) = (
            sorted(
                _referred(shape[f"{name}{end}"], shape[f"{name}ref"], axis)
                for end in (0, 1)
            )
            for name, axis in (("x", x), ("y", y))
        )
        line = shape.get("line", {})
        look = f'stroke="{line.get("color", "none")}" stroke-width="{_wide(line)}"'
        look += f'{_dashed(line)} opacity="{shape.get("opacity", 1)}"'
        box = f'x="{x0:.1f}" y="{y0:.1f}" width="{x1 - x0:.1f}" height="{y1 - y0:.1f}"'
        self.parts.append(
            f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" {look}/>'
            if shape["type"] == "line"
            else f'<rect {box} fill="{shape.get("fillcolor", "none")}" {look}/>'
        )

    def _note(self, note: Mapping[str, Any], x: _Axis, y: _Axis) -> None:
        if "ax" in note:
            self._name(note, x.place(x.number(note["x"]) if x.names else note["x"]), y)
            return
        at = _referred(note.get("x", 0.5), note.get("xref", "paper"), x, is_text=True)
        down = _referred(note.get("y", 0.5), note.get("yref", "paper"), y, is_text=True)
        down += {"top": 14, "bottom": -6}.get(note.get("yanchor", ""), 4)
        anchor = "start" if note.get("x") == 0.01 else "middle"
        look = f' text-anchor="{anchor}"'
        if angle := note.get("textangle"):
            look += f' transform="rotate({angle} {at:.1f} {down:.1f})"'
        lines = note["text"].count("<br>")
        self._text(at, down - LINE * lines / 2, note["text"], look)

    def _name(self, note: Mapping[str, Any], at: float, y: _Axis) -> None:
        """Write a name beside the end of its line, with a line that leads to it."""
        down = y.place(note["y"])
        end = at + note["ax"], down + note["ay"]
        leads = f'd="M{at:.1f} {down:.1f}L{end[0]:.1f} {end[1]:.1f}"'
        self.parts.append(f'<path {leads} stroke="{PALETTE["quiet"]}"/>')
        self._text(end[0] + 3, end[1] + 4, note["text"])

    def _scatter(self, trace: Trace, x: _Axis, y: _Axis) -> None:
        xs, ys = trace["x"], trace["y"]
        across, down = [x.at(each) for each in xs], [y.at(each) for each in ys]
        if trace.get("fill") or "base" in trace:
            base = trace.get("base", ())
            across += across[::-1] if len(base) else []
            down += [y.at(each) for each in reversed(base)]
            path = _path(across, down)
            self.parts.append(f'<path d="{path}Z" {_look(trace)}/>' * bool(path))
            return
        error = trace.get("error_y")
        if error is not None:
            stroke = f'stroke="{error["color"]}" stroke-width="{error["thickness"]}"'
            for at, value, up, below in zip(
                across, ys, error["array"], error["arrayminus"], strict=True
            ):
                ends = y.at(value + up), y.at(value - below)
                if isfinite(at) and all(map(isfinite, ends)):
                    line = f"M{at:.1f} {ends[0]:.1f}V{ends[1]:.1f}"
                    self.parts.append(f'<path d="{line}" {stroke}/>')
        if "lines" in trace["mode"] and _wide(trace["line"]):
            path = _path(across, down)
            self.parts.append(f'<path d="{path}" {_stroke(trace)}/>' * bool(path))
        if "markers" in trace["mode"]:
            for place, (at, to) in enumerate(zip(across, down, strict=True)):
                if isfinite(at) and isfinite(to):
                    self._mark(trace, place, at, to)

    def _mark(self, trace: Trace, place: int, x: float, y: float) -> None:
        """Place the marker of a point; those that look alike are drawn once."""
        name = self.marks.setdefault(_marker(trace, place), f"m{len(self.marks)}")
        self.parts.append(f'<use href="#{name}" x="{x:.1f}" y="{y:.1f}"/>')

    def _bars(self, trace: Trace, x: _Axis, y: _Axis) -> None:
        is_level = trace.get("orientation") == "h"
        along, up = (y, x) if is_level else (x, y)
        names, lengths = (trace[each] for each in ("yx" if is_level else "xy"))
        step = abs(along.place(1.0) - along.place(0.0))
        for name, base, length in zip(names, trace["base"], lengths, strict=True):
            middle = along.at(name) + trace["offset"] * step
            ends = sorted((up.at(base), up.at(base + length)))
            first, wide = middle - trace["wide"] * step / 2, trace["wide"] * step
            box = (
                (ends[0], first, ends[1] - ends[0], wide)
                if is_level
                else (first, ends[0], wide, ends[1] - ends[0])
            )
            places = zip(("x", "y", "width", "height"), box, strict=True)
            named = " ".join(f'{each}="{at:.1f}"' for each, at in places)
            self.parts.append(f'<rect {named} fill="{trace["marker"]["color"]}"/>')

    def _contour(self, trace: Trace, x: _Axis, y: _Axis) -> None:
        """Fill steps of a surface that is linear between the logarithms of settings."""
        scales, z = np.log(np.asarray(trace["x"], float)), np.asarray(trace["z"], float)
        at = np.linspace(scales[0], scales[-1], CELLS + 1)
        middles = (at[1:] + at[:-1]) / 2
        cell = np.clip(np.searchsorted(scales, middles) - 1, 0, len(scales) - 2)
        share = (middles - scales[cell]) / np.diff(scales)[cell]
        rows = z[cell] * (1 - share[:, None]) + z[cell + 1] * share[:, None]
        values = rows[:, cell] * (1 - share) + rows[:, cell + 1] * share
        step = trace["contours"]["size"]
        levels = np.floor(values / step + 1e-9) * step + step / 2
        edges = np.exp(at)
        for row, line in enumerate(levels):
            y0, y1 = y.at(edges[row]), y.at(edges[row + 1])
            starts = [0, *(np.flatnonzero(np.diff(line) != 0) + 1).tolist(), CELLS]
            for first, last in pairwise(starts):
                if not isfinite(line[first]):
                    continue
                x0, x1 = x.at(edges[first]), x.at(edges[last])
                box = f'x="{x0:.1f}" y="{y1:.1f}" width="{x1 - x0:.1f}"'
                fill = _scaled(trace, float(line[first]))
                self.parts.append(
                    f'<rect {box} height="{y0 - y1 + 0.3:.1f}" fill="{fill}"/>'
                )

    def _bar(self, trace: Trace, left: float, y: _Axis) -> None:
        bar, low, high = trace["colorbar"], trace["zmin"], trace["zmax"]
        steps = max(1, round((high - low) / trace["contours"]["size"]))
        tall = HEIGHT / steps
        for step in range(steps):
            value = low + (step + 0.5) * (high - low) / steps
            box = f'x="{left:.1f}" y="{y.start - (step + 1) * tall:.1f}" width="12"'
            fill = _scaled(trace, value)
            self.parts.append(f'<rect {box} height="{tall + 0.3:.1f}" fill="{fill}"/>')
        for value, text in zip(bar["tickvals"], bar["ticktext"], strict=True):
            at = y.start - HEIGHT * (value - low) / (high - low or 1.0)
            self._text(left + 18, at + 4, text)
        self._text(left, y.end - 8, bar.get("title", {}).get("text", ""))


def _laid_out(figure: Figure) -> list[Trace]:
    """Return traces with what those below them take: of stacked areas and of bars."""
    traces: list[Trace] = []
    sums: dict[str, list[float]] = {}
    bars = [trace for trace in figure.data if trace["type"] == "bar"]
    is_group = figure.layout.get("barmode") == "group"
    for given in figure.data:
        trace = dict(given)
        if trace["type"] == "scatter" and trace.get("x") is not None:
            trace["x"] = _flat(trace["x"])
            trace["y"] = list(trace["y"])
        if "stackgroup" in trace:
            below = sums.get("area", [0.0] * len(trace["y"]))
            trace["base"] = below
            trace["y"] = [a + b for a, b in zip(below, trace["y"], strict=True)]
            sums["area"] = trace["y"]
        if trace["type"] == "bar":
            level = trace.get("orientation") == "h"
            lengths = list(trace["x" if level else "y"])
            place, count = (
                [each["name"] for each in bars].index(trace["name"]),
                len(bars),
            )
            wide = 1 - figure.layout.get("bargap", 0.2)
            trace["wide"] = wide / count if is_group else wide
            trace["offset"] = (place - (count - 1) / 2) * wide / count * is_group
            trace["base"] = [0.0] * len(lengths)
            if not is_group:
                trace["base"] = sums.get("bar", trace["base"])
                pairs = zip(trace["base"], lengths, strict=True)
                sums["bar"] = [a + b for a, b in pairs]
        traces.append(trace)
    return traces


def _flat(values: Any) -> list[Any]:
    """Return categories of two levels as names of two lines."""
    if len(values) == 2 and isinstance(values[0], list):
        return [f"{inner}<br>{outer}" for outer, inner in zip(*values, strict=True)]
    return list(values)


def _values(traces: Sequence[Trace], name: str) -> list[Any]:
    """Return all that an axis has to show."""
    values: list[Any] = []
    for trace in traces:
        values += list(trace[name])
        is_length = (name == "x") == (trace.get("orientation") == "h")
        if "base" in trace and (is_length or trace["type"] == "scatter"):
            if trace["type"] == "bar":
                pairs = zip(trace["base"], trace[name], strict=True)
                values += [0.0, *(a + b for a, b in pairs)]
            elif name == "y":
                values += trace["base"]
    return values


def _entries(layout: Mapping[str, Any], traces: Sequence[Trace]) -> list[Trace]:
    """Return what the legend lists, as plotly decides it."""
    if layout.get("showlegend") is False:
        return []
    listed = [
        trace
        for trace in traces
        if trace.get("showlegend", True) and "name" in trace and "z" not in trace
    ]
    is_stated = any(trace.get("showlegend") for trace in traces)
    if len(listed) < 2 and not is_stated:
        return []
    is_reversed = layout.get("legend", {}).get("traceorder") == "reversed"
    return listed[::-1] if is_reversed else listed


def _rows(entries: Sequence[Trace]) -> list[list[Trace]]:
    """Return entries in rows that are no wider than the picture."""
    rows: list[list[Trace]] = []
    left = 0.0
    for trace in entries:
        wide = 46 + _width(trace["name"])
        if not rows or left + wide > WIDTH - 2 * EDGE:
            rows.append([])
            left = 0.0
        rows[-1].append(trace)
        left += wide
    return rows


def _spans(text: str) -> str:
    """Return markup of a figure as spans; exponents raised, what follows lowered."""
    written, end, back = [], 0, ""
    for tag in [*_TAG.finditer(text), None]:
        part = unescape(text[end : tag.start() if tag else None])
        if part:
            written.append(
                f"<tspan{back}>{escape(part)}</tspan>" if back else escape(part)
            )
            back = ""
        if tag is None:
            break
        end = tag.end()
        if tag[1]:
            written.append("</tspan>")
            back = {"sup": ' dy="4"', "sub": ' dy="-3"'}.get(tag[2], back)
        else:
            written.append(f"<tspan{_SPANS[tag[2]]}>")
    return "".join(written)


def _width(text: str) -> float:
    lines = (len(unescape(_TAG.sub("", line))) for line in text.split("<br>"))
    return LETTER * max(lines)


def _title(axis: _Axis) -> str:
    title = axis.layout.get("title", {})
    return str(title.get("text", "")) if isinstance(title, Mapping) else str(title)


def _referred(value: Any, to: str, axis: _Axis, *, is_text: bool = False) -> float:
    """Return where a shape or a text is; texts count logarithms, as plotly does."""
    if to.endswith("domain") or to == "paper":
        return axis.start + float(value) * (axis.end - axis.start)
    return axis.place(value) if is_text and axis.is_log else axis.at(value)


def _path(across: Sequence[float], down: Sequence[float]) -> str:
    """Return a path through points, interrupted where one is unknown."""
    parts, command = [], "M"
    for x, y in zip(across, down, strict=True):
        if isfinite(x) and isfinite(y):
            parts.append(f"{command}{x:.1f} {y:.1f}")
            command = "L"
        else:
            command = "M"
    return "".join(parts)


def _mode(trace: Trace) -> str:
    is_filled = "fill" in trace or "stackgroup" in trace or trace["type"] == "bar"
    return "fill" if is_filled else str(trace.get("mode", ""))


def _look(trace: Trace) -> str:
    """Return how an area looks."""
    fill = trace.get("fillcolor") or trace.get("marker", {}).get("color", "none")
    return f'fill="{fill}" fill-opacity="{trace.get("opacity", 1)}"'


def _stroke(trace: Trace) -> str:
    line = trace["line"]
    colour = line.get("color", PALETTE[trace.get("meta", "ink")])
    look = f'fill="none" stroke="{colour}" stroke-width="{_wide(line)}"'
    return look + _dashed(line)


def _wide(line: Mapping[str, Any]) -> float:
    return float(line.get("width", 2))


def _dashed(line: Mapping[str, Any]) -> str:
    dash = {"dot": "2,3", "solid": ""}.get(line.get("dash", ""), line.get("dash", ""))
    return f' stroke-dasharray="{dash.replace("px", "")}"' if dash else ""


def _marker(trace: Trace, place: int) -> str:
    """Return how the marker of a point looks, hollow where its symbol is open."""
    marker = trace["marker"]

    def of(name: str, default: Any) -> Any:
        value = marker.get(name, default)
        return value[place] if isinstance(value, list | tuple | np.ndarray) else value

    symbol, colour = of("symbol", "circle"), of("color", PALETTE["ink"])
    size = float(of("size", 6)) / 2
    shape, is_open = symbol.removesuffix("-open"), symbol.endswith("-open")
    fill = "#ffffff" if is_open else colour
    edge = f' stroke="{colour}" stroke-width="{1.5 / size:.2f}"' if is_open else ""
    opacity = f' fill-opacity="{of("opacity", 1)}"' if "opacity" in marker else ""
    scale = f'transform="scale({size:.3g})"'
    return f'd="{_MARKS[shape]}" {scale} fill="{fill}"{edge}{opacity}'


def _scaled(trace: Trace, value: float) -> str:
    """Return the colour of a value on the scale of a contour."""
    scale = trace["colorscale"]
    colours = VIRIDIS if scale == "Viridis" else [colour for _, colour in scale]
    low, high = trace["zmin"], trace["zmax"]
    at = min(max((value - low) / (high - low or 1.0), 0.0), 1.0) * (len(colours) - 1)
    first = min(int(at), len(colours) - 2)
    share = at - first
    channels = zip(
        *(_channels(each) for each in colours[first : first + 2]), strict=True
    )
    mixed = (round(a * (1 - share) + b * share) for a, b in channels)
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def _channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
