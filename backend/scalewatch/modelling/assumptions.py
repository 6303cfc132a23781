"""Assumptions of the rooms that have too few of them for a ledger of their own."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Numbers of small rooms, by room."""

    all_regions: float = 0.8
    """Attribution: share of the regions of a machine that count as all of them."""
    least_regions: int = 3
    """Attribution: regions of which a share says something."""
    similar_sizes: float = 2.0
    """Attribution: largest over smallest size, in logarithms, of one cause."""
    bad_share: float = 0.5
    """Attribution: a column of whose regions more than this share diverge is bad."""
    unseen_deviation: float = 0.02
    """Few settings: relative deviation of jobs, common on shared networks."""
    unseen_freedom: float = 2.0
    """Few settings: degrees of freedom of that deviation."""
    pooled_freedom: int = 12
    """Efficiencies: degrees of freedom that repetitions count for, at most."""
    strong_slope: float = -0.5
    """Efficiencies: median slope of log t below which a scan is of strong scaling."""
    weak_slope: float = -0.25
    """Efficiencies: the slope above which it is of weak scaling."""
    slope_reach: float = 8.0
    """Efficiencies: sizes up to so many times the smallest tell that slope."""
    same_size: float = 0.25
    """Efficiencies: share by which the problem of each node may vary, by rounding."""
    surely_fails: float = 0.25
    """Efficiencies: probability below which no repetition is asked for."""
    most_repeats: int = 8
    """Efficiencies: runs beyond which a size counts as at the limit."""
    wide_gap: float = 1.5
    """Efficiencies: larger over smaller size from which on a run between them tells."""
    short_of: float = 1.05
    """Efficiencies: factor by which that run stays below where efficiency crosses."""
    guideline_tolerance: float = 0.05
    """Guidelines: share by which a shortcut may be slower; it may be noise."""
    least_counts: int = 100
    """Hotspots: counts of the shortest profile where no unit of time is given."""
    likely_settled: float = 0.5
    """Next measurement: probability from which on it likely settles the verdict."""
    farther_settings: tuple[float, ...] = (2.0, 4.0)
    """Next measurement: candidates beyond the largest setting, relative to it."""
    more_repetitions: tuple[int, ...] = (1, 2, 4, 8, 16)
    """Next measurement: repetitions considered, relative to those measured."""
    least_repetitions: int = 6
    """Splits: repetitions of which all together enclose the median with 95 %."""
    least_efficiency: float = 0.8
    """Traces: efficiency below which a program calls for action."""
    beyond_repetitions: float = 3.0
    """Misfit: times by which the values of such a constant are farther off than
    repetitions."""
    farthest_constant: float = 20.0
    """Misfit: SMAPE in percent of a constant that values are not scattered about."""
    least_r2: float = 0.0
    """Misfit: adjusted R² of a model that explains less than the mean does."""
    unlisted: float = 0.0005
    """Findings: growths of smaller posterior probability are not listed."""
    widest_forecast: float = 10.0
    """Findings: ratio of the bounds of a forecast that is still one."""
    hidden_powers: tuple[int, ...] = (1, 2, 3)
    """Hidden terms: exponents of what may hide; the least that outgrows the model is
    told."""
    unseen: float = 2.0
    """Hidden terms: standard deviations of a location that nobody takes for a term."""
    lacking_share: float = 0.01
    """Shares: share of the sum that may lack."""
    # Limits: no answer depends on them.
    pairs_at_once: int = 1 << 20
    """Hotspots: pairs of functions that are compared at once."""
    rounding: float = 1e-9
    """Configurations: a share of the variation below this one is nothing."""
    constant_error: float = 1e-12
    """Scaling errors: share of the largest n₂/n₁ below which an error is constant."""
    longest_formula: int = 2000
    """Compositions: characters of a formula."""
    deepest_formula: int = 50
    """Compositions: parentheses inside each other."""
    rows_in_turn: int = 16
    """Arrays: with more rows, comparing neighbours in turn loses to sorting columns."""
    largest_misfit_log: float = 700.0
    """Misfit: logarithm of the largest factor to settings beyond the last."""
    trace: float = 1e-06
    """Findings: probability of a hypothesis that adds nothing to that of its growth."""
    farthest_steps: int = 40
    """Findings: steps beyond the largest setting; machines do not become a million
    times as large."""
    steps_per_doubling: int = 2
    """Findings: steps of the horizon of forecasts."""
    constant_rounding: float = 1e-09
    """Findings: a constant below this share of every measurement is a rounding error.
    """
    listed_formulas: int = 3
    """Findings: formulas that a reason names."""
    measured_outcomes: int = 20
    """Next measurement: values of it that are modelled."""


ASSUMED: Final = Assumptions()
