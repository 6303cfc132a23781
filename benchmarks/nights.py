"""Histories under the noise of clusters: false alarms, delays, and whose a step is.

Ten noises, six process counts, five repetitions; machines of 40 regions that share
their nights, and series by themselves, of which 40 are pooled. A history of 200 commits
without a change alarms if anything is noticed before its newest commit. A change is in
4 of 40 regions at commit 100 and found if what is noticed names a place at most 10
commits away, the middle of the commits that may have made it; its delay is counted in
commits after the changed one. Drifts, which the effect floor folds so that they stop
nobody, count as found and as alarms alike: they name commit and size. Both seeds were
used for nothing else. Whose a step is, is asked five commits after it.

Otava sees the median at the largest p of 20 histories a cell, and of changes after 5
and 20 commits. Tuned means a window of 30, p < 0.0001 and at least 2 %.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from benchmarks import night_owners, options, otava_peer
from benchmarks.goals import OTAVA, Goal
from benchmarks.night_looks import NEAR, Noticed, Reals, look, look_apart
from benchmarks.results import Results
from benchmarks.truths_history import Planted
from benchmarks.truths_nights import (
    AT,
    BEYOND,
    COMMITS,
    NOISES,
    REGIONS,
    SOON,
    TRIPLE,
    Draws,
    nightly,
    planted,
    step,
)

SEEDS = (20_310_419, 20_311_207)
QUICK_SEED = 20_270_113
CHANGED = 4
CHANGED_TRIPLES = 2
"""Times as many machines with changes: a share of 0.98 needs more than 24 histories."""

LATE = 20
PEER = 20
FEW = {1: 40, 5: 12, 12: 6}
"""Machines of so few regions, for each triple of whole ones."""

SHARED = "machines of 40 regions"
SINGLE = "single series"
KINDS = (SHARED, SINGLE)
PEERS = {"otava": otava_peer.DEFAULTS, "otava, tuned": otava_peer.TUNED}


def _alarming(of: str, which: str, most: float) -> Goal:
    name = f"null histories under nights that alarm, {of}, {which}"
    return Goal(name, "{:.1f} %", most=most, rival=OTAVA)


NULLS = {
    SHARED: (_alarming(SHARED, "worst", 4), _alarming(SHARED, "mean", 2)),
    SINGLE: (_alarming(SINGLE, "worst", 5), _alarming(SINGLE, "mean", 2.5)),
}
FEW_GOAL = Goal("null histories of few regions under AR 0.9", "{:.1f} %", most=6)
LARGE = Goal(
    "growth or coefficient × 1.3 under nights within 5, worst noise",
    "{:.3f}",
    least=0.98,
    rival=OTAVA,
)
DELAY = Goal("the same, largest median delay", "{:.0f}", most=2)
LEVEL = Goal(
    "level × 1.1 under nights found within 5", "{:.3f}", least=0.95, rival=OTAVA
)
SMALL = Goal(
    "coefficient × 1.1 under nights found within 5", "{:.3f}", least=0.65, rival=OTAVA
)
SMALL_LATE = Goal(
    "coefficient × 1.1 under nights found within 20",
    "{:.3f}",
    least=0.94,
    rival=OTAVA,
    reason="where noise grows with p, twenty commits tell it by five standard errors "
    "at best",
)


def main(results: Results) -> None:
    """Measure false alarms, planted changes, and whose steps are."""
    triples = options.series(2, 1)
    is_quick = options.asked().quick
    seeds = (QUICK_SEED,) if is_quick else SEEDS
    noises = list(NOISES)[:: 4 if is_quick else 1]
    results.say(
        f"{len(seeds)} seeds; {len(seeds) * TRIPLE * triples * REGIONS} histories "
        f"without a change a cell, "
        f"{len(seeds) * TRIPLE * CHANGED_TRIPLES * triples * CHANGED} with one, and "
        f"{len(seeds)} times three machines for each noise that tell whose a step is."
    )
    draws = [Draws(seed, noises, triples) for seed in seeds]
    _nulls(results, draws)
    _few_regions(results, draws)
    changed = [replace(each, triples=CHANGED_TRIPLES * triples) for each in draws]
    _changes(results, changed)
    night_owners.measure(results, [replace(each, triples=1) for each in draws])


def _noticed(logs: Sequence[Reals], kind: str) -> list[list[Noticed]]:
    """Return what is noticed on each of several machines."""
    if kind == SINGLE:
        return [look_apart(log) for log in logs]
    found, _ = look(logs)
    return [
        [each for each in found if each.machine == machine]
        for machine in range(len(logs))
    ]


def _nulls(results: Results, draws: Sequence[Draws]) -> None:
    names = [f"{kind}: {by}" for kind in KINDS for by in ("scalewatch", *PEERS)]
    row = results.table("without a change, alarming", *names)
    noises = draws[0].noises
    cells = [(noise, kind) for noise in (*noises, *BEYOND) for kind in KINDS]
    alarming = np.array([_null(noise, kind, draws) for noise, kind in cells])
    series = [_peer_series(draws[0], *cell) for cell in cells]
    peers = [
        np.array([[bool(each) for each in own] for own in _asked(series, setting)])
        for setting in PEERS.values()
    ]
    each = np.column_stack([alarming, *(100 * own.mean(axis=1) for own in peers)])
    shares = each.reshape(-1, len(KINDS), 1 + len(PEERS))
    for noise, own in zip((*noises, *BEYOND), shares, strict=True):
        row(noise, *(f"{share:.1f} %" for share in own.ravel()))
    for number, kind in enumerate(KINDS):
        own = shares[: len(noises), number]
        for goal, ours in zip(
            NULLS[kind], (own.max(axis=0), own.mean(axis=0)), strict=True
        ):
            results.figure(goal, float(ours[0]), float(ours[1]))


def _null(noise: str, kind: str, draws: Sequence[Draws]) -> float:
    """Return the share of histories that alarm, in percent."""
    found = [
        own
        for each in draws
        for logs in each.machines(noise, is_shared=kind == SHARED)
        for own in _noticed(logs, kind)
    ]
    alarming = sum(len({each.region for each in own}) for own in found)
    return 100 * alarming / (len(found) * REGIONS)


def _peer_series(draws: Draws, noise: str, kind: str) -> list[Reals]:
    """Return what the rival sees of a cell."""
    first = next(draws.machines(noise, is_shared=kind == SHARED))[0]
    last = first[:PEER, :, -1]
    return [np.exp(each[~np.isnan(each)]) for each in last]


def _asked(
    cells: Sequence[Sequence[Reals]], setting: otava_peer.Setting
) -> list[list[list[int]]]:
    """Return the rival's change points in the series of each cell."""
    series = [each for cell in cells for each in cell]
    found = iter(otava_peer.change_points(series, setting)[0])
    return [[next(found) for _ in cell] for cell in cells]


def _few_regions(results: Results, draws: Sequence[Draws]) -> None:
    noise = "AR 0.9, 1.5 %"
    row = results.table(f"regions of a machine, {noise}", "histories", "alarming")
    worst = 0.0
    for regions, machines in FEW.items():
        alarming = count = 0
        for own in draws:
            for number in range(machines * own.triples):
                rng = own.rng("few", regions, number)
                log = nightly(noise, regions, COMMITS, rng, is_shared=True)
                alarming += len({each.region for each in look([log])[0]})
                count += regions
        worst = max(worst, 100 * alarming / count)
        row(regions, count, f"{100 * alarming / count:.1f} %")
    results.figure(FEW_GOAL, worst)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """Delays of the changes of one kind under one noise; and what the rival sees."""

    delays: Reals
    series: list[Reals]

    def within(self, commits: int) -> float:
        """Return the share found within so many commits, the changed one counts."""
        return float(np.mean(self.delays < commits))

    @property
    def median(self) -> float:
        """The median delay."""
        return float(np.median(self.delays))

    def cell(self) -> str:
        """Write shares and delay."""
        median = f"{self.median:.0f}" if np.isfinite(self.median) else "–"
        return f"{self.within(SOON):.2f} / {self.within(LATE):.2f} / {median}"


def _changes(results: Results, draws: Sequence[Draws]) -> None:
    noises = draws[0].noises
    growth, larger, small, level = (change.name for change in planted())
    shared: dict[str, list[_Found]] = {}
    for kind in KINDS:
        found = {
            change.name: [_found(noise, kind, change, draws) for noise in noises]
            for change in planted()
        }
        row = results.table(f"{kind}: within 5 / within 20 / median delay", *found)
        for number, noise in enumerate(noises):
            row(noise, *(own[number].cell() for own in found.values()))
        peers = {
            name: [_peer_shares(own, setting) for own in found.values()]
            for name, setting in PEERS.items()
        }
        for name, shares in peers.items():
            means = [each.mean(axis=0) for each in shares]
            row(f"all, {name}", *(f"{soon:.2f} / {late:.2f}" for soon, late in means))
        if kind == SHARED:
            shared = found
            rival = dict(zip(found, peers["otava"], strict=True))
    large = [*shared[growth], *shared[larger]]
    worst = min(rival[growth][:, 0].min(), rival[larger][:, 0].min())
    results.figure(LARGE, min(each.within(SOON) for each in large), float(worst))
    results.figure(DELAY, max(each.median for each in large))
    for goal, name, place in (
        (LEVEL, level, 0),
        (SMALL, small, 0),
        (SMALL_LATE, small, 1),
    ):
        ours = np.mean([each.within((SOON, LATE)[place]) for each in shared[name]])
        results.figure(goal, float(ours), float(rival[name][:, place].mean()))


def _found(noise: str, kind: str, change: Planted, draws: Sequence[Draws]) -> _Found:
    delays, series = [], []
    for own in draws:
        for logs in own.machines(noise, is_shared=kind == SHARED):
            for log in logs:
                log[:CHANGED, AT:] += step(change)
            ends = [log[:, : AT + LATE + 1] for log in logs]
            for log, noticed in zip(ends, _noticed(ends, kind), strict=True):
                delays += [_delay(noticed, row) for row in range(CHANGED)]
                series += list(np.exp(log[:CHANGED, :, -1]))
    return _Found(np.array(delays), series[:PEER])


def _delay(noticed: Sequence[Noticed], region: int) -> float:
    own = [each for each in noticed if each.region == region and each.is_near(AT)]
    return min((each.at - AT for each in own), default=np.inf)


def _peer_shares(found: Sequence[_Found], setting: otava_peer.Setting) -> Reals:
    """Return what the rival finds within five and twenty commits, by noise."""
    cells = [
        [series[: AT + asked] for series in own.series]
        for own in found
        for asked in (SOON, LATE)
    ]
    is_found = [
        [any(abs(place - AT) <= NEAR for place in places) for places in cell]
        for cell in _asked(cells, setting)
    ]
    return np.array(is_found).mean(axis=1).reshape(-1, 2)
