"""The meaning of measurements: numpy and scipy, no database, no web.

* `arrays` — columns of many series at once
* `growths` — growth classes: algebra, notation, search space, models, verdicts
* `measurements` — repetitions: batches, summaries, locations, noise assumed
* `exact_counts` — formulas of exact counts, by description length
* `misfit` — what can be said where no growth explains a series
* `rules` — how a hypothesis is selected, one chapter per rule; `rules.evidence` weighs
  growths, shapes and forecasts by Bayes' rule
* `forecasts` — questions to models: ranking, break-even, shares, hidden terms
* `noise` — what many series of a machine tell about their noise
* `search` — from measurements to findings, in batches
* `versions` — what changed between two versions, and how surely
* `common_mode` — what moves all regions of a machine at a commit, and for how long
* `histories` — series over many commits, and the changes in them
* `false_discoveries` — how many of many changes are false
* `attribution` — whom to suspect: platform, library or one commit
* `guidelines` — rules between regions, f ⪯ g + h
* `scaling_errors` — α and β, speed-up, the divergence metric
* `compositions` — models composed of those of other regions
* `configurations` — which settings matter, and which are best
* `hotspots` — how much profiles differ, and where they jump along a scan
* `traces` — efficiencies of traced programs, and the report on their time in MPI
* `machines` — machine against machine, by straight lines
* `next_measurement` — which measurement tells most for its cost
* `quadratic_extrapolation` — communication time and overhead over p
"""

from scalewatch.modelling.attribution import (
    Attribution,
    JudgedCell,
    Suspect,
    attribute,
)
from scalewatch.modelling.compositions.comparison import Composed, Measured
from scalewatch.modelling.compositions.composed import compose
from scalewatch.modelling.compositions.formula import Formula, parse_formula
from scalewatch.modelling.configurations import (
    Effects,
    Interaction,
    MainEffect,
    Trial,
    effects_of,
)
from scalewatch.modelling.exact_counts.counts import Outcome
from scalewatch.modelling.false_discoveries import Correction
from scalewatch.modelling.forecasts.break_even import (
    MemoryWall,
    break_even,
    memory_wall,
)
from scalewatch.modelling.forecasts.expected_levels import ExpectedLevel
from scalewatch.modelling.forecasts.ranking import RankedRegion, rank_regions
from scalewatch.modelling.growths.growth import CONSTANT, Factor, Growth
from scalewatch.modelling.growths.model import Model, Term, first_above
from scalewatch.modelling.growths.parse import parse_declared, parse_growth
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
from scalewatch.modelling.growths.verdict import (
    Direction,
    Mark,
    Verdict,
    direction,
    judge,
)
from scalewatch.modelling.guidelines import (
    Guideline,
    GuidelineCheck,
    check_guideline,
    parse_guideline,
)
from scalewatch.modelling.hotspots import (
    Against,
    Movement,
    ProfileDifference,
    ProfileScan,
    ScanStep,
    movements,
    profile_difference,
    scan_profiles,
)
from scalewatch.modelling.machines.lines import Estimate, Line
from scalewatch.modelling.machines.machines import (
    MachineLine,
    MachinePair,
    compare_lines,
    machine_line,
)
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.next_measurement import (
    Cost,
    Proposal,
    next_measurement,
)
from scalewatch.modelling.noise.learn import LearnedNoise, learn_noise
from scalewatch.modelling.quadratic_extrapolation import (
    Extrapolation,
    drift,
    extrapolations,
)
from scalewatch.modelling.scaling_errors.codes import (
    NeededRun,
    Times,
    WeakGaps,
    modelled_scaling_errors,
    strong_scaling_errors,
    weak_gaps,
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
    SpeedUp,
    speed_up,
    strong_errors,
    weak_errors,
    with_constant_work,
)
from scalewatch.modelling.search.finding import (
    Candidate,
    Exactness,
    Finding,
    Forecast,
)
from scalewatch.modelling.search.findings import Findings
from scalewatch.modelling.search.search import find_models
from scalewatch.modelling.versions.compare import (
    Comparison,
    GrowthOdds,
    Incomparable,
    all_growth_odds,
    compare_versions,
)
from scalewatch.modelling.versions.kinds import VersionChange
from scalewatch.modelling.versions.ratios import SideBySide, side_by_side

__all__ = [
    "CONSTANT",
    "Against",
    "Attribution",
    "Candidate",
    "Comparison",
    "Composed",
    "Correction",
    "Cost",
    "Direction",
    "DivergenceMetric",
    "Effects",
    "ErrorDivergence",
    "Estimate",
    "Exactness",
    "ExpectedLevel",
    "Extrapolation",
    "Factor",
    "Finding",
    "Findings",
    "Forecast",
    "Formula",
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
    "Mark",
    "Measured",
    "MemoryWall",
    "Model",
    "Movement",
    "NeededRun",
    "Noise",
    "Origin",
    "Outcome",
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
    "compare_versions",
    "compose",
    "default_deviation_limit",
    "direction",
    "drift",
    "effects_of",
    "error_divergences",
    "extrapolations",
    "find_models",
    "first_above",
    "judge",
    "learn_noise",
    "machine_line",
    "memory_wall",
    "modelled_scaling_errors",
    "movements",
    "mpi_study",
    "next_measurement",
    "parse_declared",
    "parse_formula",
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
    "with_constant_work",
]
