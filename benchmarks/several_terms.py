"""How well models of several terms are recovered by refinement, beside Extra-P.

Truths add up terms of Catwalk's normal form, each 0.3 to 5 times the constant where it
is largest, at p = 2 … 256. Extra-P models them with its one term. The space of the
strong-scaling rows has falling powers, which Extra-P does not try by default.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from benchmarks import options, peer
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


def main() -> None:
    """Print one row per kind of truth and noise."""
    series = options.series(200, quick=50)
    draw = np.random.default_rng(SEED)
    print(f"{series} series a row, {REPETITIONS} repetitions, seed {SEED}\n")
    print("| truth | noise | | as many terms | same terms | error at 4p | models/s |")
    print("|---|---|---|---|---|---|---|")
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
            cells = _cells(truths, models)
            print(
                f"| {case.name} | {100 * noise:g} % | {name} | {cells} | {rate:.0f} |"
            )


def _cells(truths: Sequence[Model], models: Sequence[Model]) -> str:
    pairs = [(_growths(a), _growths(b)) for a, b in zip(truths, models, strict=True)]
    expected = np.array([float(model(p=TARGET)) for model in truths])
    predicted = np.array([float(model(p=TARGET)) for model in models])
    return " | ".join(
        [
            f"{np.mean([len(a) == len(b) for a, b in pairs]):.2f}",
            f"{np.mean([a == b for a, b in pairs]):.2f}",
            f"{100 * np.median(np.abs(predicted / expected - 1)):.1f} %",
        ]
    )


def _growths(model: Model) -> set[Growth]:
    return {term.growth for term in model.terms}


if __name__ == "__main__":
    main()
