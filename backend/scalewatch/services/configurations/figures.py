"""What figures draw of a configuration search."""

from collections.abc import Callable, Mapping
from typing import Final

from scalewatch.figures.axes import canvas
from scalewatch.figures.effects import (
    DrawnObjective,
    interaction_figure,
    main_effects_figure,
)
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import setting_text
from scalewatch.services.configurations.question import ConfigurationQuestion, Objective
from scalewatch.services.configurations.search import ConfigurationSearch


def objective_name(question: ConfigurationQuestion) -> str:
    """Name what is to be small, for an axis."""
    if question.objective is Objective.TIME:
        scale = (
            "the largest p"
            if question.target is None
            else f"p = {setting_text(question.target)}"
        )
        return f"time at {scale}"
    return f"divergence of {question.kind} scaling ({question.objective})"


def objective_unit(question: ConfigurationQuestion) -> str:
    """Return the unit of what is to be small; empty where it has none."""
    return "s" if question.objective is Objective.TIME else ""


def _main_effects(shown: ConfigurationSearch) -> Figure:
    if shown.effects is None:
        return canvas()
    return main_effects_figure(shown.effects, _drawn(shown.question))


def _interaction(shown: ConfigurationSearch) -> Figure:
    if shown.effects is None or not shown.effects.interactions:
        return canvas()
    return interaction_figure(shown.effects.interactions[0], _drawn(shown.question))


def _drawn(question: ConfigurationQuestion) -> DrawnObjective:
    return DrawnObjective(objective_name(question), objective_unit(question))


FIGURES: Final[Mapping[str, Callable[[ConfigurationSearch], Figure]]] = {
    "interaction": _interaction,
    "main-effects": _main_effects,
}
