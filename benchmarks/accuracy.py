"""How well growths, forecasts and verdicts are recovered, beside other rules.

The rule of Extra-P is `--rule smape`, which `agreement.py` compares with Extra-P itself
series by series; the rule of the paper has the same 43 growths here. Published curves
are those of Extra-P's own generator; visible ones grow 1.2 to 21 times, whatever their
class; MPI-like ones mostly grow slowly. Errors are medians. Nothing was tuned on the
seeds.

Where the repetitions of a job share noise, a series by itself cannot know what they
have in common and calls more constants growing; learned noise can. Of the verdicts only
the default says undecided.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any, Final

import numpy as np
from benchmarks import options, truths
from benchmarks.forecast_bounds import forecast_bounds
from benchmarks.goals import EXTRA_P, Goal
from benchmarks.results import Results
from benchmarks.truths import NOISES, Truth
from numpy.typing import NDArray

from scalewatch.modelling import (
    CONSTANT,
    Finding,
    Growth,
    Verdict,
    default_deviation_limit,
    find_models,
    judge,
    learn_noise,
)

Reals = NDArray[np.float64]

SEEDS: Final = (20261122, 271828)
RULES: Final[dict[str, dict[str, Any]]] = {
    "paper": {"rule": "paper", "space": "pmnf"},
    "Extra-P": {"rule": "smape"},
    "scalewatch": {},
}
POINTS: Final = (5, 6, 8)
FAR: Final = (4, 16)
VERDICTS: Final = (Verdict.MATCH, Verdict.APPROXIMATE, Verdict.MISMATCH)

EXACT: Final = {
    "10 %": Goal(
        "exact growth, published curves, 10 % noise",
        "{:.3f}",
        least=0.90,
        rival=EXTRA_P,
    ),
    "skewed 5 %": Goal(
        "exact growth, published curves, skewed noise of 5 %",
        "{:.3f}",
        least=0.91,
        rival=EXTRA_P,
    ),
}
FORECASTS: Final = Goal(
    "error at 16 p_max, worst of 27 ratios to Extra-P's",
    "{:.2f}",
    most=1,
    rival=EXTRA_P,
)
GROWING: Final = Goal(
    "constants called growing, worst of 27 rows, noise learned",
    "{:.2f} %",
    most=0.3,
    rival=EXTRA_P,
)
MATCHED: Final = Goal(
    "a match is called match, 10 % noise, worst of three families",
    "{:.3f}",
    least=0.95,
    rival=EXTRA_P,
)


def main(results: Results) -> None:
    """Measure growths and forecasts, constants, and verdicts."""
    series = options.series(400, quick=50)
    results.say(f"{series} series a cell and seed, five repetitions, seeds {SEEDS}.")
    _recovery(results, series)
    _false_growth(results, 10 * series)
    _verdicts(results, 2 * series)


def _recovery(results: Results, series: int) -> None:
    results.heading("Growths and forecasts, mean over 5, 6 and 8 points")
    row = results.table(
        "curves",
        "noise",
        "by",
        "exact",
        "within 1/4",
        "error at 4 p_max",
        "at 16 p_max",
        "its 90th percentile",
        words=3,
    )
    ratios = []
    for (family, draw), (noise, factor) in product(
        truths.INSIDE.items(), NOISES.items()
    ):
        rows = {name: [] for name in RULES}
        for points, seed in product(POINTS, SEEDS):
            rng, p = np.random.default_rng(seed), truths.processes(points)
            truth = draw(series, p, rng)
            values = truths.measure(truth.curve, p, factor, rng)
            for name, choices in RULES.items():
                rows[name].append(_scores(truth, p, values, choices))
        means = {name: np.mean(scores, axis=0) for name, scores in rows.items()}
        for name, cells in means.items():
            row(family, noise, name, *(f"{cell:.3f}" for cell in cells))
        ours, rival = means["scalewatch"], means["Extra-P"]
        ratios.append(ours[3] / rival[3])
        if family == "published" and noise in EXACT:
            results.figure(EXACT[noise], ours[0], rival[0])
    results.figure(FORECASTS, max(ratios))


def _scores(truth: Truth, p: Reals, values: Reals, choices: dict[str, Any]) -> Reals:
    """Return exact, within 1/4, median errors at both targets, 90th percentile."""
    targets = p[-1] * np.array(FAR)
    findings = find_models(p, values, targets=targets, **choices)
    exact = truth.curve(targets)
    values_found = forecast_bounds(findings, targets)[..., 0]
    error = np.abs(values_found - exact) / exact
    pairs = list(zip(findings, truth.growths or (), strict=True))
    return np.array(
        [
            np.mean([finding.growth == growth for finding, growth in pairs]),
            np.mean([_distance(finding, growth) <= 1 / 4 for finding, growth in pairs]),
            *np.nanmedian(error, axis=0),
            np.nanquantile(error[:, 1], 0.9),
        ]
    )


def _distance(finding: Finding, growth: Growth) -> float:
    """Return how far the leading powers lie apart."""
    if finding.growth is None:
        return np.inf
    return abs(float(finding.growth.factor("p").power - growth.factor("p").power))


def _false_growth(results: Results, series: int) -> None:
    results.heading(f"Constants that are called growing, percent of {series}")
    row = results.table("points", "noise", *RULES, "learned noise", words=2)
    found = []
    for points, (noise, factor) in product(POINTS, NOISES.items()):
        rng, p = np.random.default_rng(SEEDS[0]), truths.processes(points)
        values = truths.measure(truths.constant(series, p, rng).curve, p, factor, rng)
        cells = [
            np.mean([f.growth != CONSTANT for f in find_models(p, values, **choices)])
            for choices in (*RULES.values(), {"noise": learn_noise(p, values)})
        ]
        row(points, noise, *(f"{100 * cell:.2f}" for cell in cells))
        found.append(dict(zip((*RULES, "learned noise"), cells, strict=True)))
    worst = {name: 100 * max(cells[name] for cells in found) for name in found[0]}
    results.figure(GROWING, worst["learned noise"], worst["Extra-P"])


def _verdicts(results: Results, series: int) -> None:
    results.heading(
        "Verdicts, six points, default deviation limits, "
        "one third each truly match, approximate and mismatch"
    )
    row = results.table(
        "curves",
        "noise",
        "by",
        "a match is called match",
        "a match is called mismatch",
        "an approximate match is called mismatch",
        "a mismatch is called mismatch",
        "a mismatch is called (approximate) match",
        "undecided",
        words=3,
    )
    matched: dict[str, list[float]] = {name: [] for name in RULES}
    for (family, draw), noise in product(
        truths.INSIDE.items(), ("2 %", "10 %", "20 %", "50 %", "skewed 5 %")
    ):
        for name, choices in RULES.items():
            table = np.mean(
                [
                    _confusion(draw, NOISES[noise], series, seed, choices)
                    for seed in SEEDS
                ],
                axis=0,
            )
            match, approximate, mismatch = table / table.sum(axis=1, keepdims=True)
            cells = [
                match[0],
                match[2],
                approximate[2],
                mismatch[2],
                mismatch[0] + mismatch[1],
                table[:, 3].sum() / table.sum(),
            ]
            row(family, noise, name, *(f"{cell:.3f}" for cell in cells))
            if noise == "10 %":
                matched[name].append(match[0])
    results.figure(MATCHED, min(matched["scalewatch"]), min(matched["Extra-P"]))


def _confusion(
    draw: truths.Draw,
    noise: truths.Noise,
    series: int,
    seed: int,
    choices: dict[str, Any],
) -> Reals:
    """Count true verdicts by what is called, shape (3, 4); undecided comes last."""
    rng, p = np.random.default_rng(seed), truths.processes(6)
    truth = draw(series, p, rng)
    values = truths.measure(truth.curve, p, noise, rng)
    asked = expectations(truth.growths or (), rng)
    table = np.zeros((3, 4))
    for growth in set(asked):
        rows = [row for row, each in enumerate(asked) if each == growth]
        limit = default_deviation_limit(growth)
        for row, finding in zip(
            rows,
            find_models(p, values[rows], expectation=growth, **choices),
            strict=True,
        ):
            true = VERDICTS.index(judge(truth.growths[row], growth, limit))
            called = (*VERDICTS, Verdict.UNDECIDED).index(finding.verdict)
            table[true, called] += 1
    return table


# Fractions are slow: by itself each series would take longer than to be modelled.
@cache
def _with_verdict(growth: Growth) -> dict[Verdict, list[Growth]]:
    """Return the expectations of the space by the verdict that they give a growth."""
    found: dict[Verdict, list[Growth]] = {verdict: [] for verdict in VERDICTS}
    for each in truths.SPACE:
        found[judge(growth, each, default_deviation_limit(each))].append(each)
    return found


def expectations(
    growths: Sequence[Growth],
    rng: np.random.Generator,
    shares: Sequence[float] = (1 / 3, 1 / 3, 1 / 3),
) -> list[Growth]:
    """Draw expectations that match, match approximately and do not, in given shares."""
    chosen = []
    wanted = rng.choice(len(VERDICTS), len(growths), p=shares)
    for growth, verdict in zip(growths, wanted, strict=True):
        candidates = _with_verdict(growth)[VERDICTS[verdict]]
        pick = rng.integers(max(len(candidates), 1))
        chosen.append(candidates[pick] if candidates else growth)
    return chosen
