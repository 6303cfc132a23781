"""The kind of scaling that the runs of a scan are made for, and the evidence of it.

Strong scaling asks a meaningless question about runs whose processes have the same
work at every scale: nobody expects a broadcast on 64 times the processes to take 1/64
of the time.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Any, Final

import numpy as np

from scalewatch.modelling import Factor, Growth, ScalingKind, Times, weak_scaling_errors
from scalewatch.services.series.scans import Measurement, Scan
from scalewatch.texts.scales import RESOURCES, goes_with

SIZE: Final = "n"


def planes_of(
    measurements: Sequence[Measurement], scale: str
) -> dict[tuple[tuple[str, Any], ...], list[Measurement]]:
    """Return measurements that differ in scale and size only, by their other settings.

    Those with the most measurements come first. Other scales that follow from this
    one, as nodes do from processes, are no other settings.
    """
    scaled = [taken for taken in measurements if taken.count]
    scaled = [taken for taken in scaled if scale in taken.coordinate]
    along = {scale, SIZE} | {
        name
        for name in RESOURCES
        if all(name in taken.coordinate for taken in scaled)
        and goes_with(
            name, ((each.coordinate[scale], each.coordinate[name]) for each in scaled)
        )
    }
    planes: dict[tuple[tuple[str, Any], ...], list[Measurement]] = defaultdict(list)
    for taken in scaled:
        rest = {
            name: value
            for name, value in sorted(taken.coordinate.items())
            if name not in along
        }
        planes[tuple(rest.items())].append(taken)
    return dict(sorted(planes.items(), key=lambda plane: -len(plane[1])))


def pooled(
    taken: Sequence[Measurement], scale: str
) -> dict[tuple[float, float | None], float]:
    """Return the time at each scale and size; of several runs, their median."""
    seconds: dict[tuple[float, float | None], list[float]] = defaultdict(list)
    for measurement in taken:
        if measurement.middle is not None:
            coordinate = measurement.coordinate
            size = coordinate.get(SIZE)
            at = (float(coordinate[scale]), None if size is None else float(size))
            seconds[at].append(measurement.middle)
    return {at: median(values) for at, values in seconds.items()}


MESSAGE: Final = "message_bytes"
"""Configuration of an operation whose processes exchange messages of one size."""

FALLS: Final = 0.75
"""Times that are nowhere below this share of the first one do not fall."""


class Evidence(StrEnum):
    """The evidence of a kind of scaling."""

    SIZES_GROW = "sizes grow"
    SIZES_HOLD = "sizes hold"
    PROMISE_FALLS = "promise falls"
    PROMISE_HOLDS = "promise holds"
    MESSAGES_HOLD = "messages hold"
    TIMES_FALL = "times fall"
    TIMES_HOLD = "times hold"


@dataclass(frozen=True, slots=True)
class Design:
    """The kind of scaling that runs are made for.

    Parameters
    ----------
    promise
        The expected growth that it follows from, if it does.
    is_work_assumed
        Whether the work per process is taken to be the same at all scales, because no
        pair of problem sizes says so.
    """

    kind: ScalingKind
    evidence: Evidence
    promise: Growth | None = None
    is_work_assumed: bool = False


def design_of(scan: Scan, times: Times, scale: str) -> Design:
    """Return the kind of scaling by problem sizes, the expectation, then the times."""
    strong, weak = _pairs(times)
    is_varied = times.sizes is not None and times.sizes.size > 1
    if times.sizes is not None and (weak > strong or (is_varied and strong == 0)):
        return Design(ScalingKind.WEAK, Evidence.SIZES_GROW)
    if scan.expectation is not None:
        growth = scan.expectation.growth
        named = (scale, *(name for name in growth.parameters if name in RESOURCES))
        along = next((name for name in named if name in growth.parameters), scale)
        if growth.factor(along).order < Factor(along).order:
            return Design(ScalingKind.STRONG, Evidence.PROMISE_FALLS, growth)
        return Design(
            ScalingKind.WEAK, Evidence.PROMISE_HOLDS, growth, is_work_assumed=not weak
        )
    if times.sizes is not None:
        return Design(ScalingKind.STRONG, Evidence.SIZES_HOLD)
    seconds = times.at(None)
    if seconds.min() < FALLS * seconds[0]:
        return Design(ScalingKind.STRONG, Evidence.TIMES_FALL)
    is_message = MESSAGE in scan.configuration
    evidence = Evidence.MESSAGES_HOLD if is_message else Evidence.TIMES_HOLD
    return Design(ScalingKind.WEAK, evidence, is_work_assumed=True)


def _pairs(times: Times) -> tuple[int, int]:
    """Return how many pairs of scales the best problem size has, strong and weak."""
    scales = np.isfinite(times.seconds).sum(axis=1)
    strong = int((scales * (scales - 1) // 2).max())
    if times.sizes is None or times.scales.size < 2:
        return strong, 0
    errors = [weak_scaling_errors(times, size).errors for size in times.sizes.tolist()]
    beyond = ~np.tri(times.scales.size, dtype=bool)  # n₂ > n₁
    return strong, max(int(np.isfinite(each[beyond]).sum()) for each in errors)
