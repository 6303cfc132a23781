"""Efficiencies of a traced program, measured and forecast."""

from dataclasses import dataclass

import numpy as np

from scalewatch.modelling import Model
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.traces.efficiencies import (
    LEAST,
    Efficiency,
    falls_below,
    losses,
    quotients,
)
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.traces.scans import SCALE, TracedScan


@dataclass(frozen=True, slots=True)
class EfficiencyRow:
    """One efficiency over the number of processes.

    Parameters
    ----------
    values
        At each number of processes, None where unknown.
    at_target
        By the models of the times that it keeps and loses.
    below_from
        The number of processes from which it is below the threshold; None if never.
    is_forecast
        Whether the models say so, rather than the traces.
    """

    efficiency: Efficiency
    values: tuple[float | None, ...]
    at_target: float | None
    below_from: float | None
    is_forecast: bool


def efficiency_rows(scan: TracedScan, target: float) -> tuple[EfficiencyRow, ...]:
    """Return the efficiencies that are known."""
    times = scan.program_times
    return tuple(
        _row(scan, efficiency, values, lost, target)
        for efficiency in Efficiency
        if (values := quotients(efficiency, times)) is not None
        if (lost := losses(efficiency, times)) is not None
    )


def _row(
    scan: TracedScan, efficiency: Efficiency, values: Reals, lost: Reals, target: float
) -> EfficiencyRow:
    """Return an efficiency, by models of the times that it keeps and loses."""
    keeping = _model(scan, scan.program_times[efficiency.times[0]])
    losing = _model(scan, lost)
    known = np.flatnonzero(np.isfinite(values))
    is_forecast = bool(values[known[-1]] >= LEAST)
    below_from = at_target = None
    if not is_forecast:
        above = known[values[known] >= LEAST]
        below = known[known > above[-1]] if above.size else known
        below_from = float(scan.processes[below[0]])
    if keeping is not None and losing is not None:
        if is_forecast:
            largest = float(scan.processes[-1])
            below_from = falls_below(keeping, losing, start=largest)
        kept, missed = (max(float(m(p=target)), 0.0) for m in (keeping, losing))
        at_target = kept / (kept + missed) if kept + missed > 0 else None
    return EfficiencyRow(
        efficiency,
        tuple(float(v) if np.isfinite(v) else None for v in values),
        at_target,
        below_from,
        is_forecast and below_from is not None,
    )


def _model(scan: TracedScan, values: Reals) -> Model | None:
    """Return the model of a time over p; nothing is lost where it is always 0."""
    if not np.nan_to_num(values).any():
        return Model(0.0)
    is_known = np.isfinite(values) & (values > 0)
    question = SeriesQuestion(
        (SCALE,), scan.processes[is_known, np.newaxis], values[is_known, np.newaxis]
    )
    (finding,) = find_all([question], {})
    return finding.model
