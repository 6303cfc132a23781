"""What measurements mean: numpy and scipy, no database, no web.

* `growth`, `parse`, `notation` — growth classes: their algebra, reading and writing
* `model` — performance models
* `space` — which growths compete, from the expectation or given
* `rules` — how one of them is selected, one module per rule
* `search` — from measurements to findings, in batches
* `verdict` — from a growth and an expectation to a verdict
"""

from scalewatch.modelling.finding import Finding, Forecast
from scalewatch.modelling.findings import Findings
from scalewatch.modelling.growth import CONSTANT, Factor, Growth
from scalewatch.modelling.model import Model, Term
from scalewatch.modelling.parse import parse_growth
from scalewatch.modelling.search import find_models
from scalewatch.modelling.space import (
    Ruler,
    Space,
    default_deviation_limit,
    mpi_study,
    pmnf,
    ruler,
    search_space,
)
from scalewatch.modelling.verdict import Direction, Verdict, direction, judge

__all__ = [
    "CONSTANT",
    "Direction",
    "Factor",
    "Finding",
    "Findings",
    "Forecast",
    "Growth",
    "Model",
    "Ruler",
    "Space",
    "Term",
    "Verdict",
    "default_deviation_limit",
    "direction",
    "find_models",
    "judge",
    "mpi_study",
    "parse_growth",
    "pmnf",
    "ruler",
    "search_space",
]
