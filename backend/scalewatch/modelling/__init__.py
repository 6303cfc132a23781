"""What measurements mean: numpy and scipy, no database, no web.

* `growth`, `parse`, `notation` — growth classes: their algebra, reading and writing
* `model` — performance models
* `space` — which growths compete, from the expectation or given
* `structures`, `scans` — how several parameters act together, and what can be told
* `rules` — how one of them is selected, one module per rule
* `search` — from measurements to findings, in batches
* `verdict` — from a growth and an expectation to a verdict
* `attribution` — whom to suspect: platform or library
* `guidelines` — rules between regions, f ⪯ g + h
* `ranking` — regions by what they will cost at scale
* `forecast` — break-even scale and memory wall
* `regression`, `changes` — what changed between two versions, and how likely
* `polynomials` — quadratic extrapolation of communication time
* `hotspots` — how much two profiles differ
"""

from scalewatch.modelling.attribution import (
    Attribution,
    JudgedCell,
    Suspect,
    attribute,
)
from scalewatch.modelling.changes import Change
from scalewatch.modelling.crossing import first_above
from scalewatch.modelling.finding import Finding, Forecast
from scalewatch.modelling.findings import Findings
from scalewatch.modelling.forecast import (
    MemoryWall,
    break_even,
    expected_model,
    memory_wall,
)
from scalewatch.modelling.growth import CONSTANT, Factor, Growth
from scalewatch.modelling.guidelines import (
    Guideline,
    GuidelineCheck,
    check_guideline,
    parse_guideline,
)
from scalewatch.modelling.hotspots import ProfileDifference, profile_difference
from scalewatch.modelling.model import Model, Term
from scalewatch.modelling.parse import parse_growth
from scalewatch.modelling.polynomials import Extrapolation, drift, extrapolations
from scalewatch.modelling.ranking import RankedRegion, rank_regions
from scalewatch.modelling.regression import (
    Comparison,
    Incomparable,
    compare_versions,
)
from scalewatch.modelling.search import find_models
from scalewatch.modelling.space import (
    Ruler,
    Space,
    catwalk,
    default_deviation_limit,
    mpi_study,
    pmnf,
    ruler,
    search_space,
    strong_scaling,
)
from scalewatch.modelling.verdict import Direction, Verdict, direction, judge

__all__ = [
    "CONSTANT",
    "Attribution",
    "Change",
    "Comparison",
    "Direction",
    "Extrapolation",
    "Factor",
    "Finding",
    "Findings",
    "Forecast",
    "Growth",
    "Guideline",
    "GuidelineCheck",
    "Incomparable",
    "JudgedCell",
    "MemoryWall",
    "Model",
    "ProfileDifference",
    "RankedRegion",
    "Ruler",
    "Space",
    "Suspect",
    "Term",
    "Verdict",
    "attribute",
    "break_even",
    "catwalk",
    "check_guideline",
    "compare_versions",
    "default_deviation_limit",
    "direction",
    "drift",
    "expected_model",
    "extrapolations",
    "find_models",
    "first_above",
    "judge",
    "memory_wall",
    "mpi_study",
    "parse_growth",
    "parse_guideline",
    "pmnf",
    "profile_difference",
    "rank_regions",
    "ruler",
    "search_space",
    "strong_scaling",
]
