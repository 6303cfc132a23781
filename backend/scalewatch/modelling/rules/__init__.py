"""Rules that select the hypothesis which explains a series; one module per rule.

A rule is a `Rule`: its name, the summary of the repetitions that it prescribes, and
`select`, a function from a `Sample` (a batch of series measured at the same
settings) to a `Selection` (arrays, one row per series). It sees clean input only:
`scalewatch.modelling.search.search` has merged duplicated settings, sorted them,
dropped those that were not measured, scaled each series by a power of two so that its
largest magnitude lies in [0.5, 1), and set aside what no rule can model. A rule
decides nothing about missing points, and scales nothing back.

To add a rule, write `rules/NAME.py` with a `Rule` and list it in `RULES` below.
The interface is in `rules/rule.py`.

* A hypothesis is a tuple of growths g₁ … g_K and stands for c₀ + Σ cₖ gₖ(x); the
  empty tuple is the constant. Single-term rules take `single_terms(space)`.
* Batches are large, so `select` loops over hypotheses or blocks, never over series.
* No numpy warning may arise from finite input, whatever its magnitude; no result is
  NaN except `adjusted_r2` and `smape`, where it means "not applicable".
"""

from typing import Final

from scalewatch.errors import UnknownChoice
from scalewatch.modelling.rules.evidence.rule import EVIDENCE
from scalewatch.modelling.rules.paper import PAPER
from scalewatch.modelling.rules.refinement import REFINEMENT
from scalewatch.modelling.rules.rule import (
    Hypothesis,
    Rule,
    Sample,
    Selection,
    single_terms,
)
from scalewatch.modelling.rules.several_parameters.surfaces import SURFACES
from scalewatch.modelling.rules.smape import SMAPE

__all__ = [
    "RULES",
    "Hypothesis",
    "Rule",
    "Sample",
    "Selection",
    "rule_named",
    "single_terms",
]

RULES: Final = {
    rule.name: rule for rule in (EVIDENCE, PAPER, SMAPE, REFINEMENT, SURFACES)
}
"""All rules by name."""


def rule_named(name: str, parameters: int = 1) -> Rule:
    """Return a rule by its name; the default one for several parameters is surfaces.

    Raises
    ------
    UnknownChoice
        If there is no such rule.
    """
    if name not in RULES:
        raise UnknownChoice("rule", name, RULES)
    if parameters > 1 and name == EVIDENCE.name:
        return SURFACES
    return RULES[name]
