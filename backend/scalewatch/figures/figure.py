"""Figures as plotly.js draws them: traces and a layout, in the words of its schema.

Plotly's own classes check every attribute each time, which takes longer than all that
leads to a figure; here the tests do that, once.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import orjson

from scalewatch.figures.colours import PALETTE

Trace = dict[str, Any]


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
            fillcolor=PALETTE[role],
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

    def _add(self, kind: str, attributes: Trace) -> None:
        self.data.append({"type": kind, **attributes})
