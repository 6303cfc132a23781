"""Hotspots: how profiles differ along a scan, and what they consist of.

The differences are those of Figure 3 of "Formulation of Scientific Codes",
LA-UR-14-26577: the setting to the right, 1 - p of χ² upwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

import numpy as np

from scalewatch.figures.axes import NAMES, canvas, category_axis, parameter_axis
from scalewatch.figures.colours import PALETTE, machine_dash, machine_role, symbol
from scalewatch.figures.figure import Figure
from scalewatch.modelling import Movement, ScanStep

Setting = float | str

MOST_FUNCTIONS: Final = 6
"""Functions that have a colour of their own; the others share one."""

MOST_MOVEMENTS: Final = 10
"""Functions that are shown side by side."""

OTHERS: Final = "all others"


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """The steps of one scan.

    Parameters
    ----------
    name
        In the legend, plain text.
    """

    name: str
    steps: tuple[ScanStep, ...]


def differences_figure(parameter: str, lines: Sequence[DifferenceLine]) -> Figure:
    """Plot how much each profile differs from the one it is compared with."""
    figure = canvas()
    drawn = [line for line in lines if line.steps]
    if not drawn:
        return figure
    settings = [step.after for line in drawn for step in line.steps]
    numbers = [value for value in settings if isinstance(value, float)]
    is_numeric = len(numbers) == len(settings) and min(numbers) > 0
    figure.update_layout(
        xaxis=parameter_axis(parameter, np.array(numbers))
        if is_numeric
        else category_axis(escape(NAMES.get(parameter, parameter))),
        yaxis=_share_axis("difference of the profiles, 1 − p"),
    )
    for slot, line in enumerate(drawn):
        role = machine_role(slot)
        figure.add_scatter(
            x=[step.after for step in line.steps],
            y=[step.difference.difference for step in line.steps],
            customdata=[
                (
                    setting_text(step.before),
                    step.difference.chi2,
                    step.corrected_p_value,
                    "significant" if step.is_significant else "not significant",
                )
                for step in line.steps
            ],
            mode="lines+markers",
            line={"width": 2, "dash": machine_dash(slot)},
            marker={
                "size": [12 if step.is_significant else 6 for step in line.steps],
                "symbol": symbol(slot),
            },
            name=escape(line.name),
            showlegend=True,
            hovertemplate=(
                "%{customdata[0]} → %{x}<br>χ² = %{customdata[1]:.3~g}<br>"
                "corrected p = %{customdata[2]:.2~g}, %{customdata[3]}<extra></extra>"
            ),
            meta=role,
        )
    figure.label_lines()
    return figure


def shares_figure(
    parameter: str,
    settings: Sequence[Setting],
    functions: Sequence[str],
    seconds: Sequence[Sequence[float]],
) -> Figure:
    """Plot what each profile of a scan consists of, as stacked bars.

    Parameters
    ----------
    settings, functions
        Of the scan, and names.
    seconds
        Times, shape (settings, functions).
    """
    figure = canvas()
    if not seconds:
        return figure
    times = np.array(seconds)
    shares = times / times.sum(axis=1, keepdims=True)
    order = np.argsort(-shares.mean(axis=0), kind="stable")
    bars = [(functions[i], shares[:, i]) for i in order[:MOST_FUNCTIONS].tolist()]
    if order.size > MOST_FUNCTIONS:
        bars.append((OTHERS, shares[:, order[MOST_FUNCTIONS:]].sum(axis=1)))
    figure.update_layout(
        barmode="stack",
        bargap=0.25,
        xaxis=category_axis(escape(NAMES.get(parameter, parameter))),
        yaxis=_share_axis("share of the time"),
    )
    labels = [setting_text(setting) for setting in settings]
    for slot, (name, share) in enumerate(bars):
        role = machine_role(slot) if slot < MOST_FUNCTIONS else "grid"
        figure.add_bar(
            x=labels,
            y=share,
            name=escape(name),
            hovertemplate="%{x}: %{y:.1%}",
            meta=role,
        )
    return figure


def movements_figure(
    before: Setting, after: Setting, moved: Sequence[Movement]
) -> Figure:
    """Plot two profiles side by side, what explains their difference on top."""
    figure = canvas()
    shown = list(moved[:MOST_MOVEMENTS])[::-1]
    if not shown:
        return figure
    names = [escape(each.function) for each in shown]
    figure.update_layout(
        barmode="group",
        bargap=0.3,
        legend={"traceorder": "reversed"},
        xaxis=_share_axis("share of the time"),
        yaxis={"automargin": True, "gridcolor": PALETTE["grid"]},
    )
    for setting, shares, role in (
        (after, [each.share_after for each in shown], "machine-0"),
        (before, [each.share_before for each in shown], "quiet"),
    ):
        figure.add_bar(
            x=shares,
            y=names,
            orientation="h",
            name=setting_text(setting),
            hovertemplate="%{y}: %{x:.1%}",
            meta=role,
        )
    return figure


def setting_text(setting: Setting) -> str:
    """Write a setting of a scan, safe for a figure."""
    return escape(setting) if isinstance(setting, str) else f"{setting:,g}"


def _share_axis(title: str) -> dict[str, Any]:
    return {
        "automargin": True,
        "gridcolor": PALETTE["grid"],
        "range": [0, 1.04],
        "tickformat": ".0%" if "share" in title else "",
        "title": {"text": title, "standoff": 12},
        "zeroline": False,
    }
