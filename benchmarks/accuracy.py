"""How well growths, forecasts and verdicts are recovered, beside other rules.

The rule of Extra-P is `--rule smape`, which `agreement.py` compares with Extra-P
itself series by series; the rule of the paper has the same 43 growths here.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, Final

import numpy as np
from benchmarks import options, truths
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


def main() -> None:
    """Print all tables."""
    series = options.series(400, quick=50)
    print(f"{series} series a cell and seed, five repetitions, seeds {SEEDS}\n")
    _recovery(series)
    _false_growth(10 * series)
    _verdicts(2 * series)


def _recovery(series: int) -> None:
    print("### Growths and forecasts, mean over 5, 6 and 8 points\n")
    print(
        "| curves | noise | | exact | within 1/4 "
        "| error at 4 p_max | at 16 p_max | its 90th percentile |"
    )
    print("|---|---|---|---|---|---|---|---|")
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
        for name, scores in rows.items():
            exact, near, *errors = np.mean(scores, axis=0)
            cells = [f"{exact:.3f}", f"{near:.3f}", *(f"{e:.3f}" for e in errors)]
            print(f"| {family} | {noise} | {name} | {' | '.join(cells)} |")


def _scores(truth: Truth, p: Reals, values: Reals, choices: dict[str, Any]) -> Reals:
    """Return exact, within 1/4, median errors at both targets, 90th percentile."""
    targets = p[-1] * np.array(FAR)
    findings = find_models(p, values, targets=targets, **choices)
    exact = truth.curve(targets)
    values_found = np.array(
        [[each.value for each in finding.forecasts] for finding in findings]
    )
    error = np.abs(values_found - exact) / exact
    pairs = list(zip(findings, truth.growths or (), strict=True))
    return np.array(
        [
            np.mean([finding.growth == growth for finding, growth in pairs]),
            np.mean([_distance(finding, growth) <= 1 / 4 for finding, growth in pairs]),
            *np.median(error, axis=0),
            np.quantile(error[:, 1], 0.9),
        ]
    )


def _distance(finding: Finding, growth: Growth) -> float:
    """Return how far the leading powers lie apart."""
    if finding.growth is None:
        return np.inf
    return abs(float(finding.growth.factor("p").power - growth.factor("p").power))


def _false_growth(series: int) -> None:
    print("\n### Constants that are called growing, percent\n")
    print("| points | noise | " + " | ".join(RULES) + " | learned noise |")
    print("|---|---|" + "---|" * (len(RULES) + 1))
    for points, (noise, factor) in product(POINTS, NOISES.items()):
        rng, p = np.random.default_rng(SEEDS[0]), truths.processes(points)
        values = truths.measure(truths.constant(series, p, rng).curve, p, factor, rng)
        cells = [
            np.mean([f.growth != CONSTANT for f in find_models(p, values, **choices)])
            for choices in (*RULES.values(), {"noise": learn_noise(p, values)})
        ]
        print(f"| {points} | {noise} | {' | '.join(f'{100 * c:.2f}' for c in cells)} |")


def _verdicts(series: int) -> None:
    print(
        "\n### Verdicts, six points, default deviation limits, "
        "one third each truly match, approximate and mismatch\n"
    )
    print(
        "| curves | noise | | a match is called match | a match is called mismatch "
        "| an approximate match is called mismatch | a mismatch is called mismatch "
        "| a mismatch is called (approximate) match | undecided |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
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
            text = " | ".join(f"{cell:.3f}" for cell in cells)
            print(f"| {family} | {noise} | {name} | {text} |")


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


def expectations(
    growths: Sequence[Growth],
    rng: np.random.Generator,
    shares: Sequence[float] = (1 / 3, 1 / 3, 1 / 3),
) -> list[Growth]:
    """Draw expectations that match, match approximately and do not, in given shares."""
    chosen = []
    wanted = rng.choice(len(VERDICTS), len(growths), p=shares)
    for growth, verdict in zip(growths, wanted, strict=True):
        candidates = [
            each
            for each in truths.SPACE
            if judge(growth, each, default_deviation_limit(each)) is VERDICTS[verdict]
        ]
        pick = rng.integers(max(len(candidates), 1))
        chosen.append(candidates[pick] if candidates else growth)
    return chosen
