"""Factors between settings in sentences, where they are too few for a growth."""

from scalewatch.modelling.few_settings import Step
from scalewatch.pages.wording.formats import SPACE, count, significant
from scalewatch.pages.wording.sentences import metric_words
from scalewatch.services.analysis.few_settings import direction, efficiency_words


def step_sentence(step: Step, metric: str, parameter: str) -> str:
    """Tell a factor: `From p = 2 to 4, the time grows to 1.52 times [1.47, 1.56]`."""
    return (
        f"From {parameter} = {count(step.start)} to {count(step.end)}, the "
        f"{metric_words(metric)} {direction(step)} to {significant(step.factor)} times "
        f"[{significant(step.low)}, {significant(step.high)}]"
        f"{efficiency_words(step, _share)}."
    )


def _share(value: float) -> str:
    return f"{100 * value:.0f}{SPACE}%"
