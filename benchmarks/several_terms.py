"""How well models of several terms are recovered by refinement, beside Extra-P.

Truths add up terms of Catwalk's normal form, each 0.3 to 5 times the constant where it
is largest, at p = 2 … 256; uniform noise. Ours is `--rule refinement`; Extra-P models
with its one term. The space of the strong-scaling rows has falling powers, which
Extra-P does not try by default. The error is the median at 4 times the largest p. How
many terms a series has can be told where their contribution stands out of the noise: at
10 % and eight process counts one does where the truth has two. Rates are per second of
processor time.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from benchmarks import options, peer
from benchmarks.goals import EXTRA_P, RIVAL, Goal
from benchmarks.results import Results
from numpy.typing import NDArray

from scalewatch.modelling import (
    Growth,
    Model,
    Space,
    Term,
    catwalk,
    find_models,
    parse_growth,
    strong_scaling,
)

Reals = NDArray[np.float64]

SEED: Final = 20261121
REPETITIONS: Final = 5
P: Final = 2.0 ** np.arange(1, 9)
TARGET: Final = 4 * P[-1]


@dataclass(frozen=True, slots=True)
class Case:
    """A kind of truth: given growths, or as many as there are to be drawn."""

    name: str
    space: Space
    growths: tuple[str, ...] = ()
    drawn: int = 0

    def truth(self, draw: np.random.Generator) -> Model:
        """Draw the model of one series."""
        terms = [parse_growth(text) for text in self.growths]
        every = [growth for growth in self.space if growth.factors]
        numbers = draw.choice(len(every), self.drawn, replace=False)
        terms += [every[number] for number in numbers]
        sizes = np.exp(draw.uniform(np.log(0.3), np.log(5), len(terms)))
        return Model(
            1.0,
            tuple(
                Term(float(size / growth(p=P).max()), growth)
                for size, growth in zip(sizes, terms, strict=True)
            ),
        )


CASES: Final = (
    Case("constant", catwalk()),
    Case("one term", catwalk(), drawn=1),
    Case("log p + p", catwalk(), growths=("log p", "p")),
    Case("two terms", catwalk(), drawn=2),
    Case("1/p + log p", strong_scaling(), growths=("1 / p", "log p")),
)

BOTH: Final = Goal(
    "both terms of log p + p, 2 % noise", "{:.2f}", least=RIVAL, rival=EXTRA_P
)


def main(results: Results) -> None:
    """Measure one kind of truth and noise after the other."""
    series = options.series(200, quick=50)
    draw = np.random.default_rng(SEED)
    results.say(f"{series} series a row, {REPETITIONS} repetitions, seed {SEED}.")
    row = results.table(
        "truth",
        "noise",
        "by",
        "as many terms",
        "same terms",
        "error at 4p",
        "models/s",
        words=3,
    )
    same = {}
    for case, noise in product(CASES, (0.001, 0.02, 0.1)):
        truths = [case.truth(draw) for _ in range(series)]
        exact = np.stack([model(p=P) * np.ones(len(P)) for model in truths])
        shape = (*exact.shape, REPETITIONS)
        factor = draw.uniform(1 - noise / 2, 1 + noise / 2, shape)
        values = exact[:, :, np.newaxis] * factor

        answer = peer.ask(P[:, np.newaxis], values, names="p")
        started = time.process_time()
        findings = find_models(P, values, space=case.space, rule="refinement")
        seconds = time.process_time() - started
        ours = [finding.model or Model(0.0) for finding in findings]
        for name, models, rate in (
            ("Extra-P", answer.models, series / answer.seconds),
            ("scalewatch", ours, series / seconds),
        ):
            shares = _shares(truths, models)
            cells = [f"{share:.2f}" for share in shares[:2]] + [f"{shares[2]:.1f} %"]
            row(case.name, f"{100 * noise:g} %", name, *cells, f"{rate:.0f}")
            same[case.name, noise, name] = shares[1]
    results.figure(
        BOTH,
        same["log p + p", 0.02, "scalewatch"],
        same["log p + p", 0.02, "Extra-P"],
    )


def _shares(truths: Sequence[Model], models: Sequence[Model]) -> tuple[float, ...]:
    """Return the shares with as many and the same terms, and the error in percent."""
    pairs = [(_growths(a), _growths(b)) for a, b in zip(truths, models, strict=True)]
    expected = np.array([float(model(p=TARGET)) for model in truths])
    predicted = np.array([float(model(p=TARGET)) for model in models])
    return (
        float(np.mean([len(a) == len(b) for a, b in pairs])),
        float(np.mean([a == b for a, b in pairs])),
        float(100 * np.median(np.abs(predicted / expected - 1))),
    )


def _growths(model: Model) -> set[Growth]:
    return {term.growth for term in model.terms}
