"""Gates under the noise of clusters: two commits alone, and a commit beside its nights.

A machine of 40 regions, ten noises; a commit is compared with the one before it, each
measured by two jobs of one night, which repeat each setting five times. Regions at one
commit are a report. `two commits` is the rule about constants of machines without a
history; of others 60 `nights` tell, and what a night did to all regions is taken out. A
machine that moved as a whole is undecided where it is the only one. Changes are planted
in 4 of the 40 regions. The seed was used for nothing else.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from benchmarks import options
from benchmarks.goals import Goal
from benchmarks.results import Results
from benchmarks.truths_history import P
from benchmarks.truths_nights import (
    BEYOND,
    LOADINGS,
    LOG,
    NOISES,
    OWN,
    REGIONS,
    REPEATED,
    REPETITIONS,
    Draw,
)
from numpy.typing import NDArray

from scalewatch.modelling import Direction, compare_versions
from scalewatch.modelling.common_mode.common_mode import machine_mode
from scalewatch.modelling.common_mode.newest import beside_machine, newest_commit
from scalewatch.modelling.common_mode.scan import TARGET
from scalewatch.modelling.histories.histories import Histories, locations
from scalewatch.services.commit_reports.factors import (
    LEAST_CONSTANT,
    direction_of,
    level_of,
)
from scalewatch.services.common_mode.newest_commit import CAREFUL

Reals = NDArray[np.float64]
Truths = NDArray[np.bool_]

SEED: Final = 20_300_607
NIGHTS: Final = 60
CHANGED: Final = 4
FACTORS: Final = (1.1, 1.3)
BY_JOB: Final = frozenset({"two modes by job", "bad jobs"})

STOPPED: Final = Goal(
    "unchanged commits that gates stop under nights, worst", "{:.1f} %", most=2
)
FOUND: Final = Goal(
    "regions × 1.3 that gates stop for under nights, worst", "{:.3f}", least=0.9
)


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """Nights of a machine, two jobs each.

    Parameters
    ----------
    jobs
        Repetitions, shape (2, S, T, n, R).
    """

    jobs: Reals

    def located(self, job: int) -> Reals:
        """Return where the repetitions of one job lie, shape (S, T, n)."""
        return locations(self.jobs[job])


def main(results: Results) -> None:
    """Count commits that are stopped, or held up, by what they did not do."""
    commits = options.series(50, quick=10)
    results.say(f"{commits} commits a noise without a change, and as many with one.")
    row = results.table(
        "noise",
        "unchanged: two commits stop",
        "nights stop",
        "nights ask for another night",
        *(f"× {f}: {by}" for f in FACTORS for by in ("two commits", "nights")),
    )
    stopped, found = {}, {}
    for noise in (*NOISES, *BEYOND):
        cells = [_shares(noise, factor, commits) for factor in (1.0, *FACTORS)]
        (alone, beside, asked), *changed = cells
        row(
            noise,
            *(f"{100 * share:.0f} %" for share in (alone, beside, asked)),
            *(f"{share:.2f}" for own in changed for share in own[:2]),
        )
        if noise in NOISES:
            stopped[noise], found[noise] = beside, changed[-1][1]
    results.figure(STOPPED, 100 * max(stopped.values()))
    results.figure(FOUND, min(found.values()))


def _shares(noise: str, factor: float, commits: int) -> tuple[float, float, float]:
    """Return what two commits stop, what nights stop, and what nights ask again.

    Of unchanged machines the shares of commits, of others those of changed regions.
    """
    is_null = factor == 1.0
    said = []
    for machine in _machines(noise, factor, commits):
        alone = _stopped_by_two(machine)
        beside, is_asked = _beside_nights(machine)
        if is_null:
            said.append((alone.any(), beside.any(), is_asked))
        else:
            said.append((alone[:CHANGED].mean(), beside[:CHANGED].mean(), is_asked))
    alone, beside, asked = np.mean(said, axis=0).tolist()
    return alone, beside, asked


def _machines(noise: str, factor: float, commits: int) -> Iterator[Machine]:
    """Yield machines whose newest commit made some regions dearer."""
    number = [*NOISES, *BEYOND].index(noise)
    for commit in range(commits):
        rng = np.random.default_rng((SEED, number, int(10 * factor), commit))
        loading = np.exp(rng.normal(0, LOADINGS, (REGIONS, 1, 1)))
        draw = Draw(rng, REGIONS, NIGHTS + 1, loading)
        nights = {**NOISES, **BEYOND}[noise]
        first = nights(draw)
        second = nights(draw) if noise in BY_JOB else first
        own = np.stack(
            [_job(noise, rng) + each[..., np.newaxis] for each in (first, second)]
        )
        own[:, :CHANGED, -1] += np.log(factor)
        yield Machine(np.exp(own + np.log(1 + 0.3 * LOG)[:, np.newaxis]))


def _job(noise: str, rng: np.random.Generator) -> Reals:
    """Return logarithms of repetitions of one job a night, shape (S, T, n, R)."""
    shape = (REGIONS, NIGHTS + 1, P.size, REPETITIONS)
    log = rng.normal(0, OWN, (*shape[:3], 1)) + rng.normal(0, REPEATED, shape)
    if noise == "noise grows with p":
        log *= (1 + 3 * LOG)[:, np.newaxis]
    if noise == "noise that doubles":
        log[:, NIGHTS // 2 :] *= 2
    return np.asarray(log)


def _stopped_by_two(machine: Machine) -> Truths:
    """Tell of which regions all pairs of jobs say that they became dearer."""
    dearer = np.ones(REGIONS, bool)
    for before, after in product(machine.jobs, machine.jobs):
        compared = compare_versions(
            P, before[:, -2], after[:, -1], level=level_of(REGIONS)
        )
        worse = [
            direction_of(each, LEAST_CONSTANT, is_cost=True) is Direction.WORSE
            for each in compared
        ]
        dearer &= np.array(worse)
    return dearer


def _beside_nights(machine: Machine) -> tuple[Truths, bool]:
    """Tell which regions became dearer than nights do, and whether all did."""
    log = (machine.located(0) + machine.located(1)) / 2
    usual = np.median(log[:, :-1], axis=1)
    jobs = np.stack([machine.located(job)[:, -1] for job in (0, 1)])
    kindest = np.abs((jobs - usual).mean(axis=2)).argmin(axis=0)
    log[:, -1] = np.take_along_axis(jobs, kindest[np.newaxis, :, np.newaxis], 0)[0]
    directions = Histories.of(P, log).directions
    nights = machine_mode(log, np.arange(log.shape[1]), directions)
    length = np.full(REGIONS, log.shape[1])
    left = nights.mode.taken_out(log)
    own = newest_commit(left, length, directions, TARGET / CAREFUL)
    effect = nights.mode.effect[np.newaxis]
    whole = newest_commit(effect, length[:1], directions, TARGET)
    own = beside_machine(own, whole)
    is_slower = bool(whole.stands_out[0] and whole.size[0] > 0)
    return own.size > np.log1p(LEAST_CONSTANT), is_slower


if __name__ == "__main__":
    main(Results("night_gates", __doc__ or ""))
