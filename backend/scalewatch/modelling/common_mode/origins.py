"""Whose the steps of machines are: the library's, or of one machine.

Only the machines together can tell. The library is named where two of them or more
move in the same sense at about the same commit, the sum of their statistics beyond
`TOGETHER`, though none may be clear by itself; then every machine that made at least
half of the step is said to have made it. Other steps are the machine's.

Environments of one host, entered as machines, move together from commit to commit, step
or not: those count as one machine, and confirm nothing of each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from scalewatch.modelling.common_mode.common_mode import AROUND, MachineMode
from scalewatch.modelling.common_mode.correlation import MOST_WIDTH
from scalewatch.modelling.common_mode.scan import LEAST_EFFECT

NEAR: Final = 3
"""Commits by which machines may differ in where one step is."""

LEAST: Final = 8.0
TOGETHER: Final = 30.0
"""Sum of the statistics of machines from which on the library is named."""


SHARED_COMMITS: Final = 20
"""Commits that two machines measured, at least, to tell whether they are one host."""

SAME_HOST: Final = 0.5
"""Rank correlation of moves from commit to commit from which on hosts are one."""


class Origin(StrEnum):
    """Cause that moved all regions of a machine."""

    LIBRARY = "library"
    MACHINE = "machine"
    UNDECIDED = "undecided"  # no other machine was measured then


@dataclass(frozen=True, slots=True)
class Sign:
    """Sign of a step: of one machine, or of several together.

    Parameters
    ----------
    at
        Position of its commit.
    size
        By how much levels moved, on average.
    statistic
        How clear it is.
    """

    at: int
    size: float
    statistic: float

    def agrees(self, other: "Sign") -> bool:
        """Tell whether another one is in the same sense at about the same commit."""
        return abs(self.at - other.at) <= NEAR and self.size * other.size > 0


def origins(
    machines: Sequence[MachineMode], ids: Sequence[int]
) -> list[dict[int, Origin]]:
    """Tell what moved machines on which the same is measured.

    Parameters
    ----------
    ids
        Of the machines: regions at other settings may have a mode of their own.

    Returns
    -------
    list
        Of each its steps: the row, and whose it is.
    """
    ids = hosts(machines, ids)
    shared = _shared(machines, ids)
    clearest: list[Sign] = []
    for sign in sorted(shared, key=lambda sign: (-sign.statistic, sign.at)):
        if all(abs(sign.at - other.at) > MOST_WIDTH for other in clearest):
            clearest.append(sign)
    by_machine = []
    for mode, of in zip(machines, ids, strict=True):
        others = [
            each for each, other in zip(machines, ids, strict=True) if other != of
        ]
        made = [_row(mode, each) for each in clearest if _made(mode, each)]
        noticed = {row: _origin(mode, row, shared, others) for row in mode.steps}
        by_machine.append(noticed | dict.fromkeys(made, Origin.LIBRARY))
    return by_machine


def hosts(machines: Sequence[MachineMode], ids: Sequence[int]) -> list[int]:
    """Return the id of each machine, of several that share a host the first one's."""
    host = [*ids]
    for at, mode in enumerate(machines):
        for other in range(at):
            if host[at] != host[other] and _move_together(mode, machines[other]):
                joined = host[at]
                host = [host[other] if each == joined else each for each in host]
    return host


def _move_together(mode: MachineMode, other: MachineMode) -> bool:
    """Tell whether two common modes scatter alike from commit to commit.

    Ranks of moves: a few steps of the library, however large, do not correlate them.
    """
    _, rows, others = np.intersect1d(
        mode.positions, other.positions, return_indices=True
    )
    if len(rows) <= SHARED_COMMITS:
        return False
    moves, alike = (
        np.diff(each.mode.effect[at].mean(axis=1))
        for each, at in ((mode, rows), (other, others))
    )
    if not (moves.any() and alike.any()):
        return False
    ranks = [each.argsort().argsort() for each in (moves, alike)]
    return bool(np.corrcoef(ranks)[0, 1] > SAME_HOST)


def _shared(machines: Sequence[MachineMode], ids: Sequence[int]) -> list[Sign]:
    """Return where several machines moved alike."""
    signs: dict[int, list[Sign]] = {of: [] for of in ids}
    for mode, of in zip(machines, ids, strict=True):
        signs[of] += _signs(mode)
    shared = []
    for sign in [sign for machine in signs.values() for sign in machine]:
        agreeing = [
            max(near, key=lambda other: other.statistic)
            for machine in signs.values()
            if (near := [other for other in machine if sign.agrees(other)])
        ]
        total = sum(other.statistic for other in agreeing)
        if len(agreeing) > 1 and total > TOGETHER:
            size = float(np.mean([other.size for other in agreeing]))
            shared.append(Sign(sign.at, size, total))
    return shared


def _signs(mode: MachineMode) -> list[Sign]:
    """Return all that may be a step of a machine, one for each commit and sense."""
    newest = len(mode.positions) - 1
    steps = [
        (row, mode.step_size(row), strength) for row, strength in mode.strength.items()
    ]
    for t in np.flatnonzero(mode.statistic > LEAST).tolist():
        row = min(int(mode.first[t]), newest)
        steps.append((row, float(mode.size[t]), float(mode.statistic[t])))
    best: dict[tuple[int, bool], Sign] = {}
    for row, size, statistic in sorted(steps, key=lambda step: step[2]):
        if abs(size) >= LEAST_EFFECT:
            best[row, size > 0] = Sign(int(mode.positions[row]), size, statistic)
    return [*best.values()]


def _row(mode: MachineMode, sign: Sign) -> int:
    """Return the row at which a machine made a step, if it made it."""
    row = int(mode.positions.searchsorted(sign.at))
    near = [
        step for step in mode.steps if abs(int(mode.positions[step]) - sign.at) <= NEAR
    ]
    return min(near, key=lambda step: abs(step - row), default=row)


def _made(mode: MachineMode, sign: Sign) -> bool:
    """Tell whether a machine made at least half of a step of others."""
    row = _row(mode, sign)
    if not 0 < row < len(mode.positions):
        return False
    return bool(mode.step_size(row) / sign.size > 0.5)


def _origin(
    mode: MachineMode,
    row: int,
    shared: Sequence[Sign],
    others: Sequence[MachineMode],
) -> Origin:
    """Tell whose a step is that one machine noticed."""
    at = int(mode.positions[row])
    step = Sign(at, mode.step_size(row), 0.0)
    if any(step.agrees(each) for each in shared):
        return Origin.LIBRARY
    was_measured = any(_was_measured(each, at) for each in others)
    return Origin.MACHINE if was_measured else Origin.UNDECIDED


def _was_measured(mode: MachineMode, at: int) -> bool:
    """Tell whether a machine has commits enough before and since a commit."""
    since = int((mode.positions >= at).sum())
    return since >= 2 and len(mode.positions) - since > AROUND // 5
