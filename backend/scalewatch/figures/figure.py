"""Figures as plotly.js draws them: traces and a layout, in the words of its schema.

Plotly's own classes check every attribute each time, which takes longer than all that
leads to a figure; here the tests do that, once.
"""

from dataclasses import dataclass, field
from html import escape, unescape
from typing import Any, Final

import numpy as np
import orjson

from scalewatch.figures.colours import GREY, PALETTE

Trace = dict[str, Any]

LABEL: Final = 16
"""Letters of a name at the end of its line; of a longer one both ends are shown."""

MARGIN: Final = 118
"""Pixels beside the lines for their names."""

HIGH: Final = 260
APART: Final = 14
"""Pixels from the lowest to the highest value, about, and between two names."""

AROUND: Final = 0.05
"""Share of the axis that is left on both sides of what is drawn."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Traces on a layout; whoever makes one adds to both."""

    layout: dict[str, Any]
    data: list[Trace] = field(default_factory=list)

    def json(self) -> bytes:
        """Return what plotly.js reads."""
        document = {"data": self.data, "layout": self.layout}
        return orjson.dumps(document, np.ndarray.tolist, orjson.OPT_SERIALIZE_NUMPY)

    def update_layout(self, **parts: Any) -> None:
        """Set parts of the layout; what is there of a part stays."""
        for name, part in parts.items():
            known = self.layout.get(name, {})
            self.layout[name] = {**known, **part} if isinstance(part, dict) else part

    def add_scatter(self, **attributes: Any) -> None:
        """Add points or lines."""
        self._add("scatter", attributes)

    def add_band(
        self, x: Any, low: Any, high: Any, role: str, opacity: float, **more: Any
    ) -> None:
        """Fill between two curves over `x` in the colour of a role."""
        self.add_scatter(
            x=np.concatenate([x, x[::-1]]),
            y=np.concatenate([low, high[::-1]]),
            mode="lines",
            fill="toself",
            line={"width": 0},
            opacity=opacity,
            hoverinfo="skip",
            **more,
            meta=role,
        )

    def add_bar(self, **attributes: Any) -> None:
        """Add bars."""
        self._add("bar", attributes)

    def add_contour(self, **attributes: Any) -> None:
        """Add contours."""
        self._add("contour", attributes)

    def add_level(self, y: float, line: dict[str, Any]) -> None:
        """Add a line at `y` from edge to edge."""
        along = {"xref": "x domain", "x0": 0, "x1": 1}
        self.add_shape(type="line", **along, yref="y", y0=y, y1=y, line=line)

    def add_box(self, kind: str, role: str, first: Any, last: Any, **look: Any) -> None:
        """Add a line or a rectangle from `first` to `last`, as high as the figure."""
        along = {
            "xref": "x",
            "yref": "paper",
            "x0": first,
            "x1": last,
            "y0": 0,
            "y1": 1,
        }
        self.add_shape(name=role, type=kind, **along, **look)

    def add_shape(self, **attributes: Any) -> None:
        """Add a shape; the role of its colour is its `name`."""
        self.layout.setdefault("shapes", []).append(attributes)

    def label_lines(self) -> None:
        """Name the lines without a hue at their ends, where names stay apart."""
        ends = [
            (trace["name"], *end)
            for trace in self.data
            if trace.get("meta") == GREY
            and trace.get("showlegend", True)
            and (end := self._end(trace)) is not None
        ]
        if not ends:
            return
        ends.sort(key=lambda end: end[2])
        low, high = self._extent()
        heights = HIGH * (np.array([y for _, _, y in ends]) - low) / (high - low or 1.0)
        steps = APART * np.arange(len(ends))
        spread = np.maximum.accumulate(heights - steps) + steps
        spread -= max(0.0, spread[-1] - max(HIGH, steps[-1]))
        self.layout["annotations"] = [
            *self.layout.get("annotations", ()),
            *(
                {
                    "text": _shortened(name),
                    "x": x,
                    "y": y,
                    "ax": 18,
                    "ay": float(height - label),
                    "xanchor": "left",
                    "arrowhead": 0,
                    "arrowwidth": 1,
                }
                for (name, x, y), height, label in zip(
                    ends, heights, spread, strict=True
                )
            ),
        ]
        self.update_layout(margin={"r": MARGIN})
        if self.layout["xaxis"].get("type") != "category":
            # Plotly would make room for names within the axes, too.
            known = [self._counted("x", trace["x"]) for trace in self.data]
            first, last = (
                np.nanmin(np.concatenate(known)),
                np.nanmax(np.concatenate(known)),
            )
            room = AROUND * float(last - first)
            self.update_layout(xaxis={"range": [first - room, last + room]})

    def _end(self, trace: Trace) -> tuple[Any, float] | None:
        """Return where a trace ends, as annotations count; None if it has no points."""
        known = [
            (x, y)
            for x, y in zip(trace["x"], self._counted("y", trace["y"]), strict=True)
            if np.isfinite(y)
        ]
        if not known:
            return None
        x, y = known[-1]
        return (x if isinstance(x, str) else self._counted("x", [x])[0].item()), float(
            y
        )

    def _counted(self, axis: str, values: Any) -> np.ndarray[Any, Any]:
        """Return values as an axis counts them: logarithms where it is one of these."""
        numbers = np.array([np.nan if v is None else v for v in values], np.float64)
        if self.layout.get(f"{axis}axis", {}).get("type") != "log":
            return numbers
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.log10(numbers)

    def _extent(self) -> tuple[float, float]:
        if stated := self.layout["yaxis"].get("range"):
            return float(stated[0]), float(stated[1])
        drawn = np.concatenate([self._counted("y", trace["y"]) for trace in self.data])
        drawn = drawn[np.isfinite(drawn)]
        return float(drawn.min()), float(drawn.max())

    def _add(self, kind: str, attributes: Trace) -> None:
        """Add a trace in the colour of its role, unless it states another one."""
        trace = {"type": kind, **attributes}
        if "meta" in trace:
            colour = PALETTE[trace["meta"]]
            if kind == "bar":
                trace["marker"] = {}
            for part in ("line", "marker", "error_y"):
                if part in trace:
                    trace[part] = {"color": colour, **trace[part]}
            if "fill" in trace or "stackgroup" in trace:
                trace.setdefault("fillcolor", colour)
        self.data.append(trace)


def _shortened(name: str) -> str:
    """Return an escaped name as there is room for it beside its line."""
    whole = unescape(name)
    if len(whole) <= LABEL:
        return name
    return escape(f"{whole[: LABEL // 2 - 1]}…{whole[-LABEL // 2 :]}")
