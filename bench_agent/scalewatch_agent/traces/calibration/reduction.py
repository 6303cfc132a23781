"""Reduce traces with the best times of a table, or without any."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from scalewatch_agent.traces.calibration.table import Calibration
from scalewatch_agent.traces.reduction import Reduced, reduced
from scalewatch_agent.traces.trace import Trace


def reduced_by(calibration: Calibration | None, trace: Trace) -> Reduced:
    """Return the sums of a trace, and which table they go by."""
    if calibration is None:
        return reduced(trace)
    measured = replace(calibration, extrapolated={})
    sums = reduced(trace, measured)
    extrapolated = frozenset(
        " ".join([function, *_by(growths)])
        for function, growths in measured.extrapolated.items()
    )
    return replace(sums, calibration=measured.title, extrapolated=extrapolated)


def _by(growths: Collection[str]) -> Iterator[str]:
    if growths:
        yield f"by {' or '.join(sorted(growths))}"
