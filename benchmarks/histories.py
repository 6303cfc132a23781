"""One value a benchmark and commit: gate, detection and import of such histories.

Real histories are those of `shared/data/histories`, NumPy's on a quiet machine, with a
reader's judgement of 110 places who did not see which detector had drawn them. The gate
is asked about ordinary commits as they are, and with a tenth of the series 20 % slower.
Steps are planted in series of which no change is known. The folder that is imported is
made here, in asv's version 2 with quartiles, and posted to a server beside it; the rate
is that of the clock until the command ends, memory the largest of the command.
"""

import csv
import json
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from benchmarks.goals import Goal
from benchmarks.options import usual
from benchmarks.results import Results
from benchmarks.systems import embedded

from scalewatch.importers import ImportedSeries, read_files
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.common_mode.common_mode import machine_mode
from scalewatch.modelling.histories.changes import detection
from scalewatch.modelling.histories.histories import Histories
from scalewatch.modelling.histories.passing import lasting_and_passing
from scalewatch.modelling.histories.segments import Segments, segments
from scalewatch.services.analysis.versions import in_units_of
from scalewatch.services.files.commits import FileCommits, by_commit, comparable
from scalewatch.services.files.histories import FileHistory
from scalewatch.services.files.model_files import Question
from scalewatch.services.gates.files import FileGate, gate_of_files, sides_of
from scalewatch.services.gates.rules import FileRules
from scalewatch.settings import ALARMING_SHARE

HISTORIES: Final = Path(__file__).parents[2] / "shared" / "data" / "histories"
NUMPY: Final = "numpy_i7_dense"
SEED: Final = 20261128
DAY: Final = 86_400_000
ASKED, QUICK_ASKED = 100, 30
"""Ordinary commits that the gate is asked about."""

COMMITS, QUICK_COMMITS, BENCHMARKS, SIZES = 800, 50, 100, 23
"""Commits of the folder that is imported, its benchmarks, and sizes of each."""

NEAR: Final = 5
"""Commits around a judged place within which an alarm is about it."""

SOON: Final = 15
COLUMNS: Final = ("result", "params", "version", "stats_q_25", "stats_q_75")

FINE: Final = Goal(
    "ordinary commits that the gate of files passes", "{:.0%}", least=0.8
)
UNCHANGED: Final = Goal("series of these that are unchanged", "{:.1%}", least=0.95)
STOPPED: Final = Goal("ordinary commits that it stops", "{:.0%}", most=0.01)
MISSED: Final = Goal("series 20 % slower that it calls unchanged", "{:.2%}", most=0.002)
ACCEPTED: Final = Goal("alarms that a blind reader accepts", "{:.0%}", least=0.9)
REJECTED: Final = Goal("alarms that he rejects", "{:.0%}", most=0.03)
REVERTING: Final = Goal("alarms in pairs that cancel", "{:.0%}", most=0.1)
RATE: Final = Goal("results of asv imported in a second", "{:.0f}", least=6_000)
MEMORY: Final = Goal("memory of the import of asv's folder", "{:.0f} MB", most=400)


def main(results: Results) -> None:
    """Ask the gate, watch the histories, import the folder."""
    with TemporaryDirectory(prefix="scalewatch-histories-") as folder:
        if HISTORIES.exists():
            _gate(results, Path(folder, "real"))
            _detection(results)
        _import(results, Path(folder, "made"), int(usual(COMMITS, QUICK_COMMITS)))


def _gate(results: Results, folder: Path) -> None:
    rows = list(csv.reader((HISTORIES / f"{NUMPY}.csv").open()))
    for at, (sha, moment) in enumerate(zip(rows[0][2:], rows[1][2:], strict=True)):
        values = {row[1]: [float(row[2 + at])] for row in rows[2:] if row[2 + at]}
        _write(folder, sha, int(moment) * 1000, {k: [v, []] for k, v in values.items()})
    commits = by_commit(read_files([str(folder)]).scans)
    draw = np.random.default_rng(SEED)
    shas = [*commits.scans][80:]
    chosen = draw.choice(shas, int(usual(ASKED, QUICK_ASKED)), replace=False).tolist()
    outcomes, series, planted = Counter[str](), Counter[str](), Counter[str]()
    for sha in chosen:
        answer = _answer(commits, sha)
        outcomes[answer.outcome] += 1
        series.update({str(each): n for each, n in answer.counts.items()})
        slower = {each.region for each in answer.series[::10]}
        planted.update(
            str(each.outcome)
            for each in _answer(commits, sha, slower).series
            if each.region in slower
        )
    results.heading("Gate of files")
    row = results.table("", "counts")
    row("ordinary commits", _said(outcomes))
    row("their series", _said(series))
    row("a tenth of the series 20 % slower", _said(planted))
    results.figure(FINE, outcomes["fine"] / len(chosen))
    known = series["unchanged"] + series["undecided"] + series["suspected"]
    results.figure(UNCHANGED, series["unchanged"] / known)
    results.figure(STOPPED, outcomes["worse"] / len(chosen))
    results.figure(MISSED, planted["unchanged"] / max(planted.total(), 1))


def _said(counts: Counter[str]) -> str:
    return ", ".join(f"{n:,} {name}" for name, n in counts.most_common() if n)


def _answer(commits: FileCommits, sha: str, slower: Collection[str] = ()) -> FileGate:
    """Return the answer about a commit, in which some regions are 20 % slower."""
    question, base = Question(), commits.before(sha)
    if base is None:
        raise ValueError(sha)
    before = _version(commits, base)
    now = [
        replace(each, values=each.values * (1.2 if each.region in slower else 1))
        for each in _version(commits, sha)
    ]
    history = FileHistory([_version(commits, e) for e in commits.up_to(base)], [now])
    return gate_of_files(
        sides_of(now, question),
        sides_of(in_units_of(before, now), question),
        FileRules(),
        lambda series: question.direction(series) == "lower",
        base,
        history,
    )


def _version(commits: FileCommits, sha: str) -> list[ImportedSeries]:
    return comparable(commits.scans[sha].series())


def _detection(results: Results) -> None:
    rows = list(csv.reader((HISTORIES / f"{NUMPY}.csv").open()))
    names = [row[1] for row in rows[2:]]
    log = np.log(
        [[float(cell) if cell else np.nan for cell in row[2:]] for row in rows[2:]]
    )
    watched = _Watched(log)
    judged = json.loads((HISTORIES / f"{NUMPY}_eye.json").read_text())
    heard: Counter[str] = Counter()
    for place in judged:
        alarms = watched.alarms.get(names.index(place["series"]), [])
        if any(
            first - NEAR <= place["last"] and last + NEAR >= place["first"]
            for first, last, _ in alarms
        ):
            heard[place["eye"]] += 1
    results.heading("Detection")
    row = results.table("alarms at places that the reader judged", "number")
    for eye, number in sorted(heard.items()):
        row(eye, number)
    results.figure(ACCEPTED, heard["change"] / max(heard.total(), 1))
    results.figure(REJECTED, heard["none"] / max(heard.total(), 1))
    number = sum(map(len, watched.alarms.values()))
    reverting = sum(
        2
        for alarms in watched.alarms.values()
        for (first, _, away), (later, _, back) in pairwise(alarms)
        if later - first <= SOON and abs(away + back) < 0.3 * max(abs(away), abs(back))
    )
    results.figure(REVERTING, reverting / max(number, 1))
    row = results.table("step planted in quiet series", "found within 20 commits")
    still = [at for at in watched.rows if not watched.alarms.get(at)]
    for size in (0.03, 0.05, 0.1, 0.2):
        there = np.random.default_rng(SEED).choice(still, 40, replace=False)
        stepped = log.copy()
        stepped[there, 300:] += np.log1p(size)
        found = _Watched(stepped[:, :320]).alarms
        hit = sum(
            any(
                first - NEAR <= 300 <= last + NEAR
                for first, last, _ in found.get(at, ())
            )
            for at in there.tolist()
        )
        row(f"{size:.0%}", f"{hit / len(there):.2f}")


class _Watched:
    """Alarms of series by row: first and last suspect, logarithm of the factor."""

    def __init__(self, log: Reals) -> None:
        known = ~np.isnan(log)
        self.rows = np.flatnonzero(known.sum(axis=1) > NEAR + 3).tolist()
        log = log[self.rows, :, np.newaxis]
        moves = machine_mode(log, np.arange(log.shape[1]), np.ones((1, 1)))
        log = moves.taken_out_of_all(log)[..., 0]
        at = [np.flatnonzero(~np.isnan(each)) for each in log]
        packed = np.full((*log.shape, 1), np.nan)
        for row, (each, places) in enumerate(zip(log, at, strict=True)):
            packed[row, : len(places), 0] = each[places]
        histories = Histories.of([1.0], packed, [len(places) for places in at])
        alarms = detection(histories, ALARMING_SHARE).alarms
        lasting, _ = lasting_and_passing(histories, segments(histories, alarms))
        self.alarms: dict[int, list[tuple[int, int, float]]] = {}
        for change in lasting:
            self._add(change, at[change.series].tolist())

    def _add(self, change: Segments, places: list[int]) -> None:
        first, last = (
            places[min(e, len(places) - 1)] for e in (change.first, change.last)
        )
        alarm = first, last, float(change.difference.mean())
        self.alarms.setdefault(self.rows[change.series], []).append(alarm)


def _import(results: Results, folder: Path, commits: int) -> None:
    draw = np.random.default_rng(SEED)
    base = 10 ** draw.uniform(-6, -2, (BENCHMARKS, SIZES))
    axes = [[str(size + 1) for size in range(SIZES)]]
    for number in range(commits):
        values = base * draw.normal(1, 0.01, base.shape)
        held = {
            f"bench.Suite{at // 5}.time_{at}": [
                each.tolist(),
                axes,
                "1",
                (each * 0.99).tolist(),
                (each * 1.01).tolist(),
            ]
            for at, each in enumerate(values)
        }
        _write(folder, f"{number * 7919:08x}{'c' * 32}", 10**12 + number * DAY, held)
    cells = commits * BENCHMARKS * SIZES
    with embedded() as system:
        started = time.perf_counter()
        done = subprocess.run(
            [
                *(sys.executable, "-c", "from scalewatch.cli import main; main()"),
                *("import", str(folder), "--project", "asv", "--server", system.url),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        took = time.perf_counter() - started
        # The server is a child, too, but counts only once it has ended.
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
    if done.returncode:
        raise RuntimeError(done.stderr)
    results.heading("Import of asv's results")
    results.say(f"{commits} commits × {BENCHMARKS * SIZES:,} results, {took:.0f} s.")
    results.say(done.stdout.strip().partition(":")[0])
    results.figure(RATE, cells / took)
    results.figure(MEMORY, memory)


def _write(folder: Path, sha: str, moment: int, held: dict[str, list[object]]) -> None:
    machine = folder / "i7"
    machine.mkdir(parents=True, exist_ok=True)
    content = {
        "commit_hash": sha,
        "env_name": "py3.11",
        "date": moment,
        "params": {"machine": "i7"},
        "result_columns": COLUMNS,
        "results": held,
    }
    (machine / f"{sha[:8]}-py3.11.json").write_text(json.dumps(content))
