"""Reduce traces with the best times of a table, or without any."""

from dataclasses import replace

from scalewatch_agent.traces.calibration.table import Calibration
from scalewatch_agent.traces.reduction import Reduced, reduced
from scalewatch_agent.traces.trace import Trace


def reduced_by(calibration: Calibration | None, trace: Trace) -> Reduced:
    """Return the sums of a trace, and which table they go by."""
    if calibration is None:
        return reduced(trace)
    own = replace(calibration, extrapolated=set())
    sums = reduced(trace, own)
    return replace(
        sums, calibration=own.title, extrapolated=frozenset(own.extrapolated)
    )
