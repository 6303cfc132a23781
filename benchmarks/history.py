"""Histories of 40 regions on 10 machines: what is found, when, and what is not there.

Six process counts, five repetitions; 5 % between repetitions with outliers, 2 % between
jobs, 1 % between commits; the change is at commit 100. An alarm counts as finding it if
it names a place at most 10 commits away; every other alarm is false. A delay of 1 is
the changed commit itself. The right kind is asked of those changes that are noticed
within three commits. The column `at best` is an ideal observer, which knows the place,
the curve before and the size of both, and tells a coefficient from a level three
commits after the change by how much it differs between the process counts. A
coefficient × 1.1 moves the curve by 2 % at one end and 5 % at the other, and after
three commits a difference is known to within 1.8 % at each process count: no detector
can do much better there.

Otava sees the median at the largest p, and is asked again after 1, 2, 3, 5, 10 and 20
commits; as it takes a hundred times as long, it gets the first 20 histories with each
change, and a fifth of those without one. Tuned means a window of 30, p < 0.0001 and at
least 2 %.
"""

from dataclasses import dataclass

import numpy as np
from benchmarks import options, otava_peer
from benchmarks.goals import OTAVA, Goal
from benchmarks.results import Results
from benchmarks.truths_history import P, Planted, changed, changes, drifting, unchanged
from numpy.typing import NDArray
from scipy.optimize import brentq

from scalewatch.modelling import pmnf
from scalewatch.modelling.histories.changes import detect, find_changes
from scalewatch.modelling.histories.explanation import Shift, ShiftKind
from scalewatch.modelling.histories.histories import Histories, locations

Reals = NDArray[np.float64]

REGIONS, MACHINES, COMMITS = 40, 10, 200
AT, WITHIN, SOON = 100, 20, 5
NEAR = 10
PEER = 20
ASKED = (0, 1, 2, 4, 9, 19)
CALLED = {
    "growth": ShiftKind.GROWTH,
    "constant": ShiftKind.COEFFICIENT,
    "level": ShiftKind.LEVEL,
}
SPACE = pmnf("p")
SEED = 20_260_801

FALSE = Goal("false changes per 1,000 cells", "{:.2f}", most=1, rival=OTAVA)
ALARMING = Goal(
    "histories of 200 commits without a change that alarm",
    "{:.1f} %",
    most=4,
    rival=OTAVA,
)
GROWTH = Goal(
    "changes of growth found within 5 commits", "{:.3f}", least=0.95, rival=OTAVA
)
DELAY = Goal(
    "changes of growth, median delay in commits", "{:.0f}", most=2, rival=OTAVA
)
FIVE = Goal(
    "coefficient × 1.1 found within 5 commits", "{:.3f}", least=0.70, rival=OTAVA
)
TWENTY = Goal(
    "coefficient × 1.1 found within 20 commits", "{:.3f}", least=0.98, rival=OTAVA
)
RANGES = Goal("commit ranges that hold the cause", "{:.3f}", least=0.97)
KINDS = Goal("changes called by their kind after 3 commits", "{:.3f}", least=0.95)


def main(results: Results) -> None:
    """Measure false alarms, planted changes and drifts."""
    series = options.series(REGIONS * MACHINES, 60)
    results.say(
        f"{series} histories with each change, {5 * series} of {COMMITS} commits "
        "without one."
    )
    _false_alarms(results, series)
    _found(results, series)
    _drifts(results, series)


def _false_alarms(results: Results, series: int) -> None:
    values = unchanged(5 * series, COMMITS, np.random.default_rng(SEED))
    alarms = detect(Histories.of(P, locations(values)))
    row = results.table(
        "without a change", "false changes per 1,000 cells", "histories that alarm"
    )
    shares = {
        "scalewatch": _false_shares(
            len(alarms), len({a.series for a in alarms}), 5 * series
        )
    }
    times = np.median(values[:series, :, -1], axis=2)
    for name, setting in _settings().items():
        found, _ = otava_peer.change_points(list(times), setting)
        alarming = sum(bool(each) for each in found)
        shares[name] = _false_shares(sum(map(len, found)), alarming, series)
    for name, (false, alarm) in shares.items():
        row(name, f"{false:.2f}", f"{alarm:.1f} %")
    for goal, ours, rival in zip(
        (FALSE, ALARMING), shares["scalewatch"], shares["otava"], strict=True
    ):
        results.figure(goal, ours, rival)


def _false_shares(false: int, alarming: int, histories: int) -> tuple[float, float]:
    return 1_000 * false / (histories * COMMITS), 100 * alarming / histories


def _found(results: Results, series: int) -> None:
    add = results.table(
        "change",
        "by",
        f"within {SOON}",
        f"within {WITHIN}",
        "median delay",
        "range holds it",
        "range, commits",
        "right kind after 3",
        "at best",
        words=2,
    )
    by_kind: dict[str, list[_Row]] = {}
    otava: dict[str, list[Reals]] = {}
    for number, planted in enumerate(changes()):
        rng = np.random.default_rng((SEED, number))
        values = changed(planted, series, AT, AT + WITHIN, rng)
        log = locations(values)
        row = _row(log, planted)
        by_kind.setdefault(planted.kind, []).append(row)
        add(planted.name, *row.cells(_at_best(log[:, : AT + 3], planted)))
        times = np.median(values[:, :, -1], axis=2)
        for name, setting in _settings().items():
            delays = _delays(_otava_alarms(times[:PEER], setting), min(PEER, series))
            add("", name, *_delay_columns(delays), "", "", "", "")
            if name == "otava":
                otava.setdefault(planted.kind, []).append(delays)
        if planted.name == "coefficient × 1.1":
            rival = otava[planted.kind][-1]
            for goal, most in ((FIVE, SOON), (TWENTY, WITHIN)):
                ours = float((row.delays <= most).mean())
                results.figure(goal, ours, float((rival <= most).mean()))
    growth, rival = _together(by_kind["growth"]), np.concatenate(otava["growth"])
    results.figure(
        GROWTH, float((growth.delays <= SOON).mean()), float((rival <= SOON).mean())
    )
    results.figure(DELAY, _median_delay(growth.delays), _median_delay(rival))
    for kind, rows in by_kind.items():
        add(f"all of {kind}", *_together(rows).cells("–"))
    every = _together([row for rows in by_kind.values() for row in rows])
    add("all", *every.cells("–"))
    results.figure(RANGES, float(np.mean(every.held)))
    results.figure(KINDS, float(np.mean(every.right)))


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """What was found of planted changes.

    Parameters
    ----------
    delays
        Commits until each was found, the changed one counts.
    held
        Whether the range of each change holds it.
    widths
        Commits of each range.
    right
        Whether each that was noticed after three commits is called by its right kind.
    """

    delays: Reals
    held: list[bool]
    widths: list[int]
    right: list[bool]

    def cells(self, at_best: str) -> list[str]:
        """Write a row of the table, behind the change's name."""
        return [
            "scalewatch",
            *_delay_columns(self.delays),
            f"{np.mean(self.held):.3f}",
            f"{np.median(self.widths):.0f}",
            f"{np.mean(self.right):.3f} of {len(self.right)}" if self.right else "–",
            at_best,
        ]


def _row(log: Reals, planted: Planted) -> _Row:
    places = [(s.segments.first, s.segments.last) for s in _shifts(log)]
    return _Row(
        delays=_delays([(a.series, a.at, a.first) for a in _alarms(log)], len(log)),
        held=[first <= AT <= last for first, last in places],
        widths=[last - first + 1 for first, last in places],
        right=[s.kind is CALLED[planted.kind] for s in _shifts(log[:, : AT + 3])],
    )


def _together(rows: list[_Row]) -> _Row:
    return _Row(
        delays=np.concatenate([row.delays for row in rows]),
        held=[each for row in rows for each in row.held],
        widths=[each for row in rows for each in row.widths],
        right=[each for row in rows for each in row.right],
    )


def _alarms(log: Reals) -> list:
    return detect(Histories.of(P, log))


def _shifts(log: Reals) -> list[Shift]:
    """Return the changes that are near the one that was planted."""
    found = find_changes(Histories.of(P, log), SPACE)
    return [s for s in found if abs(s.segments.first - AT) <= NEAR]


def _settings() -> dict[str, otava_peer.Setting]:
    return {"otava": otava_peer.DEFAULTS, "otava, tuned": otava_peer.TUNED}


def _otava_alarms(
    times: Reals, setting: otava_peer.Setting
) -> list[tuple[int, int, int]]:
    """Return series, commit of the alarm and place, of all first alarms."""
    ends = [AT + asked for asked in ASKED]
    prefixes = [each[: end + 1] for end in ends for each in times]
    found, _ = otava_peer.change_points(prefixes, setting)
    return [
        (number % len(times), ends[number // len(times)], place)
        for number, places in enumerate(found)
        for place in places
    ]


def _delays(alarms: list[tuple[int, int, int]], series: int) -> Reals:
    """Return after how many commits the change was found, the changed one counts."""
    delay = np.full(series, np.inf)
    for each, at, place in alarms:
        if at >= AT and abs(place - AT) <= NEAR:
            delay[each] = min(delay[each], at - AT + 1)
    return delay


def _median_delay(delay: Reals) -> float:
    """Return the median delay of the changes that were found; NaN without any."""
    found = delay[np.isfinite(delay)]
    return float(np.median(found)) if found.size else np.nan


def _delay_columns(delay: Reals) -> list[str]:
    median = _median_delay(delay)
    return [
        f"{(delay <= SOON).mean():.3f}",
        f"{(delay <= WITHIN).mean():.3f}",
        "–" if np.isnan(median) else f"{median:.0f}",
    ]


def _at_best(log: Reals, planted: Planted) -> str:
    """Return how often a test that knows everything tells coefficient from level."""
    if planted.kind == "growth":
        return "–"
    size = float(np.log(planted.after / planted.before).mean())
    growing = planted.before - 1

    def coefficient(factor: float) -> Reals:
        return np.log((1 + factor * growing) / planted.before)

    factor = brentq(lambda each: coefficient(each).mean() - size, 1, 100)
    template = coefficient(factor) - size
    moved = log[:, AT:].mean(axis=1) - log[:, :AT].mean(axis=1)
    share = moved @ template / (template @ template)
    is_right = share > 0.5 if planted.kind == "constant" else share < 0.5
    return f"{is_right.mean():.3f}"


def _drifts(results: Results, series: int) -> None:
    row = results.table(
        "drift from commit 50 to 200", "found", "called gradual", "range holds it"
    )
    for percent in (0.05, 0.1, 0.3):
        rng = np.random.default_rng((SEED, int(1_000 * percent)))
        values = drifting(percent, series, 50, COMMITS, rng)
        found = find_changes(Histories.of(P, locations(values)), SPACE)
        own: dict[int, list[Shift]] = {}
        for shift in found:
            own.setdefault(shift.segments.series, []).append(shift)
        gradual = [any(s.segments.is_gradual for s in each) for each in own.values()]
        held = [
            any(s.segments.last >= 50 and s.segments.is_gradual for s in each)
            for each in own.values()
        ]
        shares = (len(own) / series, np.mean(gradual), np.mean(held))
        row(f"{percent} % a commit", *(f"{share:.3f}" for share in shares))
