"""Scans as figures draw them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import IncompleteCoordinates, ModellingError
from scalewatch.figures.curves import Scaling
from scalewatch.figures.notation import held_text
from scalewatch.modelling import ExpectedLevel, Model, break_even
from scalewatch.modelling.growths.verdict import nearest_models
from scalewatch.services.analysis.pools import modelled_parameters
from scalewatch.services.series.scans import Measurement, Scan

MOST_CANDIDATES: Final = 3
LEAST_SHARE: Final = 0.05
"""Probability of a growth that is drawn as a candidate."""

MOST_SLICES: Final = 6
"""Slices of one scan that share a figure; of more, evenly spread ones do."""


def scaling_of(
    scan: Scan,
    repetitions: Mapping[UUID, NDArray[np.float64]] | None = None,
    *,
    distinction: Mapping[str, Any] | None = None,
    held: Mapping[str, float] | None = None,
    position: int = 0,
) -> Scaling:
    """Return a scan as it is drawn; coordinates where all failed are left out.

    A scan over several parameters is drawn over the first, at those settings of the
    others where it was measured most.

    Parameters
    ----------
    distinction, position
        Settings that tell it from other scans of its machine, and its place there.
    held
        Where the other parameters are, if it is a slice of a scan.
    """
    most_measured, taken = _row(scan)
    held = most_measured if held is None else held
    expectation = scan.expectation
    return Scaling(
        name=" · ".join(
            [
                scan.machine,
                *(
                    f"{name} = {held_text(value, name)}"
                    for name, value in {**(distinction or {}), **held}.items()
                ),
            ]
        ),
        slot=scan.slot,
        position=position,
        parameter=scan.parameter,
        metric=scan.metric,
        unit=scan.unit,
        x=_numbers(taken, "x"),
        low=_numbers(taken, "low"),
        middle=_numbers(taken, "middle"),
        high=_numbers(taken, "high"),
        repetitions=tuple(repetitions[each.run] for each in taken)
        if repetitions
        else (),
        model=scan.standing.model,
        is_open=scan.standing.is_open,
        candidates=_candidates(scan, taken),
        held=held,
        expectation=None if expectation is None else expectation.growth,
        deviation_limit=None if expectation is None else expectation.deviation_limit,
        level=scan.taken_level,
        is_left_out=np.array([each.is_left_out for each in taken], dtype=bool),
    )


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
    largest = float(max(each.x for each in scan.evidence))
    level: ExpectedLevel | None = scan.taken_level
    if level is None or set(level.at) != {scan.parameter}:
        level = scaling_of(scan).evidence.shape_of(expectation.growth)
    if level is None:
        return None
    try:
        highest = level.curve(allowed)
        if model({scan.parameter: largest}) > highest({scan.parameter: largest}):
            return None
        return break_even(model, highest, 1.0, scan.parameter, start=largest)
    except ModellingError:
        return None


def _candidates(scan: Scan, taken: Sequence[Measurement]) -> tuple[Model, ...]:
    """Return models of what an open growth may be, the likeliest first."""
    standing = scan.standing
    is_known = standing.is_open and not standing.fits_none
    evidence = [each for each in taken if not each.is_left_out]
    x, middle = _numbers(evidence, "x"), _numbers(evidence, "middle")
    if not is_known or len(scan.parameters) > 1 or not (middle > 0).all():
        return ()
    likely = [
        growth
        for growth, share in standing.class_probability.items()
        if share >= LEAST_SHARE
    ]
    return tuple(nearest_models(scan.parameter, x, middle, likely[:MOST_CANDIDATES]))


def slices_of(scan: Scan) -> list[Scaling]:
    """Return a scan over several parameters as one curve per setting of the others.

    A scan over one parameter is a single slice.
    """
    taken = [each for each in scan.measurements if each.count]
    others = _others(scan, taken)
    slices: dict[tuple[float, ...], list[Measurement]] = defaultdict(list)
    for measured in taken:
        at = tuple(float(measured.coordinate[name]) for name in others)
        slices[at].append(measured)
    settings = sorted(slices)
    chosen = np.linspace(0, len(settings) - 1, min(len(settings), MOST_SLICES))
    return [
        scaling_of(
            replace(scan, measurements=tuple(slices[settings[round(k)]])),
            held=dict(zip(others, settings[round(k)], strict=True)),
            position=position,
        )
        for position, k in enumerate(chosen)
    ]


def _row(scan: Scan) -> tuple[dict[str, float], list[Measurement]]:
    """Return the settings at which a scan is drawn, and its measurements there."""
    taken = [each for each in scan.measurements if each.count]
    others = _others(scan, taken)
    rows: dict[tuple[float, ...], list[Measurement]] = defaultdict(list)
    for measured in taken:
        at = tuple(float(measured.coordinate[name]) for name in others)
        rows[at].append(measured)
    if not rows:
        return {}, []
    held = max(rows, key=lambda at: (len({each.x for each in rows[at]}), at))
    return dict(zip(others, held, strict=True)), rows[held]


def _others(scan: Scan, taken: Sequence[Measurement]) -> tuple[str, ...]:
    """Return the parameters that vary independently of the one it is drawn over."""
    if not taken:
        return ()
    try:
        parameters = modelled_parameters(
            [each.coordinate for each in taken], scan.parameter
        )
    except IncompleteCoordinates:
        return ()
    return tuple(name for name in parameters if name != scan.parameter)


def _numbers(taken: Sequence[Measurement], name: str) -> NDArray[np.float64]:
    return np.array([getattr(each, name) for each in taken], dtype=float)
