"""The bench: the same runs with faults and without, and how the two compare."""

import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any, Final

from benchmarks.faults.agents import put, replay
from benchmarks.faults.breakages import Fault
from benchmarks.faults.disturbance import (
    DRAIN_SECONDS,
    Disturbed,
    Length,
    composed,
    disturbed,
)
from benchmarks.faults.stored import Stored, stored_in
from benchmarks.goals import Goal
from benchmarks.options import asked, usual
from benchmarks.results import Results
from tests.support.servers.clocks import WallClock
from tests.support.servers.programs import NoProgram

MINUTES: Final = 10.0
QUICK_MINUTES: Final = 1.0
LEAST: Final = 10_000
"""Runs that are to be acknowledged on each database; a slow machine takes longer."""

SEED: Final = 17
DATABASES: Final = {
    "sqlite": "SQLite, worker beside the server",
    "postgresql": "PostgreSQL + Redis + Celery",
}
ZERO: Final = (
    "refused",
    "doubled",
    "half-stored",
    "lost",
    "verdicts",
    "models",
    "given up",
    "unexpected 5xx",
)
"""What must not be; `given up` are jobs."""

SHOWN: Final = 5
"""Examples that are told of what went wrong."""

RUNS: Final = Goal(
    "runs acknowledged while things break, on the slower database",
    "{:,.0f}",
    least=LEAST,
)
WRONG: Final = Goal(
    "runs or verdicts lost, doubled, halved or changed by faults", "{:.0f}", most=0
)


@dataclass(frozen=True, slots=True)
class Tally:
    """What became of the runs of one database."""

    acknowledged: int
    stored: int
    wrong: Mapping[str, int]
    gaps: tuple[float, ...]


def main(results: Results) -> None:
    """Count what is lost on either database."""
    minutes = asked().minutes or usual(MINUTES, QUICK_MINUTES)
    length = Length(minutes * 60, 0 if asked().minutes else usual(LEAST, 0))
    results.say(f"{minutes:g} minutes of faults per database, seed {_seed()}.")
    tallies = {}
    with _ended_in_order():
        for name in asked().database or DATABASES:
            results.heading(DATABASES[name])
            tallies[name] = _measured(
                results, length, is_distributed=name == "postgresql"
            )
            columns = ("acknowledged", "stored", *ZERO, "without answer", "longest")
            results.table(*columns, words=0)(*_cells(tallies[name]))
    results.figure(RUNS, min(tally.acknowledged for tally in tallies.values()))
    results.figure(WRONG, sum(sum(one.wrong.values()) for one in tallies.values()))
    for name, tally in tallies.items():
        if found := {what: count for what, count in tally.wrong.items() if count}:
            results.fail(f"{DATABASES[name]}: {found}")


def _seed() -> int:
    """Return the seed of runs and faults."""
    asked_for: list[int] | None = asked().seed
    return asked_for[0] if asked_for else SEED


def _measured(results: Results, length: Length, *, is_distributed: bool) -> Tally:
    seed = _seed()
    with TemporaryDirectory(prefix="scalewatch-faults-") as name:
        home, quiet_home = Path(name) / "disturbed", Path(name) / "undisturbed"
        home.mkdir()
        quiet_home.mkdir()
        clock = _clock(results, home)
        with composed(home, is_distributed=is_distributed, clock=clock) as composition:
            seen = disturbed(composition, home, clock, length, seed)
        _tell_faults(results, seen)
        expected = _undisturbed(
            quiet_home, seed, seen.measured, is_distributed=is_distributed
        )
    return _tally(results, seen, expected)


def _clock(results: Results, folder: Path) -> WallClock | None:
    try:
        return WallClock(folder)
    except NoProgram as missing:
        results.say(f"No clock is set: {missing}.")
        return None


def _undisturbed(
    home: Path, seed: int, measured: list[int], *, is_distributed: bool
) -> Stored:
    """Return what a system holds that gets the same runs while nothing breaks."""
    with composed(home, is_distributed=is_distributed) as composition:
        for agent, runs in enumerate(measured):
            folder = home / f"agent-{agent}"
            put(folder, composition.base, seed, agent, runs)
            replay(folder)
        composition.finished(DRAIN_SECONDS)
        return stored_in(composition.url)


def _tally(results: Results, seen: Disturbed, expected: Stored) -> Tally:
    stored = seen.stored
    differing = {
        "half-stored": _differing(stored.runs, expected.runs, stored.runs),
        "verdicts": _differing(stored.verdicts, expected.verdicts),
        "models": _differing(stored.models, expected.models),
    }
    counts = {
        "refused": seen.refused,
        "doubled": stored.rows.total() - len(stored.rows),
        "lost": len(seen.acknowledged - stored.runs.keys()),
        "given up": len(stored.given_up),
        "unexpected 5xx": len(seen.unexpected),
        **{what: len(found) for what, found in differing.items()},
    }
    examples = [
        *(line for found in differing.values() for line in found[:SHOWN]),
        *stored.given_up[:SHOWN],
        *(f"answered {answer.status}" for answer in seen.unexpected[:SHOWN]),
    ]
    results.say(
        f"Compared: {len(expected.verdicts):,} verdicts and {len(expected.models):,} "
        "models of the undisturbed system."
    )
    if examples:
        results.say("\n".join(f"- {line}" for line in examples))
    return Tally(
        acknowledged=len(seen.acknowledged),
        stored=len(stored.runs),
        wrong={what: counts[what] for what in ZERO},
        gaps=tuple(seen.gaps),
    )


def _differing(
    ours: Mapping[Any, Any], theirs: Mapping[Any, Any], keys: Iterable[Any] = ()
) -> list[str]:
    """Return a line for each of some keys, or of all, under which two differ."""
    wanted = keys or ours.keys() | theirs.keys()
    return [
        f"{key}: {ours.get(key)}, undisturbed {theirs.get(key)}"
        for key in sorted(wanted, key=str)
        if ours.get(key) != theirs.get(key)
    ]


def _tell_faults(results: Results, seen: Disturbed) -> None:
    seconds: dict[Fault, list[float]] = defaultdict(list)
    for window in seen.windows:
        seconds[window.fault].append(window.ended - window.begun)
    row = results.table(
        "fault", "of", "done", "median until posts go on", "longest", words=2
    )
    for fault in sorted(seconds):
        took = seconds[fault]
        row(
            fault.kind,
            fault.victim,
            len(took),
            f"{median(took):.1f} s",
            f"{max(took):.1f} s",
        )
    answers = Counter(f"of {answer.status}" for answer in seen.answers)
    results.say(
        f"{len(seen.windows)} faults in {_minutes(seen):.1f} minutes. "
        f"Connections cut: {_counts(seen.cuts)}. "
        f"Answers to agents: {_counts(answers)}. "
        f"Answers to attackers: {_counts(seen.attacks)}."
    )


def _minutes(seen: Disturbed) -> float:
    return (seen.windows[-1].ended - seen.windows[0].begun) / 60


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[what]:,} {what}" for what in sorted(counts)) or "none"


def _cells(tally: Tally) -> list[str]:
    return [
        f"{tally.acknowledged:,}",
        f"{tally.stored:,}",
        *(f"{tally.wrong[what]:,}" for what in ZERO),
        f"{sum(tally.gaps):.0f} s",
        f"{max(tally.gaps, default=0):.1f} s",
    ]


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Let a request to end unwind the block, so that every process is ended."""

    def end(number: int, _frame: FrameType | None) -> None:
        sys.exit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
