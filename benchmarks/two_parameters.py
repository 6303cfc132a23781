"""How well models of two parameters are recovered, beside Extra-P.

Truths are 40 % products, 30 % sums, 10 % of p only, 10 % of n only and 10 % a product
with one of its factors; growths are drawn from Extra-P's own 42, the constant is
log-uniform, and each term is 1 to 20 times as large at the largest setting. Noise is
uniform (2 % and 10 %), or log-normal of 5 % with 5 % of outliers by 1.5 to 3. p = 4 …
64 and n = 16 … 256; 7,141 hypotheses compete for each series.

"Product or sum" is the share of these two that are told apart; the error is the median;
the calibration error is that of the likeliest leading-order term, for which perfect
probabilities would show 0.1 by chance. On a cross nobody can tell a product from a sum,
as every product restricted to it is a sum: each model of both parameters says so, and
names the one point, (p_max, n_max), that ends it. Intervals are counted where they are
given, which they are not where bounds would be a factor of ten apart. Rates are per
second of processor time and include a forecast with its interval for every series.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from benchmarks import options, peer
from benchmarks.calibration_error import calibration_error
from benchmarks.forecast_bounds import forecast_bounds
from benchmarks.goals import EXTRA_P, RIVAL, Goal
from benchmarks.results import Results
from numpy.typing import NDArray

from scalewatch.modelling import (
    Growth,
    Model,
    Term,
    find_models,
    pmnf,
)

Reals = NDArray[np.float64]

SEED: Final = 20261121
REPETITIONS: Final = 5
P: Final = 2.0 ** np.arange(2, 7)
N: Final = 2.0 ** np.arange(4, 9)
TARGET: Final = {"p": 4 * P[-1], "n": 4 * N[-1]}
SHARES: Final = {
    "f·g": 0.4,
    "f + g": 0.3,
    "f": 0.1,
    "g": 0.1,
    "f·g + f": 0.05,
    "f·g + g": 0.05,
}
COLUMNS: Final = {
    "structure": "{:.2f}",
    "product or sum": "{:.2f}",
    "exponents within 1/4": "{:.2f}",
    "error at (4p, 4n)": "{:.1f} %",
    "90 % interval holds": "{:.2f}",
    "given": "{:.2f}",
    "calibration error": "{:.3f}",
    "cannot tell, says so": "{:.2f}",
    "models/s": "{:.0f}",
}
STRUCTURE: Final = Goal(
    "structure of f(p, n), 5 × 5 grid, 10 % noise",
    "{:.2f}",
    least=0.90,
    rival=EXTRA_P,
)
ERROR: Final = Goal(
    "error at (4p, 4n), 5 × 5 grid, 10 % noise",
    "{:.1f} %",
    most=RIVAL,
    rival=EXTRA_P,
)
DOUBTED: Final = Goal(
    "crosses that say they cannot tell product from sum", "{:.2f}", least=1
)


@dataclass(frozen=True, slots=True)
class Guess:
    """A model that somebody found, and what is said about it."""

    model: Model
    forecast: float
    is_covered: bool | None = None
    is_given: bool | None = None
    is_doubted: bool = False
    likeliest: tuple[Growth, float] | None = None


def designs() -> dict[str, Reals]:
    """Return the settings of p and n, shape (n, 2), by name."""
    cross = [(p, N[0]) for p in P] + [(P[0], n) for n in N[1:]]
    return {
        "5 × 5 grid": np.array(list(product(P, N))),
        "cross": np.array(cross),
        "cross and far corner": np.array([*cross, (P[-1], N[-1])]),
    }


def truths(series: int, draw: np.random.Generator) -> list[Model]:
    """Draw models."""
    return [_truth(draw) for _ in range(series)]


def noises(draw: np.random.Generator) -> dict[str, Callable[[tuple[int, ...]], Reals]]:
    """Return generators of noise factors, by name."""

    def uniform(width: float) -> Callable[[tuple[int, ...]], Reals]:
        return lambda shape: draw.uniform(1 - width / 2, 1 + width / 2, shape)

    def skewed(shape: tuple[int, ...]) -> Reals:
        factor = np.exp(draw.normal(0, 0.05, shape))
        is_outlier = draw.random(shape) < 0.05
        return np.where(is_outlier, factor * draw.uniform(1.5, 3, shape), factor)

    return {"2 %": uniform(0.02), "10 %": uniform(0.10), "skewed": skewed}


def structure(model: Model) -> str:
    """Write which parameters act together: `f·g + f`."""
    letters = {"p": "f", "n": "g"}
    parts = {
        "·".join(letters[name] for name in "pn" if name in term.growth.parameters)
        for term in model.terms
        if term.growth.factors
    }
    return " + ".join(sorted(parts, key=lambda part: (-len(part), part))) or "1"


def main(results: Results) -> None:
    """Measure one design, noise and modeller after the other."""
    series = options.series(300, quick=40)
    draw = np.random.default_rng(SEED)
    known = truths(series, draw)
    results.say(f"{series} series a row, {REPETITIONS} repetitions, seed {SEED}.")
    row = results.table("design", "noise", "by", *COLUMNS, words=3)
    found = {}
    for (design, x), (noise, factor) in product(
        designs().items(), noises(draw).items()
    ):
        settings = {"p": x[:, 0], "n": x[:, 1]}
        exact = np.stack([model(settings) for model in known])
        values = exact[:, :, np.newaxis] * factor((*exact.shape, REPETITIONS))
        for name, modeller in (("Extra-P", _extrap), ("scalewatch", _scalewatch)):
            guesses, seconds = modeller(x, values, known)
            cells = [*_row(known, guesses), len(known) / seconds]
            forms = zip(COLUMNS.values(), cells, strict=True)
            texts = [
                "" if np.isnan(cell) else form.format(cell) for form, cell in forms
            ]
            row(design, noise, name, *texts)
            found[design, noise, name] = dict(zip(COLUMNS, cells, strict=True))
    ours, rival = (
        found["5 × 5 grid", "10 %", name] for name in ("scalewatch", "Extra-P")
    )
    results.figure(STRUCTURE, ours["structure"], rival["structure"])
    results.figure(ERROR, ours["error at (4p, 4n)"], rival["error at (4p, 4n)"])
    crosses = [found["cross", noise, "scalewatch"] for noise in noises(draw)]
    results.figure(DOUBTED, min(cells["cannot tell, says so"] for cells in crosses))


def _truth(draw: np.random.Generator) -> Model:
    kind = draw.choice(list(SHARES), p=list(SHARES.values()))
    terms = [growth for growth in pmnf("p") if growth.factors]
    own = {
        "f": terms[draw.integers(len(terms))],
        "g": [each for each in pmnf("n") if each.factors][draw.integers(len(terms))],
    }
    constant = 10 ** draw.uniform(-2, 3)
    far = {"p": P[-1], "n": N[-1]}
    parts = []
    for part in kind.split(" + "):
        growth = Growth()
        for letter in part.split("·"):
            growth = growth * own[letter]
        size = constant * np.exp(draw.uniform(0, np.log(20)))
        parts.append(Term(size / float(growth(far)), growth))
    return Model(constant, tuple(parts))


def _extrap(
    x: Reals, values: Reals, known: Sequence[Model]
) -> tuple[list[Guess], float]:
    del known
    answer = peer.ask(x, values, names="pn")
    guesses = [Guess(model, float(model(TARGET))) for model in answer.models]
    return guesses, answer.seconds


def _scalewatch(
    x: Reals, values: Reals, known: Sequence[Model]
) -> tuple[list[Guess], float]:
    started = time.process_time()
    findings = find_models(x, values, parameter=("p", "n"), targets=[TARGET])
    seconds = time.process_time() - started
    guesses = []
    for finding, truth in zip(findings, known, strict=True):
        assert finding.model is not None
        ((value, low, high),) = forecast_bounds([finding], [TARGET])[0]
        is_given = not np.isnan(low)
        guesses.append(
            Guess(
                finding.model,
                float(value if is_given else finding.model(TARGET)),
                bool(low <= float(truth(TARGET)) <= high) if is_given else None,
                is_given=is_given,
                is_doubted="cannot tell" in (finding.reason or ""),
                likeliest=next(iter(finding.class_probability.items())),
            )
        )
    return guesses, seconds


def _row(known: Sequence[Model], guesses: Sequence[Guess]) -> list[float]:
    """Return the cells of one row but the rate; NaN where there is none."""
    pairs = list(zip(known, guesses, strict=True))
    told_apart = [
        ("·" in structure(guess.model)) == ("·" in structure(truth))
        for truth, guess in pairs
        if structure(truth) in {"f·g", "f + g"}
    ]
    error = [abs(guess.forecast / float(truth(TARGET)) - 1) for truth, guess in pairs]
    return [
        _share(structure(truth) == structure(guess.model) for truth, guess in pairs),
        _share(told_apart),
        _share(_is_near(truth, guess.model) for truth, guess in pairs),
        float(100 * np.median(error)),
        _share(_told(guess.is_covered for guess in guesses)),
        _share(_told(guess.is_given for guess in guesses)),
        _calibration(known, guesses),
        _share(guess.is_doubted for _, guess in pairs if _has_both(guess.model)),
    ]


def _told(answers: Iterable[bool | None]) -> list[bool]:
    """Leave out what was not said."""
    return [answer for answer in answers if answer is not None]


def _calibration(known: Sequence[Model], guesses: Sequence[Guess]) -> float:
    """Return the calibration error of the likeliest leading-order term."""
    stated = [
        (guess.likeliest, truth.growth)
        for truth, guess in zip(known, guesses, strict=True)
    ]
    pairs = [(*likeliest, true) for likeliest, true in stated if likeliest]
    if not pairs:
        return np.nan
    is_right = [growth == true for growth, _, true in pairs]
    return calibration_error([share for _, share, _ in pairs], is_right)


def _has_both(model: Model) -> bool:
    """Tell whether it depends on both parameters."""
    return {"f", "g"} <= set(structure(model))


def _is_near(truth: Model, found: Model) -> bool:
    """Tell whether the powers of both parameters are at most 1/4 off."""
    leading, guessed = _powers(truth), _powers(found)
    return all(abs(leading[name] - guessed[name]) <= 0.25 for name in leading)


def _powers(model: Model) -> Mapping[str, float]:
    return {
        name: max(
            (float(term.growth.factor(name).power) for term in model.terms), default=0.0
        )
        for name in "pn"
    }


def _share(statements: Iterable[bool]) -> float:
    known = list(statements)
    return float(np.mean(known)) if known else np.nan
