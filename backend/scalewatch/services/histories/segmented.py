"""The history of one series: what it was at its commits, and where it changed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scalewatch.services.histories.commits import HistoryStep
from scalewatch.services.histories.segments import Segment, StoredChange


@dataclass(frozen=True, slots=True)
class SegmentedHistory:
    """The history of one series on one state of its machine.

    Parameters
    ----------
    positions, exponents
        Position of each commit on the line, and what `Step` says of it.
    steps
        All that is known of each commit, or of the newest of them; none, and no
        exponents, where all regions are shown.
    bad_nights
        Positions of commits measured in what was taken for a bad night of the machine.
    is_exact
        Whether it is counted exactly, so that one commit tells a change.
    baselines
        Positions from which on the machine is in another state: what was measured
        before is no baseline for it.
    """

    region: str
    machine: str
    configuration: Mapping[str, Any]
    unit: str
    positions: tuple[int, ...]
    segments: tuple[Segment, ...]
    changes: tuple[StoredChange, ...]
    exponents: tuple[float | None, ...] = ()
    steps: tuple[HistoryStep, ...] = ()
    parameter: str | None = None
    target: float | None = None
    bad_nights: tuple[int, ...] = ()
    is_exact: bool = False
    baselines: tuple[int, ...] = ()
