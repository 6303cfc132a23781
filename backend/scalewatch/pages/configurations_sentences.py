"""What a configuration search says, in sentences."""

from typing import Final

from markupsafe import Markup

from scalewatch.modelling import MainEffect
from scalewatch.pages.scaling_errors_sentences import share
from scalewatch.pages.wording.formats import held, quantity, settings
from scalewatch.services.configurations import (
    ConfigurationSearch,
    objective_name,
    objective_unit,
)

BEST: Final = Markup(
    "On <bdi>{machine}</bdi>, <bdi>{settings}</bdi> is best for <bdi>{region}</bdi>: "
    "{objective} = {value}, against {worst} at worst."
)

MATTERS: Final = Markup(
    " {name} matters most: by itself it explains {share} of the variation."
)

NOTHING_MATTERS: Final = Markup(" No setting by itself explains the differences.")

TOGETHER: Final = Markup(
    " {one} and {other} matter together: their interplay explains {share}."
)

NOTEWORTHY: Final = 0.1
"""An interplay that explains more than this share is told."""

SUSPICIONS: Final = {
    "threads": (
        "One thread is best: look for a bug in the distribution of the work among "
        "threads, or for a section that only one of them can enter."
    ),
    "tasks_per_node": (
        "Nodes that are not filled are best: the code may be bound by memory, not by "
        "processors."
    ),
}
"""What it means that the smallest level of a setting is best (section 2.3)."""


def search_sentence(shown: ConfigurationSearch) -> Markup:
    """Tell which configuration is best, and which settings matter."""
    best, effects = shown.best, shown.effects
    if best is None or effects is None:
        return Markup("")
    unit = objective_unit(shown.question)
    said = BEST.format(
        machine=shown.machine,
        settings=settings(best.settings) or "the only configuration",
        region=shown.region,
        objective=objective_name(shown.question),
        value=quantity(effects.best.value, unit),
        worst=quantity(effects.trials[-1].value, unit),
    )
    leading = effects.main[0] if effects.main else None
    if leading is None or not leading.share:
        said += NOTHING_MATTERS
    else:
        said += MATTERS.format(name=leading.setting, share=share(leading.share))
    for interaction in effects.interactions[:1]:
        if (interaction.share or 0.0) > NOTEWORTHY:
            one, other = interaction.settings
            said += TOGETHER.format(
                one=one, other=other, share=share(interaction.share or 0.0)
            )
    return said


def suspicions(shown: ConfigurationSearch) -> list[str]:
    """Return what to look for, where the smallest level of a setting is best."""
    if shown.effects is None:
        return []
    return [
        SUSPICIONS[effect.setting]
        for effect in shown.effects.main
        if effect.setting in SUSPICIONS and effect.share and _is_smallest(effect)
    ]


def confounded_sentence(effect: MainEffect) -> str:
    """Tell with what a setting changed together."""
    if not effect.confounded_with:
        return ""
    others = ", ".join(effect.confounded_with)
    return f"always changed together with {others}: nothing tells them apart"


def level_text(effect: MainEffect, unit: str) -> str:
    """Return the levels of a setting with their means in a unit, the best first."""
    return " · ".join(
        f"{held(each.level, effect.setting)}: {quantity(each.mean, unit)}"
        for each in effect.levels
    )


def _is_smallest(effect: MainEffect) -> bool:
    levels = [
        each.level
        for each in effect.levels
        if isinstance(each.level, int | float) and not isinstance(each.level, bool)
    ]
    return len(levels) > 1 and effect.best.level == min(levels)
