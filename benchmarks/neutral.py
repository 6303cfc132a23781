"""Neutral values of assumptions, by room: what each says nothing with.

Assumptions of a ledger that stand here are set to these values, one after the other, by
`ablate`; those that do not are limits of memory or of floating point, or have no value
that means nothing, such as the dictionary of terms. Mechanisms are switched off as a
whole: what a module calls is replaced by what says nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

NEUTRAL: Final[Mapping[str, Mapping[str, Any]]] = {
    "exact_counts": {
        "margin": 0.0,
        "smooth_bits": 0.0,
        "common_bits": 0.0,
        "rarer_bits": 3.0,
        "other_bits": 3.0,
        "rounded_bits": 3.0,
        "unrounded_bits": 0.0,
        "negligible_bits": 30.0,
        "least_but_one": 1_000_000,
        "most_lost": 1e9,
        "formulas_of_half": 1_000,
        "farthest": 1_000,
        "held": 0.0,
        "smooth_weight": 1.0,
        "likely": 0.0,
        "clearly": 1.0,
        "round_bases": (),
        "ratios": (1.0, -1.0),
        "polynomial": 0,
        "least_freedom": 1,
        "beside_largest": 0.0,
        "most_decimals": 0,
        "majority": 1.0,
        "least_majority": 1,
        "witnesses": 1,
    },
    "assumptions": {
        "all_regions": 1.0,
        "least_regions": 1,
        "similar_sizes": 1e9,
        "bad_share": 1.0,
        "unseen_deviation": 0.0,
        "unseen_freedom": 0.0,
    },
    "versions": {"largest_factor": 100.0, "negligible": 0.0},
    "rules.several_parameters": {
        "price": 0.0,
        "fewest_terms": 3,
        "enough": 1e-9,
        "least_points": 1_000_000,
        "shortest_line": 2,
        "negligible": 0.0,
    },
}


@dataclass(frozen=True, slots=True)
class Mechanism:
    """A mechanism of a module, and what stands in its place where it is off.

    Parameters
    ----------
    module, attribute
        Where it is called by name; the module below that of the modelling core.
    off
        What says nothing.
    meaning
        What it does.
    """

    module: str
    attribute: str
    off: Any
    meaning: str


MECHANISMS: Final[Mapping[str, Mapping[str, Mechanism]]] = {
    "noise.learn": {
        "typical": Mechanism(
            "noise.learn",
            "with_typical",
            lambda _pools, noise: noise,
            "Variance of a repetition that is typical of a batch.",
        ),
        "shares": Mechanism(
            "noise.learn",
            "_shares",
            lambda _pools, noise: (noise.sizes, noise.shares),
            "Learned shares of the sizes of the discrepancy and of the excesses.",
        ),
        "future": Mechanism(
            "noise.learn",
            "_future",
            lambda _pools, noise, _level: noise.future,
            "Learned size of the discrepancy beyond the last setting.",
        ),
    },
    "rules.evidence": {
        "sums": Mechanism(
            "rules.evidence.hypotheses",
            "sums",
            lambda _parameter: (),
            "Shapes whose lower-order term is added.",
        ),
        "differences": Mechanism(
            "rules.evidence.hypotheses",
            "differences",
            lambda _parameter: (),
            "Shapes whose lower-order term is taken off.",
        ),
        "caution": Mechanism(
            "rules.evidence.rule",
            "cautious",
            lambda probability, *_: probability.copy(),
            "Weight of the constant as a model.",
        ),
    },
    "rules.several_parameters": {
        "discrepancy": Mechanism(
            "rules.several_parameters.surfaces",
            "sizes",
            lambda location, *_: [location],
            "Departures of curves from surfaces.",
        ),
    },
    "exact_counts": {
        "suspects": Mechanism(
            "exact_counts.counts",
            "suspects",
            lambda _settings, y, *_: np.arange(len(y)),
            "Counts that may be off, by the formulas of halves of the settings.",
        ),
    },
}
"""By room."""
