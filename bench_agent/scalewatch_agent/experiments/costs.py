"""What a sweep costs, before it is begun."""

from collections.abc import Sequence

from scalewatch_agent.experiments.configured import Configured


def core_hours(
    configured: Sequence[Configured], repeats: int
) -> tuple[float | None, float]:
    """Return what the jobs are expected to cost, if the file says, and at most."""
    expected = 0.0
    limit = 0.0
    is_known = True
    for one in configured:
        limit += repeats * one.cores * one.time_limit / 3600
        if one.seconds is None:
            is_known = False
        else:
            expected += repeats * one.cores * one.seconds / 3600
    return (expected if is_known else None), limit
