"""What measurements mean: numpy and scipy, no database, no web.

* `growth`, `parse`, `notation` — growth classes: their algebra, reading and writing
* `model` — performance models
* `space` — which growths compete, from the expectation or given
* `structures`, `scans` — how several parameters act together, and what can be told
* `rules` — how one of them is selected, one module per rule
* `search` — from measurements to findings, in batches
* `noise`, `pooling`, `pools`, `endings`, `surface_noise`, `widening`,
  `learned_noise` — what many series tell about their noise
* `verdict` — from a growth and an expectation to a verdict
* `attribution` — whom to suspect: platform or library
* `guidelines` — rules between regions, f ⪯ g + h
* `ranking` — regions by what they will cost at scale
* `forecast` — break-even scale and memory wall
* `regression`, `changes` — what changed between two versions, and how likely
* `histories`, `watching` — series over many commits, and the changes in them:
  `detection`, `covariances`, `segments`, `ramps`, `shifts`
* `causes` — changes that have one cause, and whom to ask
* `growth_odds` — whether a later version grows faster, from two posteriors
* `polynomials` — quadratic extrapolation of communication time
* `scaling_error`, `scalings`, `weak_gaps` — strong and weak scaling errors
* `speed_up`, `divergence_metric` — what follows from it: efficiency, how bad it grows
* `lines`, `line_pairs`, `machines`, `machine_sentences` — machine against machine
* `side_by_side` — two models: growths apart, coefficients apart, where they cross
* `hotspots` — how much two profiles differ
* `profile_scan`, `multiplicity` — where they jump along a scan, how surely
"""

from scalewatch.modelling.attribution.match_table import (
    Attribution,
    JudgedCell,
    Suspect,
    attribute,
)
from scalewatch.modelling.configurations import (
    Effects,
    Interaction,
    MainEffect,
    Trial,
    effects_of,
)
from scalewatch.modelling.false_discoveries import Correction
from scalewatch.modelling.forecasts.break_even import (
    MemoryWall,
    break_even,
    expected_model,
    memory_wall,
)
from scalewatch.modelling.forecasts.ranking import RankedRegion, rank_regions
from scalewatch.modelling.growths.crossing import first_above
from scalewatch.modelling.growths.growth import CONSTANT, Factor, Growth
from scalewatch.modelling.growths.model import Model, Term
from scalewatch.modelling.growths.parse import parse_growth
from scalewatch.modelling.growths.space import (
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
from scalewatch.modelling.growths.verdict import Direction, Verdict, direction, judge
from scalewatch.modelling.guidelines.guidelines import (
    Guideline,
    GuidelineCheck,
    check_guideline,
    parse_guideline,
)
from scalewatch.modelling.hotspots.profiles import (
    Movement,
    ProfileDifference,
    movements,
    profile_difference,
)
from scalewatch.modelling.hotspots.scan import (
    Against,
    ProfileScan,
    ScanStep,
    scan_profiles,
)
from scalewatch.modelling.machines.lines import Estimate, Line
from scalewatch.modelling.machines.machines import (
    MachineLine,
    MachinePair,
    compare_lines,
    compare_machines,
    machine_line,
)
from scalewatch.modelling.machines.sentences import machine_sentence
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.next_measurement.proposal import (
    Cost,
    Proposal,
    next_measurement,
)
from scalewatch.modelling.noise.learn import learn_noise
from scalewatch.modelling.noise.reuse import LearnedNoise
from scalewatch.modelling.noise.several_parameters import learn_surface_noise
from scalewatch.modelling.quadratic_extrapolation import (
    Extrapolation,
    drift,
    extrapolations,
)
from scalewatch.modelling.scaling_errors.codes import (
    Times,
    modelled_scaling_errors,
    strong_scaling_errors,
    weak_scaling_errors,
)
from scalewatch.modelling.scaling_errors.divergence_metric import (
    DivergenceMetric,
    ErrorDivergence,
    error_divergences,
)
from scalewatch.modelling.scaling_errors.errors import (
    Origin,
    ScalingError,
    ScalingErrors,
    ScalingKind,
    strong_errors,
    weak_errors,
)
from scalewatch.modelling.scaling_errors.speed_up import SpeedUp, speed_up
from scalewatch.modelling.scaling_errors.weak_gaps import NeededRun, WeakGaps, weak_gaps
from scalewatch.modelling.search.finding import Finding, Forecast
from scalewatch.modelling.search.findings import Findings
from scalewatch.modelling.search.search import find_models
from scalewatch.modelling.versions.compare import (
    Comparison,
    Incomparable,
    compare_versions,
)
from scalewatch.modelling.versions.growth_odds import (
    GrowthOdds,
    all_growth_odds,
    growth_odds,
)
from scalewatch.modelling.versions.kinds import VersionChange
from scalewatch.modelling.versions.side_by_side import SideBySide, side_by_side

__all__ = [
    "CONSTANT",
    "Against",
    "Attribution",
    "Comparison",
    "Correction",
    "Cost",
    "Direction",
    "DivergenceMetric",
    "Effects",
    "ErrorDivergence",
    "Estimate",
    "Extrapolation",
    "Factor",
    "Finding",
    "Findings",
    "Forecast",
    "Growth",
    "GrowthOdds",
    "Guideline",
    "GuidelineCheck",
    "Incomparable",
    "Interaction",
    "JudgedCell",
    "LearnedNoise",
    "Line",
    "MachineLine",
    "MachinePair",
    "MainEffect",
    "MemoryWall",
    "Model",
    "Movement",
    "NeededRun",
    "Noise",
    "Origin",
    "ProfileDifference",
    "ProfileScan",
    "Proposal",
    "RankedRegion",
    "Ruler",
    "ScalingError",
    "ScalingErrors",
    "ScalingKind",
    "ScanStep",
    "SideBySide",
    "Space",
    "SpeedUp",
    "Suspect",
    "Term",
    "Times",
    "Trial",
    "Verdict",
    "VersionChange",
    "WeakGaps",
    "all_growth_odds",
    "attribute",
    "break_even",
    "catwalk",
    "check_guideline",
    "compare_lines",
    "compare_machines",
    "compare_versions",
    "default_deviation_limit",
    "direction",
    "drift",
    "effects_of",
    "error_divergences",
    "expected_model",
    "extrapolations",
    "find_models",
    "first_above",
    "growth_odds",
    "judge",
    "learn_noise",
    "learn_surface_noise",
    "machine_line",
    "machine_sentence",
    "memory_wall",
    "modelled_scaling_errors",
    "movements",
    "mpi_study",
    "next_measurement",
    "parse_growth",
    "parse_guideline",
    "pmnf",
    "profile_difference",
    "rank_regions",
    "ruler",
    "scan_profiles",
    "search_space",
    "side_by_side",
    "speed_up",
    "strong_errors",
    "strong_scaling",
    "strong_scaling_errors",
    "weak_errors",
    "weak_gaps",
    "weak_scaling_errors",
]
