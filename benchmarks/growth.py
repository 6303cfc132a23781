"""How the cost of the product's work grows with what it stores, judged by its own rule.

A store grows from ten thousand to ten million measurements, of ever more commits of 44
series on one machine, and is asked the same of its newest commits. Seven snapshots of
it take turns, a round after the other, so that what else the machine does meets all
alike. Processor time of this process and, on PostgreSQL, of those that serve it; in
brackets the time until the answer is there. One request at a time, nothing remembered
between questions, so that each is answered from the store; the first is not timed.

Reads, posts and the analysis of a commit should cost the same whatever lies there,
O(1), and may grow with its logarithm; the analysis should be in proportion to the
series that were measured, s. The detection looks at 400 commits: it is asked of stores
that have them. The models are Scalewatch's, by the default rule, and so are the
verdicts; every round counts relative to its mean over all sizes. A verdict that is
neither match nor approximate is a finding about the product.

`--measurements=1000000` ends at a million, `--only=history` measures one kind of work,
`--table=FILE` writes all times of one database for `scalewatch import`.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import numpy as np
from benchmarks.goals import Goal
from benchmarks.growing_rows import COMMITS, EACH_BLOCK
from benchmarks.growing_series import SERIES, wide_analyses
from benchmarks.growing_store import Snapshot, growing_store
from benchmarks.growing_works import Work, unremembered, works
from benchmarks.options import asked, usual
from benchmarks.results import Results
from numpy.typing import NDArray

from scalewatch.modelling import Finding, Verdict, find_models, parse_growth
from scalewatch.services.commits.main_line import MOST_COMMITS
from scalewatch.web.process import spare_collections

Reals = NDArray[np.float64]

BLOCKS: Final = (1, 3, 10, 32, 100, 316, 1000)
LARGEST: Final = BLOCKS[-1] * EACH_BLOCK
QUICK: Final = 316 * EACH_BLOCK
ROUNDS: Final = 9
AT_ONCE: Final = 8
ENOUGH: Final = 0.3
"""Pieces of work that are timed together: as many as need so many seconds."""

ACCEPTED: Final = (Verdict.MATCH, Verdict.APPROXIMATE)
WHOLE: Final = MOST_COMMITS * EACH_BLOCK // COMMITS
"""Measurements of as many commits as the detection looks at."""

PROPORTIONAL: Final = "analysis, by series"


def main(results: Results) -> None:
    """Measure every kind of work over stores of growing size, and judge its growth."""
    most = asked().measurements or int(usual(LARGEST, QUICK))
    blocks = [number for number in BLOCKS if number * EACH_BLOCK <= most]
    spare_collections()
    verdicts: dict[str, dict[str, Finding]] = {}
    for kind in asked().database or ("sqlite", "postgresql"):
        with growing_store(kind, blocks) as snapshots, unremembered():
            found = _by_size(results, kind, snapshots)
            if asked().only in PROPORTIONAL:
                found[PROPORTIONAL] = _by_series(results, kind, snapshots[0])
        for name, finding in found.items():
            verdicts.setdefault(name, {})[kind] = finding
    if blocks[-1] == BLOCKS[-1]:
        for name, findings in verdicts.items():
            _tell(results, name, findings)


def _by_size(
    results: Results, kind: str, snapshots: Sequence[Snapshot]
) -> dict[str, Finding]:
    """Measure and judge all work on the store, by what lies there."""
    sizes = [snapshot.measurements for snapshot in snapshots]
    with ExitStack() as opened:
        asked_of = [
            {
                name: work
                for name, work in opened.enter_context(works(snapshot.engine))
                if asked().only in name
                and (name != "detection" or snapshot.measurements >= WHOLE)
            }
            for snapshot in snapshots
        ]
        processor, wall = _measured(snapshots, asked_of)
    if asked().table:
        _write(asked().table, sizes, processor)
    results.heading(f"{kind}, by measurements n")
    row = results.table("work", *(f"{n:,}" for n in sizes), "model", "verdict")
    found = {}
    for name, seconds in processor.items():
        found[name] = judged("n", sizes, seconds, "O(1)", "O(log n)")
        row(name, *_cells(seconds, wall[name]), *_said(found[name]))
    return found


def _by_series(results: Results, kind: str, snapshot: Snapshot) -> Finding:
    """Measure and judge the analysis of a commit, by the series measured of it."""
    with wide_analyses(snapshot.engine) as analyses:
        processor, wall = _measured(
            [snapshot] * len(SERIES), [{PROPORTIONAL: each} for each in analyses]
        )
    seconds = processor[PROPORTIONAL]
    finding = judged("s", SERIES, seconds, "O(s)", "O(log s)")
    results.heading(f"{kind}, by series s")
    row = results.table("work", *(f"{n:,}" for n in SERIES), "model", "verdict")
    row(PROPORTIONAL, *_cells(seconds, wall[PROPORTIONAL]), *_said(finding))
    return finding


def _measured(
    snapshots: Sequence[Snapshot],
    asked_of: Sequence[Mapping[str, Work]],
) -> tuple[dict[str, Reals], dict[str, Reals]]:
    """Return seconds of a piece of each work, processor and wall, shape (n, rounds)."""
    processor, wall = (
        {name: np.full((len(snapshots), ROUNDS), np.nan) for name in asked_of[-1]}
        for _ in range(2)
    )
    for turn in range(ROUNDS):
        for place, snapshot in enumerate(snapshots):
            for name, work in asked_of[place].items():
                processor[name][place, turn], wall[name][place, turn] = _timed(
                    snapshot, work
                )
    return processor, wall


def _timed(snapshot: Snapshot, work: Work) -> tuple[float, float]:
    """Return seconds of a piece, processor and wall, of the several timed together."""
    used = snapshot.used()
    work(AT_ONCE)  # another one than those that count
    pieces = 1 + min(AT_ONCE - 1, int(ENOUGH / (snapshot.used() - used)))
    used, begun = snapshot.used(), time.perf_counter()
    for number in range(pieces):
        work(number)
    taken = time.perf_counter() - begun
    return (snapshot.used() - used) / pieces, taken / pieces


def judged(
    parameter: str, sizes: Sequence[int], seconds: Reals, expected: str, limit: str
) -> Finding:
    """Return what Scalewatch says of a kind of work, by the sizes that have times."""
    known = ~np.isnan(seconds).all(axis=1)
    own = seconds[known]
    # What slowed a round down slowed all sizes alike.
    rounds = np.exp(np.log(own).mean(axis=0))
    (finding,) = find_models(
        np.array(sizes, float)[known],
        (own * rounds.mean() / rounds)[np.newaxis],
        parameter=parameter,
        expectation=parse_growth(expected),
        deviation_limit=parse_growth(limit),
    )
    return finding


def _write(path: Path, sizes: Sequence[int], processor: Mapping[str, Reals]) -> None:
    """Write a row for each time of what all sizes were asked, for a gate of our own."""
    lines = [
        f"{name},{size},{taken:.9f}"
        for name, seconds in processor.items()
        if not np.isnan(seconds).any()
        for size, own in zip(sizes, seconds, strict=True)
        for taken in own
    ]
    path.write_text("\n".join(("region,n,value", *lines, "")), "utf-8")


def _cells(processor: Reals, wall: Reals) -> Iterator[str]:
    for used, taken in zip(processor, wall, strict=True):
        if np.isnan(used).all():
            yield "–"
        else:
            yield f"{np.median(used) * 1e3:.1f} ({np.median(taken) * 1e3:.1f}) ms"


def _said(finding: Finding) -> tuple[str, str]:
    """Return the growth, and the verdict with its probability."""
    probability = finding.verdict_probability.get(finding.verdict)
    share = "" if probability is None else f" ({probability:.0%})"
    return f"`{finding.growth}`", f"{finding.verdict}{share}"


def _tell(results: Results, name: str, findings: Mapping[str, Finding]) -> None:
    """Add the verdicts on a kind of work to the scoreboard, the worse one first."""
    worst, *_ = sorted(findings, key=lambda kind: findings[kind].verdict in ACCEPTED)
    goal = Goal(
        f"{name}, growth of its cost up to 10 million measurements, {worst}",
        "{}",
        among=ACCEPTED,
        reason=findings[worst].reason or "",
    )
    results.figure(goal, findings[worst].verdict)
