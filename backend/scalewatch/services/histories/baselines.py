"""Histories of one series on several states of its machine, put one after the other."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from scalewatch.services.histories.segmented import SegmentedHistory


def joined(histories: Sequence[SegmentedHistory]) -> tuple[SegmentedHistory, ...]:
    """Return one history per series; a new state of its machine begins a baseline.

    States that were measured over another parameter, or side by side, stay apart.
    """
    groups: list[list[SegmentedHistory]] = []
    for each in histories:
        group = next((own for own in groups if _goes_on(own, each)), None)
        if group is None:
            groups.append([each])
        else:
            group.append(each)
            group.sort(key=lambda one: one.positions[0])
    return tuple(map(_joined, groups))


def _goes_on(group: Sequence[SegmentedHistory], other: SegmentedHistory) -> bool:
    own = sorted([*group, other], key=lambda one: one.positions[0])
    return all(
        (one.region, one.machine, one.configuration, one.parameter)
        == (next_.region, next_.machine, next_.configuration, next_.parameter)
        and one.positions[-1] < next_.positions[0]
        for one, next_ in pairwise(own)
    )


def _joined(group: Sequence[SegmentedHistory]) -> SegmentedHistory:
    newest = group[-1]
    if len(group) == 1:
        return newest
    return replace(
        newest,
        positions=tuple(at for one in group for at in one.positions),
        exponents=tuple(each for one in group for each in one.exponents),
        steps=tuple(step for one in group for step in one.steps),
        segments=tuple(each for one in group for each in one.segments),
        changes=tuple(each for one in group for each in one.changes),
        bad_nights=tuple(at for one in group for at in one.bad_nights),
        baselines=tuple(one.positions[0] for one in group[1:]),
    )
