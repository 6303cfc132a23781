"""Neutral values of assumptions, by room: what each says nothing with.

Assumptions of a ledger that stand here are set to these values, one after the other, by
`ablate`; those that do not are limits of memory or of floating point, or have no value
that means nothing, such as the dictionary of terms.
"""

from collections.abc import Mapping
from typing import Any, Final

NEUTRAL: Final[Mapping[str, Mapping[str, Any]]] = {
    "exact_counts": {
        "margin": 0.0,
        "smooth_bits": 0.0,
        "common_bits": 0.0,
        "rarer_bits": 3.0,
        "other_bits": 3.0,
        "rounded_up_bits": 3.0,
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
        "fitted": 3,
        "most_shared": 0.0,
        "caution": 1.0,
        "widening": 1.0,
        "least_points": 1_000_000,
        "shortest_line": 2,
        "negligible": 0.0,
    },
}
