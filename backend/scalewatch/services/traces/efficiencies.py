"""Efficiencies of a traced program, measured and forecast."""

from dataclasses import dataclass

import numpy as np

from scalewatch.errors import ModellingError
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
from scalewatch.services.traces.scans import SCALE, SIZE, WORK, TracedScan


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


@dataclass(frozen=True, slots=True, eq=False)
class _Share:
    """An efficiency with models of the times it keeps and loses; None without them."""

    efficiency: Efficiency
    values: Reals
    kept: Model | None
    lost: Model | None


def efficiency_rows(scan: TracedScan, target: float) -> tuple[EfficiencyRow, ...]:
    """Return the efficiencies that are known."""
    return tuple(_row(scan, share, target) for share in _shares(scan))


def settings_at(scan: TracedScan, processes: float) -> dict[str, float]:
    """Return all parameters of a scan at a number of processes."""
    at = {**scan.held, SCALE: processes}
    if (work := at.pop(WORK, None)) is not None:
        at[SIZE] = work * processes
    return at


def predicted(model: Model, scan: TracedScan, processes: float) -> float | None:
    """Return the value of a model; None where it does not know a parameter."""
    try:
        value = float(model(settings_at(scan, processes)))
    except ModellingError:
        return None
    return max(value, 0.0) if np.isfinite(value) else None


def _shares(scan: TracedScan) -> list[_Share]:
    times = scan.program_times
    known = {
        each: values
        for each in Efficiency
        if (values := quotients(each, times)) is not None
    }
    series = [
        part
        for each in known
        for part in (times[each.times[0]], losses(each, times))
        if part is not None
    ]
    models = [_model(scan, values) for values in series]
    return [
        _Share(each, values, *models[2 * place : 2 * place + 2])
        for place, (each, values) in enumerate(known.items())
    ]


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


def _row(scan: TracedScan, share: _Share, target: float) -> EfficiencyRow:
    values = share.values
    known = np.flatnonzero(np.isfinite(values))
    largest = float(scan.processes[-1])
    is_forecast = bool(values[known[-1]] >= LEAST)
    crossing = None
    if not is_forecast:
        above = known[values[known] >= LEAST]
        below = known[known > above[-1]] if above.size else known
        crossing = float(scan.processes[below[0]])
    elif share.kept is not None and share.lost is not None:
        crossing = falls_below(share.kept, share.lost, start=largest)
    kept = lost = 0.0
    if share.kept is not None and share.lost is not None:
        kept, lost = (max(float(m(p=target)), 0.0) for m in (share.kept, share.lost))
    return EfficiencyRow(
        share.efficiency,
        tuple(float(v) if np.isfinite(v) else None for v in values),
        kept / (kept + lost) if kept + lost > 0 else None,
        crossing,
        is_forecast and crossing is not None,
    )
