"""Small lines of history as one sheet of SVG, whose parts the cells of a table use.

A step line shows how steep the growth was at each commit, the steeper the higher;
a mismatch is drawn in its colour and twice as thick, a growth that is better than
promised in its own colour and dotted.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, Final

from fastapi import APIRouter, Header, Query, Response

from scalewatch.modelling import Growth, Mark
from scalewatch.services.match_table.sparklines import LinePoint, sparklines
from scalewatch.services.selection.view import View
from scalewatch.web.sessions import ReadingDep

WIDTH: Final = 60
HEIGHT: Final = 14
MARGIN: Final = 2
LOWEST, STEEPEST = -0.5, 2.0
"""Exponents at the foot and at the top of a line; what is beyond stays there."""

LOGARITHM: Final = 0.2
"""A logarithm counts as this much of an exponent."""

DRAWN: Final = 'fill="none" stroke-linecap="round" vector-effect="non-scaling-stroke"'

STYLES: Final = {
    Mark.MISMATCH: "stroke:var(--verdict-mismatch);stroke-width:2px",
    Mark.BETTER: "stroke:var(--verdict-better);stroke-width:2px;stroke-dasharray:1 3",
}

router = APIRouter(include_in_schema=False)


@router.get("/p/{project}/sparklines.svg", name="sparklines")
def show_sparklines(
    session: ReadingDep,
    project: str,
    metric: Annotated[list[str], Query()],
    commit: str | None = None,
    if_none_match: Annotated[str, Header()] = "",
) -> Response:
    """Return the lines of all series up to a commit, each under its own name."""
    found = sparklines(session, View(project, commit or None), tuple(metric))
    step = (WIDTH - 2 * MARGIN) / max(found.commits - 1, 1)
    parts = [symbol(series, line, step) for series, line in found.lines.items()]
    body = (f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>').encode()
    tag = f'"{sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if tag in if_none_match:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type="image/svg+xml", headers=headers)


def symbol(series: int, line: Sequence[LinePoint], step: float) -> str:
    """Draw the line of a series."""
    whole = _path(line, step)
    drawn = f'<path d="{whole}" stroke="currentColor" {DRAWN}/>' if whole else ""
    for mark, style in STYLES.items():
        if part := _path([point for point in line if point.mark is mark], step):
            drawn += f'<path d="{part}" style="{style}" {DRAWN}/>'
    return f'<symbol id="s{series}" viewBox="0 0 {WIDTH} {HEIGHT}">{drawn}</symbol>'


def _path(line: Sequence[LinePoint], step: float) -> str:
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
    return f"{HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN):.1f}"
