"""Effects: what each setting of a configuration does to an objective.

Main effects as means over all trials with a level, interactions as the means over
both settings: lines that are not parallel interact.
"""

from html import escape
from typing import Final

import numpy as np

from scalewatch.figures.axes import canvas
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import setting_text
from scalewatch.figures.palette import PALETTE, machine_role, symbol
from scalewatch.figures.styles import machine_dash
from scalewatch.modelling import Effects, Interaction

MOST_SETTINGS: Final = 6
"""Settings whose main effects are drawn, those first that explain most."""


def main_effects_figure(effects: Effects, objective: str) -> Figure:
    """Plot the mean objective at each level, setting by setting."""
    figure = canvas()
    shown = effects.main[:MOST_SETTINGS]
    if not shown:
        return figure
    overall = float(np.mean([trial.value for trial in effects.trials]))
    figure.update_layout(
        xaxis={"automargin": True, "type": "multicategory", "title": {"text": ""}},
        yaxis=_objective_axis(objective),
        showlegend=False,
    )
    for slot, effect in enumerate(shown):
        role = machine_role(slot)
        levels = effect.in_order
        figure.add_scatter(
            x=[
                [escape(effect.setting)] * len(levels),
                [escape(setting_text(each.level)) for each in levels],
            ],
            y=[each.mean for each in levels],
            customdata=[[each.best, each.count] for each in levels],
            mode="lines+markers",
            line={"color": PALETTE[role], "width": 2},
            marker={"color": PALETTE[role], "size": 9, "symbol": symbol(slot)},
            name=escape(effect.setting),
            hovertemplate=(
                "%{x}: mean %{y:.3~g}, best %{customdata[0]:.3~g} "
                "of %{customdata[1]}<extra></extra>"
            ),
            meta=role,
        )
    figure.add_level(
        y=overall, line={"color": PALETTE["expectation"], "dash": "6px,5px"}
    )
    return figure


def interaction_figure(interaction: Interaction, objective: str) -> Figure:
    """Plot the mean objective over the levels of one setting, per level of another."""
    figure = canvas()
    across, along = interaction.settings
    figure.update_layout(
        xaxis={
            "automargin": True,
            "type": "category",
            "title": {"text": escape(across)},
        },
        yaxis=_objective_axis(objective),
    )
    levels = [escape(setting_text(level)) for level in interaction.levels[0]]
    for slot, level in enumerate(interaction.levels[1]):
        role = machine_role(slot)
        figure.add_scatter(
            x=levels,
            y=interaction.means[:, slot],
            mode="lines+markers",
            line={"color": PALETTE[role], "width": 2, "dash": machine_dash(slot)},
            marker={"color": PALETTE[role], "size": 9, "symbol": symbol(slot)},
            name=escape(f"{along} = {setting_text(level)}"),
            showlegend=True,
            hovertemplate="%{x}: %{y:.3~g}",
            meta=role,
        )
    return figure


def _objective_axis(objective: str) -> dict[str, object]:
    return {
        "automargin": True,
        "gridcolor": PALETTE["grid"],
        "title": {"text": escape(objective), "standoff": 12},
        "zeroline": False,
    }
