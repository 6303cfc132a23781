"""Effects: what each setting of a configuration does to an objective.

Main effects as means over all trials with a level, interactions as the means over
both settings: lines that are not parallel interact.
"""

from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np

from scalewatch.figures.axes import canvas, even_axis, hover_number
from scalewatch.figures.colours import PALETTE, machine_dash, machine_role, symbol
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import held_text
from scalewatch.modelling import Effects, Interaction

MOST_SETTINGS: Final = 6
"""Settings whose main effects are drawn, those first that explain most."""


@dataclass(frozen=True, slots=True)
class DrawnObjective:
    """The quantity to be minimised, in words, and its unit."""

    name: str
    unit: str

    def hover(self, value: str) -> str:
        """Return a value of it in a hover text."""
        return hover_number(value, self.unit) if self.unit else f"%{{{value}:.3~g}}"


def main_effects_figure(effects: Effects, objective: DrawnObjective) -> Figure:
    """Plot the mean objective at each level, setting by setting."""
    figure = canvas()
    shown = effects.main[:MOST_SETTINGS]
    if not shown:
        return figure
    overall = float(np.mean([trial.value for trial in effects.trials]))
    figure.update_layout(
        xaxis={"automargin": True, "type": "multicategory", "title": {"text": ""}},
        yaxis=even_axis(
            objective.name,
            objective.unit,
            np.array([each.mean for effect in shown for each in effect.levels]),
        ),
        showlegend=False,
    )
    for slot, effect in enumerate(shown):
        role = machine_role(slot)
        levels = effect.in_order
        figure.add_scatter(
            x=[
                [escape(effect.setting)] * len(levels),
                [escape(held_text(each.level, effect.setting)) for each in levels],
            ],
            y=[each.mean for each in levels],
            customdata=[[each.best, each.count] for each in levels],
            mode="lines+markers",
            line={"width": 2},
            marker={"size": 9, "symbol": symbol(slot)},
            name=escape(effect.setting),
            hovertemplate=(
                f"%{{x}}: mean {objective.hover('y')}, best "
                f"{objective.hover('customdata[0]')} "
                "of %{customdata[1]}<extra></extra>"
            ),
            meta=role,
        )
    figure.add_level(
        y=overall, line={"color": PALETTE["expectation"], "dash": "6px,5px"}
    )
    return figure


def interaction_figure(interaction: Interaction, objective: DrawnObjective) -> Figure:
    """Plot the mean objective over the levels of one setting, per level of another."""
    figure = canvas()
    across, along = interaction.settings
    figure.update_layout(
        xaxis={
            "automargin": True,
            "type": "category",
            "title": {"text": escape(across)},
        },
        yaxis=even_axis(objective.name, objective.unit, interaction.means),
    )
    levels = [escape(held_text(level, across)) for level in interaction.levels[0]]
    for slot, level in enumerate(interaction.levels[1]):
        role = machine_role(slot)
        figure.add_scatter(
            x=levels,
            y=interaction.means[:, slot],
            mode="lines+markers",
            line={"width": 2, "dash": machine_dash(slot)},
            marker={"size": 9, "symbol": symbol(slot)},
            name=escape(f"{along} = {held_text(level, along)}"),
            showlegend=True,
            hovertemplate=f"%{{x}}: {objective.hover('y')}",
            meta=role,
        )
    return figure
