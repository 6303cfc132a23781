"""Efficiencies of measured scans: intervals that hold, and claims that are right.

Real series of strong and weak scaling with three repetitions or more at six sizes or
more (`real_series`). One, two or three values a size are drawn from them, three times
each; the truth is the efficiency by the medians of all. The truth contains what is
drawn, and repetitions of one job vary less than jobs do: the shares are optimistic.
And of all series it is asked whether they are of strong or weak scaling.

Forecasts of sections are those of the largest size, hidden, at most twice the next. And
`scalewatch report` is timed as a ratio to `scalewatch model` of the same table, each
the fastest of three.
"""

import subprocess
import sys
from collections import Counter, defaultdict
from math import log
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Final

import numpy as np
from benchmarks.goals import Goal
from benchmarks.real import answers_about
from benchmarks.real_series import RealSeries, folder, real_series
from benchmarks.results import Results

from scalewatch.modelling import ScalingKind
from scalewatch.modelling.efficiencies import guessed_kind, scaling_of

SEED: Final = 20_281_204
DRAWS, MOST, LEAST_SIZES, LIMIT = 3, 3, 6, 0.7
FARTHEST = 2.0

CLAIMS: Final = Goal(
    "claims of 70 % efficiency on real series that are right, fewest values",
    "{:.1%}",
    least=0.95,
)
HOLD: Final = Goal(
    "efficiency intervals of one value a size that hold, median dataset",
    "{:.1%}",
    least=0.85,
)
FORECASTS: Final = Goal(
    "forecasts of sections that hold, hidden largest sizes", "{:.1%}", least=0.85
)
TEXT: Final = Goal("report in text forms, times of model", "{:.1f}", most=1.5)
ALL: Final = Goal("report in all forms, times of model", "{:.1f}", most=4.0)

TABLE: Final = "nodes,time\n4,1000\n8,520\n16,275\n32,146\n64,91\n"

KINDS: Final = Goal("real scans guessed strong or weak wrongly", "{:.1%}")


def main(results: Results) -> None:
    """Draw values of real scans, and compare with all of them."""
    if not (folder() / "series.csv").exists():
        results.say("No series: see `benchmarks/real_series.py`.")
        return
    scans = [each for each in real_series() if each.kind in {*ScalingKind}]
    row = results.table(
        "values a size", "intervals hold", "half width", "claims right", "claims"
    )
    claims: dict[int, list[bool]] = defaultdict(list)
    hold: dict[str, list[bool]] = defaultdict(list)
    for count in range(1, MOST + 1):
        within, widths = [], []
        for scan in scans:
            for is_within, width in _drawn(scan, count, claims[count]):
                within.append(is_within)
                widths.append(width)
                if count == 1:
                    hold[scan.dataset].append(is_within)
        row(
            str(count),
            f"{np.mean(within):.1%}",
            f"{median(widths):.1%}",
            f"{np.mean(claims[count]):.1%}",
            str(len(claims[count])),
        )
    row = results.table("dataset, one value a size", "intervals hold", "intervals")
    for dataset, is_within in sorted(hold.items()):
        row(dataset, f"{np.mean(is_within):.0%}", str(len(is_within)))
    guesses = Counter(_guess(scan) for scan in scans)
    row = results.table("guessed", "scans")
    for guess, number in guesses.most_common():
        row(guess, str(number))
    results.figure(CLAIMS, min(float(np.mean(each)) for each in claims.values()))
    results.figure(HOLD, median(float(np.mean(each)) for each in hold.values()))
    results.figure(KINDS, guesses["wrong"] / len(scans))
    forecasts = [
        each.holds
        for each in answers_about(scans, verdicts=False).given
        if each.hidden == 1 and each.beyond <= FARTHEST
    ]
    results.say(f"{len(forecasts)} forecasts of hidden largest sizes.")
    results.figure(FORECASTS, float(np.mean(forecasts)))
    model, text, every = _timed()
    results.figure(TEXT, text / model)
    results.figure(ALL, every / model)


def _timed() -> tuple[float, float, float]:
    """Return the seconds of `model`, and of `report` in text forms and in all."""
    begin = (sys.executable, "-c", "from scalewatch.cli import main; main()")
    report = ("report", "times.csv", "--for", "proposal")
    with TemporaryDirectory() as folder:
        (Path(folder) / "times.csv").write_text(TABLE)

        def seconds(*arguments: str) -> float:
            begun = perf_counter()
            subprocess.run(
                [*begin, *arguments], cwd=folder, capture_output=True, check=True
            )
            return perf_counter() - begun

        def fastest(*arguments: str) -> float:
            return min(seconds(*arguments) for _ in range(3))

        return (
            fastest("model", "times.csv"),
            fastest(*report, "--format", "tex,md,csv,json"),
            fastest(*report),
        )


def _drawn(
    scan: RealSeries, count: int, claims: list[bool]
) -> list[tuple[bool, float]]:
    """Return whether intervals of drawn values hold, and their half widths.

    Claims of the largest size that reaches the limit are added as right or wrong.
    """
    whole = [
        (size, here)
        for size, here in zip(scan.settings, scan.values, strict=True)
        if len(here) >= MOST
    ]
    if len(whole) < LEAST_SIZES or min(len(here) for _, here in whole) < count + 2:
        return []
    kind = ScalingKind(scan.kind)
    sizes = [size for size, _ in whole]
    middles = [[median(here)] for _, here in whole]
    truth = scaling_of(sizes, middles, kind)
    true = {row.size: row.efficiency.value for row in truth.rows} if truth else {}
    draw = np.random.default_rng(
        (SEED, count, *scan.dataset.encode(), *map(int, sizes))
    )
    answers = []
    for _ in range(DRAWS):
        runs = [draw.choice(here, count, replace=False) for _, here in whole]
        scaling = scaling_of(sizes, runs, kind)
        if scaling is None:
            continue
        for row in scaling.rows[1:]:
            low, high = row.efficiency.low, row.efficiency.high
            answers.append((low <= true[row.size] <= high, log(high / low) / 2))
        claims.append(true[scaling.largest[0].sure.size] >= LIMIT)
    return answers


def _guess(scan: RealSeries) -> str:
    guess = guessed_kind(scan.settings, [[each] for each in scan.medians])
    if guess is None:
        return "asked"
    return "right" if guess == scan.kind else "wrong"
