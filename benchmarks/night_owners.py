"""Whose a step is that machines of 40 regions made: the library's, or a machine's."""

from collections.abc import Iterator, Sequence

import numpy as np
from benchmarks.goals import Goal
from benchmarks.night_looks import Reals, look
from benchmarks.results import Results
from benchmarks.truths_nights import AT, REGIONS, SOON, TRIPLE, Draws

from scalewatch.modelling.common_mode.origins import Origin

LIBRARY = Goal("library updates called the library's within 5", "{:.3f}", least=0.95)
MACHINE = Goal("steps of one machine called the library's", "{:.3f}", most=0.05)
BLAMED = {
    12: Goal("unchanged regions blamed when 12 of 40 changed", "{:.3f}", most=0.02),
    24: Goal("unchanged regions blamed when 24 of 40 changed", "{:.3f}", most=0.05),
}


def measure(results: Results, draws: Sequence[Draws]) -> None:
    """Plant level × 1.1 in regions of three machines, or in all of one."""
    row = results.table(
        "level × 1.1 on three machines of 40 regions",
        "called the library's",
        "a machine's alone",
        "changed regions found",
        "unchanged regions blamed",
    )
    named = {}
    for changed in (12, 24, 40):
        share = named[changed] = _Owners()
        for logs in _stepped(draws, [changed] * TRIPLE):
            share.add(logs, [changed] * TRIPLE)
        row(f"{changed} of 40", *share.cells())
        if changed in BLAMED:
            results.figure(BLAMED[changed], share.blamed)
    results.figure(LIBRARY, min(named[24].library, named[40].library))
    alone = _Owners()
    for logs in _stepped(draws, [REGIONS, 0, 0]):
        alone.add(logs, [REGIONS, 0, 0])
    row("all 40 of one machine", *alone.cells())
    results.figure(MACHINE, alone.library)


def _stepped(draws: Sequence[Draws], changed: Sequence[int]) -> Iterator[list[Reals]]:
    """Yield three machines of each noise that moved, until five commits after it."""
    for own in draws:
        for noise in own.noises:
            for logs in own.machines(noise, is_shared=True):
                for log, count in zip(logs, changed, strict=True):
                    log[:count, AT:] += np.log(1.1)
                yield [log[:, : AT + SOON + 1] for log in logs]


class _Owners:
    """Of triples of machines, whose a step was said to be."""

    def __init__(self) -> None:
        self._origins: list[set[Origin]] = []
        self._found: list[float] = []
        self._blamed: list[float] = []

    def add(self, logs: Sequence[Reals], changed: Sequence[int]) -> None:
        """Look at machines of which the first regions changed."""
        noticed, steps = look(logs)
        near = {(each.machine, each.region) for each in noticed if each.is_near(AT)}
        self._origins.append({each.origin for each in steps})
        every = [(m, r) for m in range(len(logs)) for r in range(REGIONS)]
        moved = [each for each in every if each[1] < changed[each[0]]]
        still = [each for each in every if each[1] >= changed[each[0]]]
        self._found.append(np.mean([each in near for each in moved]))
        if still:
            self._blamed.append(np.mean([each in near for each in still]))

    @property
    def library(self) -> float:
        """Share of triples in which the library was named."""
        return float(np.mean([Origin.LIBRARY in each for each in self._origins]))

    @property
    def blamed(self) -> float:
        """Share of unchanged regions that were said to change."""
        return float(np.mean(self._blamed)) if self._blamed else 0.0

    def cells(self) -> list[str]:
        """Write a row of the table."""
        machine = np.mean([each == {Origin.MACHINE} for each in self._origins])
        shares = (self.library, machine, np.mean(self._found), self.blamed)
        return [f"{share:.3f}" for share in shares]
