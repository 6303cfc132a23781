"""Histories of 40 regions on 10 machines: what is found, when, and what is not there.

An alarm counts as finding a change if it names a place at most `NEAR` commits away;
every other alarm is false. How well a coefficient and a level can be told apart at all,
three commits after the change, says a test that is given what nobody knows: the place,
the curve before, and the size of both; it has nothing to tell them by but how much the
change differs between the process counts.

Otava sees the median at the largest p, and is asked again after 1, 2, 3, 5, 10 and 20
commits; as it takes a hundred times as long, it gets the first `PEER` histories only.
"""

from dataclasses import dataclass

import numpy as np
from benchmarks import options, otava_peer
from benchmarks.truths_history import P, Planted, changed, changes, drifting, unchanged
from numpy.typing import NDArray
from scipy.optimize import brentq

from scalewatch.modelling import pmnf
from scalewatch.modelling.histories.changes import find_changes
from scalewatch.modelling.histories.detection import detect
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


def main() -> None:
    """Print the tables."""
    series = options.series(REGIONS * MACHINES, 60)
    _false_alarms(series)
    _found(series)
    _drifts(series)


def _false_alarms(series: int) -> None:
    values = unchanged(5 * series, COMMITS, np.random.default_rng(SEED))
    alarms = detect(Histories.of(P, locations(values)))
    cells = 5 * series * COMMITS
    print("| without a change | false changes per 1,000 cells | histories that alarm |")
    print("|---|---|---|")
    _false_row("scalewatch", len(alarms), len({a.series for a in alarms}), cells)
    times = np.median(values[:series, :, -1], axis=2)
    for name, setting in _settings().items():
        found, _ = otava_peer.change_points(list(times), setting)
        alarming = sum(bool(each) for each in found)
        _false_row(name, sum(map(len, found)), alarming, series * COMMITS)


def _false_row(name: str, false: int, alarming: int, cells: int) -> None:
    histories = cells / COMMITS
    print(
        f"| {name} | {1_000 * false / cells:.2f} | {100 * alarming / histories:.1f} % |"
    )


def _found(series: int) -> None:
    print(
        f"\n| change | | within {SOON} | within {WITHIN} | median delay | range holds "
        "it | range, commits | right kind after 3 | at best |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    by_kind: dict[str, list[_Row]] = {}
    for number, planted in enumerate(changes()):
        rng = np.random.default_rng((SEED, number))
        values = changed(planted, series, AT, AT + WITHIN, rng)
        log = locations(values)
        row = _row(log, planted)
        by_kind.setdefault(planted.kind, []).append(row)
        _print_row(planted.name, row, _at_best(log[:, : AT + 3], planted))
        times = np.median(values[:, :, -1], axis=2)
        for name, setting in _settings().items():
            delays = _delays(_otava_alarms(times[:PEER], setting), min(PEER, series))
            print(f"| | {name} | {_delay_columns(delays)} | | | | |")
    for kind, rows in by_kind.items():
        _print_row(f"all of {kind}", _together(rows), "–")
    _print_row("all", _together([row for own in by_kind.values() for row in own]), "–")


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


def _print_row(name: str, row: _Row, at_best: str) -> None:
    kind = f"{np.mean(row.right):.3f} of {len(row.right)}" if row.right else "–"
    print(
        f"| {name} | scalewatch | {_delay_columns(row.delays)} | "
        f"{np.mean(row.held):.3f} | {np.median(row.widths):.0f} | {kind} | {at_best} |",
        flush=True,
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


def _delay_columns(delay: Reals) -> str:
    found = delay[np.isfinite(delay)]
    median = f"{np.median(found):.0f}" if found.size else "–"
    return f"{(delay <= SOON).mean():.3f} | {(delay <= WITHIN).mean():.3f} | {median}"


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


def _drifts(series: int) -> None:
    print("\n| drift from commit 50 to 200 | found | called gradual | range holds it |")
    print("|---|---|---|---|")
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
        print(
            f"| {percent} % a commit | {len(own) / series:.3f} | "
            f"{np.mean(gradual):.3f} | {np.mean(held):.3f} |"
        )
