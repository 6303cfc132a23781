"""Printed pictures of a scan: time, speed-up and efficiency, readable in grey.

Measured sizes are filled, forecasts open, the ideal is dashed, limits are dotted. By
matplotlib, which the extra `report` brings; the same numbers have the same bytes.
"""

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from math import log2, log10
from pathlib import Path
from typing import Any, Final

GREY, INK = "#59616b", "#1b1f24"

MEASURED: Final = "#663b90"
"""The hue of the first machine in every figure."""

STYLE: Final[Any] = {
    "font.size": 8,
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "axes.linewidth": 0.6,
    "axes.edgecolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 6.5,
    "legend.frameon": False,
    "lines.linewidth": 1.1,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "scalewatch",
}

METADATA: Final[Mapping[str, Mapping[str, Any]]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "svg": {"Date": None},
    "png": {"Software": None},
}

EXTENSIONS: Final = tuple(METADATA)

TOGETHER: Final = "scaling"
"""The picture of all panels side by side."""

MOST_TICKS: Final = 7


@dataclass(frozen=True, slots=True)
class PrintedPoint:
    """A size with its value, speed-up and efficiency, each as (low, value, high)."""

    size: float
    value: tuple[float, float, float]
    speed_up: tuple[float, float, float]
    efficiency: tuple[float, float, float]
    is_forecast: bool


@dataclass(frozen=True, slots=True)
class PrintedScan:
    """A scan as its pictures need it.

    Parameters
    ----------
    scale_title, value_title, speed_up_title
        Titles of axes, with units.
    points
        By ascending size; forecasts last.
    limits
        Efficiencies that are marked.
    ideal
        Exponent of the ideal value over the size: -1, 0 or 1.
    """

    scale_title: str
    value_title: str
    speed_up_title: str
    points: Sequence[PrintedPoint]
    limits: Sequence[float]
    ideal: int

    @property
    def sizes(self) -> list[float]:
        """All sizes, ascending."""
        return [point.size for point in self.points]


def write_figures(scans: Mapping[str, PrintedScan], folder: Path) -> None:
    """Write each panel of scans, and all together, as PDF, SVG and PNG.

    Parameters
    ----------
    scans
        By what is behind the names of their files.

    Raises
    ------
    ModuleNotFoundError
        Without matplotlib.
    """
    with _quiet_home():
        import matplotlib as mpl  # noqa: PLC0415 - an extra
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

        with mpl.rc_context(dict(STYLE)):
            for (mark, scan), name in product(scans.items(), (*PANELS, TOGETHER)):
                is_all = name == TOGETHER
                size = (6.3, 2.15) if is_all else (3.15, 2.35)
                figure = Figure(figsize=size, layout="constrained")
                drawn = list(PANELS) if is_all else [name]
                axes = figure.subplots(1, len(drawn), squeeze=False)[0]
                for panel, ax in zip(drawn, axes, strict=True):
                    PANELS[panel](ax, scan)
                for extension in EXTENSIONS:
                    path = folder / f"{name}{mark}.{extension}"
                    figure.savefig(path, dpi=300, metadata=dict(METADATA[extension]))


@contextmanager
def _quiet_home() -> Iterator[None]:
    """Let matplotlib keep its list of fonts where it may write."""
    if "MPLCONFIGDIR" in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="scalewatch-") as folder:
        os.environ["MPLCONFIGDIR"] = folder
        try:
            yield
        finally:
            del os.environ["MPLCONFIGDIR"]


def _time(ax: Any, scan: PrintedScan) -> None:
    base = scan.points[0]
    ends = [scan.sizes[0], scan.sizes[-1]]
    ideal = [base.value[1] * (size / base.size) ** scan.ideal for size in ends]
    ax.plot(ends, ideal, "--", color=GREY, lw=0.9, label="ideal", zorder=1)
    _points(ax, scan, lambda point: point.value)
    values = [each for point in scan.points for each in point.value] + ideal
    if max(values) > 3 * min(values):
        ax.set_yscale("log")
        ax.set_ylim(min(values) / 1.35, max(values) * 1.35)
        _log_ticks(ax.yaxis, min(values), max(values))
    else:
        ax.set_ylim(0, 1.15 * max(values))
    ax.set_ylabel(scan.value_title)
    _over_sizes(ax, scan)
    ax.legend(loc="best", handlelength=2.2)


def _speed_up(ax: Any, scan: PrintedScan) -> None:
    base = scan.points[0].size
    ends = [scan.sizes[0], scan.sizes[-1]]
    ideal = [size / base for size in ends]
    ax.plot(ends, ideal, "--", color=GREY, lw=0.9, label="ideal", zorder=1)
    _points(ax, scan, lambda point: point.speed_up)
    ax.set_yscale("log", base=2)
    ax.set_ylim(0.8, ideal[-1] * 1.3)
    powers = [2.0**power for power in range(int(log2(ideal[-1] * 1.3)) + 1)]
    _fixed(ax.yaxis, powers[:: -(-len(powers) // MOST_TICKS)])
    ax.set_ylabel(scan.speed_up_title)
    _over_sizes(ax, scan)


def _efficiency(ax: Any, scan: PrintedScan) -> None:
    ax.axhline(100, ls="--", color=GREY, lw=0.9, zorder=1)
    for limit in scan.limits:
        ax.axhline(100 * limit, ls=(0, (1, 2)), color=GREY, lw=0.8, zorder=1)
    _points(ax, scan, lambda p: tuple(100 * each for each in p.efficiency))
    top = max(100 * min(p.efficiency[2], 1.06 * p.efficiency[1]) for p in scan.points)
    ax.set_ylim(0, max(108, top))
    ax.set_ylabel("Parallel efficiency (%)")
    _over_sizes(ax, scan)


PANELS: Final[Mapping[str, Callable[[Any, PrintedScan], None]]] = {
    "time": _time,
    "speedup": _speed_up,
    "efficiency": _efficiency,
}


def _points(
    ax: Any,
    scan: PrintedScan,
    interval: Callable[[PrintedPoint], tuple[float, ...]],
) -> None:
    """Draw what was measured, joined, and what is forecast, open."""
    for is_forecast, colour, face, label in (
        (False, MEASURED, MEASURED, "measured"),
        (True, INK, "white", "forecast"),
    ):
        points = [p for p in scan.points if p.is_forecast is is_forecast]
        if not points:
            continue
        low, middle, high = zip(*map(interval, points), strict=True)
        errors = [
            [m - least for m, least in zip(middle, low, strict=True)],
            [most - m for m, most in zip(middle, high, strict=True)],
        ]
        sizes = [point.size for point in points]
        if not is_forecast:
            ax.plot(sizes, middle, "-", color=colour, lw=0.7, zorder=2)
        ax.errorbar(
            sizes,
            middle,
            errors,
            fmt="o",
            ms=3.6,
            mfc=face,
            mec=colour,
            ecolor=colour,
            elinewidth=0.8,
            capsize=1.8,
            zorder=5,
            label=label,
        )


def _over_sizes(ax: Any, scan: PrintedScan) -> None:
    ax.set_xscale("log", base=2)
    ax.set_xlim(scan.sizes[0] / 1.18, scan.sizes[-1] * 1.18)
    width = 72 * ax.figure.get_figwidth() / len(ax.figure.axes) - 46
    _fixed(ax.xaxis, _apart(scan.sizes, width))
    ax.set_xlabel(scan.scale_title)


def _apart(sizes: Sequence[float], width: float) -> list[float]:
    """Return as many sizes as there is room to name, the first and last among them.

    Parameters
    ----------
    width
        Of the axis, in points.
    """
    span = max(log2(sizes[-1] / sizes[0]), 1e-9)

    def clear(a: float, b: float) -> bool:
        letters = len(f"{a:,.10g}") + len(f"{b:,.10g}")
        return abs(log2(b / a)) / span * width > 2.25 * letters + 4

    for every in range(1, len(sizes)):
        kept = [*sizes[:-1:every], sizes[-1]]
        if len(kept) > 2 and not clear(kept[-2], kept[-1]):
            del kept[-2]
        if all(map(clear, kept, kept[1:])):
            return kept
    return [sizes[0], sizes[-1]]


def _log_ticks(axis: Any, low: float, high: float) -> None:
    steps = (1, 2, 5) if high < 300 * low else (1,)
    powers = range(int(log10(low)) - 1, int(log10(high)) + 2)
    ticks = [step * 10.0**power for power in powers for step in steps]
    _fixed(axis, [tick for tick in ticks if low / 1.35 <= tick <= high * 1.35])


def _fixed(axis: Any, ticks: Sequence[float]) -> None:
    from matplotlib.ticker import (  # noqa: PLC0415 - an extra
        FixedFormatter,
        FixedLocator,
        NullLocator,
    )

    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_major_formatter(FixedFormatter([f"{tick:,.10g}" for tick in ticks]))
    axis.set_minor_locator(NullLocator())
