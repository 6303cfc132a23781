"""What is to be expected of a scan at scales that were not measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.modelling import (
    Forecast,
    Mark,
    MemoryWall,
    Proposal,
    break_even,
    expected_model,
    memory_wall,
)
from scalewatch.modelling.forecasts.break_even import HiddenTerm, agreed_setting
from scalewatch.services.analysis.questions import Target
from scalewatch.services.regions.forecasts import (
    answer_of,
    forecasts_of,
    hidden_of,
    proposal_of,
)
from scalewatch.services.series.scans import Scan

MULTIPLES: Final = (2, 4, 16)
"""Forecasts are shown at these multiples of the largest setting measured."""

STEPS: Final = 9
"""Settings at which the interval of a curve is computed."""

LARGEST_TARGET: Final = 1e12
"""No machine has more processes, and no problem that anybody runs is larger."""

TWICE: Final = 2.0
"""How much slower than expected is worth a scale of its own."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What is to be expected at larger scales.

    Parameters
    ----------
    asked
        The scale that was asked for, if one was.
    target
        The forecast for it, if there is one.
    horizon
        The largest scale that forecasts reach; None if they reach all of these.
    hidden
        What the measurements could not have shown.
    forecasts
        At multiples of the largest setting measured, and at the target.
    expected
        What the expectation comes to at the target, else at the farthest forecast,
        where it was agreed with at the smallest setting measured.
    twice_from
        The setting from which it takes twice as much as expected; None if never, or
        where nothing is expected.
    wall
        Where memory no longer suffices, for a metric that is memory.
    proposal
        What to measure next, where the verdict is undecided.
    """

    asked: float | None
    target: Forecast | None
    horizon: float | None
    hidden: HiddenTerm | None
    forecasts: tuple[Forecast, ...]
    expected: float | None
    twice_from: float | None
    wall: MemoryWall | None
    proposal: Proposal | None


def held_at(scan: Scan) -> dict[str, float]:
    """Return where the other parameters of a scan are largest: they stay there."""
    measured = [each.coordinate for each in scan.evidence]
    return {
        name: float(max(at.get(name, 0) for at in measured))
        for name in scan.parameters[1:]
        if measured
    }


def outlook(
    session: Session,
    scan: Scan,
    target: float | None = None,
    fingerprint: Mapping[str, Any] | None = None,
) -> Outlook | None:
    """Return what a scan's model says about larger scales; None without a model."""
    if scan.standing.model is None:
        return None
    measured = [each.x for each in scan.evidence]
    largest = max(measured)
    scales = {multiple * largest for multiple in MULTIPLES}
    wanted = sorted(scales | ({target} if target is not None else set()))
    answer = answer_of(session, scan, _targets(scan, wanted))
    found = answer[1].forecasts if answer else ()
    farthest = found[-1].at[scan.parameter] if found else None
    expected, twice_from = _against_expectation(
        scan, agreed_setting(measured), farthest if target is None else target
    )
    return Outlook(
        asked=target,
        horizon=answer[1].horizon if answer else None,
        hidden=hidden_of(*answer) if answer else None,
        target=next(
            (each for each in found if each.at[scan.parameter] == target), None
        ),
        forecasts=found,
        expected=expected,
        twice_from=twice_from,
        wall=_wall(scan, fingerprint or {}),
        proposal=proposal_of(session, scan),
    )


def curve_forecasts(
    session: Session, scan: Scan, target: float | None = None
) -> tuple[Forecast, ...]:
    """Return intervals along a scan, up to a target if there is one."""
    measured = [each.x for each in scan.evidence]
    if scan.standing.model is None or not measured:
        return ()
    end = max(*measured, target or 0)
    along = np.geomspace(min(measured), end, STEPS).tolist()
    return forecasts_at(session, scan, [*along[:-1], end])


def forecasts_at(
    session: Session, scan: Scan, scales: Sequence[float]
) -> tuple[Forecast, ...]:
    """Return forecasts of a scan; scales that no number can hold are left out."""
    return forecasts_of(session, [scan], _targets(scan, scales))[0]


def _targets(scan: Scan, scales: Sequence[float]) -> list[Target]:
    """Return where all parameters are, one of them at some scales."""
    held = held_at(scan)
    return [{**held, scan.parameter: scale} for scale in scales]


def _against_expectation(
    scan: Scan, start: float, target: float | None
) -> tuple[float | None, float | None]:
    """Return what is expected at the target, and from where it takes twice that."""
    model, expectation = scan.standing.model, scan.expectation
    named = {scan.parameter, *(model.growth.parameters if model else ())}
    if model is None or expectation is None or named != {scan.parameter}:
        return None, None
    if not set(expectation.growth.parameters) <= {scan.parameter}:
        return None, None
    try:
        at = {scan.parameter: start}
        expected_growth = expected_model(expectation.growth, at, model)
        expected = (
            None if target is None else float(expected_growth({scan.parameter: target}))
        )
        if scan.standing.is_open and scan.standing.mark is not Mark.MISMATCH:
            return expected, None  # another growth may be the true one
        twice = break_even(model, expected_growth, TWICE, scan.parameter, start=start)
    except ModellingError:
        return None, None
    return expected, twice


def leaves_tolerance(scan: Scan) -> float | None:
    """Return from which setting a model is above its deviation limit, as it is drawn.

    None if it is already at the largest setting measured, or if nothing tells.
    """
    model, expectation = scan.standing.model, scan.expectation
    limit = scan.standing.deviation_limit
    if model is None or expectation is None or limit is None:
        return None
    allowed = expectation.growth * limit
    named = {*model.growth.parameters, *allowed.parameters}
    if named != {scan.parameter} or not scan.evidence:
        return None
    settings = [each.x for each in scan.evidence]
    largest = {scan.parameter: float(max(settings))}
    try:
        at = {scan.parameter: agreed_setting(settings)}
        highest = expected_model(allowed, at, model)
        if model(largest) > highest(largest):
            return None
        return break_even(
            model, highest, 1.0, scan.parameter, start=largest[scan.parameter]
        )
    except ModellingError:
        return None


def _wall(scan: Scan, fingerprint: Mapping[str, Any]) -> MemoryWall | None:
    """Return where the processes of a node need more memory than it has."""
    model = scan.standing.model
    memory = fingerprint.get("memory_bytes")
    share = scan.configuration.get("tasks_per_node", fingerprint.get("cores"))
    if model is None or scan.metric != "memory" or scan.parameter != "p":
        return None
    if not isinstance(memory, int | float) or not isinstance(share, int):
        return None
    if memory <= 0 or share <= 0 or set(model.growth.parameters) - {"p"}:
        return None
    return memory_wall(model, float(memory), share)
