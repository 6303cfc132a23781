"""What figures draw of a configuration search."""

from collections.abc import Callable, Mapping
from typing import Final

from scalewatch.figures.axes import canvas
from scalewatch.figures.effects import interaction_figure, main_effects_figure
from scalewatch.figures.figure import Figure
from scalewatch.services.configurations.question import ConfigurationQuestion, Objective
from scalewatch.services.configurations.search import ConfigurationSearch


def objective_name(question: ConfigurationQuestion) -> str:
    """Name what is to be small, for an axis."""
    if question.objective is Objective.TIME:
        scale = (
            "the largest p" if question.target is None else f"p = {question.target:g}"
        )
        return f"time at {scale} [s]"
    return f"divergence of {question.kind} scaling ({question.objective})"


def _main_effects(shown: ConfigurationSearch) -> Figure:
    if shown.effects is None:
        return canvas()
    return main_effects_figure(shown.effects, objective_name(shown.question))


def _interaction(shown: ConfigurationSearch) -> Figure:
    if shown.effects is None or not shown.effects.interactions:
        return canvas()
    return interaction_figure(
        shown.effects.interactions[0], objective_name(shown.question)
    )


FIGURES: Final[Mapping[str, Callable[[ConfigurationSearch], Figure]]] = {
    "interaction": _interaction,
    "main-effects": _main_effects,
}
