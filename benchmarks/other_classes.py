"""Classes that published comparisons leave out: exponential growth and strong scaling.

* exponential: c₀ + c₁·2^(ix)·x^k over x = 1 … 8, as MAFIA grows with the dimension of
  its clusters; a space of 2^(ix)·x^k and x^k competes.
* strong scaling: a/p + b·log p over p = 4 … 256, where work that is shared meets
  communication; the usual space competes, without a hint that anything falls.

Both terms are 0.2 to 5 times each other where they are largest. The near and the far
target are 10 and 12, and 1,024 and 4,096. Extra-P, by its own rule (`--rule smape`),
has neither 2^x nor, by default, falling terms; only its forecasts compare. Of 60 series
a cell and seed perfect probabilities would show a calibration error of 0.11 by chance.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from benchmarks import options, truths
from benchmarks.accuracy import SEEDS
from benchmarks.calibration_error import calibration_error
from benchmarks.forecast_bounds import forecast_bounds
from benchmarks.goals import EXTRA_P, RIVAL, Goal
from benchmarks.results import Results
from numpy.typing import NDArray

from scalewatch.modelling import Finding, Growth, Space, find_models, learn_noise

Reals = NDArray[np.float64]

NOISES: Final = ("2 %", "10 %", "20 %", "skewed 5 %")
EXPONENTIALS: Final = tuple(
    Growth.of("p", power=k, exp2=i) for i in ("1/2", 1, 2) for k in (0, 1, 2, 3)
)
COMPETING: Final = Space((*EXPONENTIALS, *Space.of("p", [0, 1, 2, 3])))


@dataclass(frozen=True, slots=True)
class Drawn:
    """S curves of one class.

    Parameters
    ----------
    growths
        What each series has to be found to grow like, all terms.
    curve
        x of shape (n,) to values of shape (S, n).
    """

    growths: tuple[frozenset[Growth], ...]
    curve: Callable[[Reals], Reals]


@dataclass(frozen=True, slots=True)
class Case:
    """A class of curves with the settings and the space that go with it."""

    x: Reals
    targets: tuple[float, float]
    draw: Callable[[int, Reals, np.random.Generator], Drawn]
    choices: dict[str, Any]


LEADING: Final = Goal(
    "leading growth of 2^(ix)·x^k and of a/p + b·log p, 10 % noise, worse",
    "{:.3f}",
    least=RIVAL,
    rival=EXTRA_P,
)
HOLDS: Final = Goal(
    "90 % intervals of the other classes that hold, worst cell", "{:.3f}", least=0.80
)


def main(results: Results) -> None:
    """Measure accuracy and calibration side by side with the rule of Extra-P."""
    series = options.series(300, quick=50)
    results.say(f"{series} series a cell and seed, five repetitions, seeds {SEEDS}.")
    row = results.table(
        "curves",
        "noise",
        "by",
        "leading growth",
        "all terms",
        "error at the near target",
        "at the far one",
        "90 % interval holds: near",
        "far",
        "calibration error",
        words=3,
    )
    found = {}
    for name, case in CASES.items():
        for noise in NOISES:
            for rule in ("Extra-P", "scalewatch", "learned noise"):
                rows = [_scores(case, noise, series, seed, rule) for seed in SEEDS]
                cells = np.mean(rows, axis=0)
                texts = ("" if np.isnan(cell) else f"{cell:.3f}" for cell in cells)
                row(name, noise, rule, *texts)
                found[name, noise, rule] = cells
    leading = {
        rule: min(found[name, "10 %", rule][0] for name in CASES)
        for rule in ("learned noise", "Extra-P")
    }
    results.figure(LEADING, leading["learned noise"], leading["Extra-P"])
    learned = [
        found[name, noise, "learned noise"] for name in CASES for noise in NOISES
    ]
    results.figure(HOLDS, min(min(cells[4:6]) for cells in learned))


def _scores(case: Case, noise: str, series: int, seed: int, rule: str) -> Reals:
    """Return what a row of the table has."""
    rng = np.random.default_rng(seed)
    drawn = case.draw(series, case.x, rng)
    values = truths.measure(drawn.curve, case.x, truths.NOISES[noise], rng)
    choices: dict[str, Any] = {"rule": "smape"}
    if rule != "Extra-P":
        choices = case.choices
    if rule == "learned noise":
        choices = {**choices, "noise": learn_noise(case.x, values, **choices)}
    findings = find_models(case.x, values, targets=case.targets, **choices)
    exact = drawn.curve(np.array(case.targets))
    bounds = forecast_bounds(findings, case.targets)
    error = np.nanmedian(np.abs(bounds[..., 0] / exact - 1), axis=0)
    holds = np.where(
        np.isnan(bounds[..., 1]),
        np.nan,
        (bounds[..., 1] <= exact) & (exact <= bounds[..., 2]),
    )
    pairs = list(zip(findings, drawn.growths, strict=True))
    leads = [finding.growth == max(terms) for finding, terms in pairs]
    return np.array(
        [
            np.mean(leads),
            np.mean([_terms(finding) == terms for finding, terms in pairs]),
            *error,
            *(np.nanmean(holds, axis=0) if rule != "Extra-P" else (np.nan, np.nan)),
            _calibration(findings, drawn) if rule != "Extra-P" else np.nan,
        ]
    )


def _terms(finding: Finding) -> frozenset[Growth]:
    if finding.model is None:
        return frozenset()
    return frozenset(t.growth for t in finding.model.terms if t.coefficient)


def _calibration(findings: Any, drawn: Drawn) -> float:
    likeliest = [next(iter(each.class_probability.items())) for each in findings]
    is_right = [
        growth == max(terms)
        for (growth, _), terms in zip(likeliest, drawn.growths, strict=True)
    ]
    return calibration_error([share for _, share in likeliest], is_right)


def _exponential(series: int, x: Reals, rng: np.random.Generator) -> Drawn:
    chosen = rng.integers(len(EXPONENTIALS), size=series)
    ratio = truths.log_uniform(0.2, 20, series, rng)[:, np.newaxis]

    def curve(at: Reals) -> Reals:
        table = np.stack([growth(p=at) / growth(p=x[-1]) for growth in EXPONENTIALS])
        return 1 + ratio * table[chosen]

    return Drawn(tuple(frozenset({EXPONENTIALS[k]}) for k in chosen), curve)


def _strong_scaling(series: int, x: Reals, rng: np.random.Generator) -> Drawn:
    ratio = truths.log_uniform(0.2, 5, series, rng)[:, np.newaxis]
    terms = frozenset({Growth.of("p", power=-1), Growth.of("p", log=1)})

    def curve(at: Reals) -> Reals:
        return x[0] / at + ratio * np.log2(at) / np.log2(x[-1])

    return Drawn((terms,) * series, curve)


CASES: Final = {
    "2^(ix) x^k": Case(
        np.arange(1.0, 9.0), (10.0, 12.0), _exponential, {"space": COMPETING}
    ),
    "a/p + b log p": Case(
        2.0 ** np.arange(2, 9), (1024.0, 4096.0), _strong_scaling, {}
    ),
}
