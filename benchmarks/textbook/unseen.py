"""Functions and settings by which nothing was ever chosen, and none may be.

Three terms, steps and blocks, protocols that switch, sums that saturate or fall; beside
them `surfaces` has those of two parameters.
"""

from typing import Final

import numpy as np
from benchmarks.textbook.function import Function, Reals, ceil_log, grows
from scipy.special import digamma

log, sqrt = np.log2, np.sqrt


def harmonic(p: Reals) -> Reals:
    """Return 1 + 1/2 + … + 1/p."""
    return digamma(p + 1) + np.euler_gamma


UNSEEN: Final = (
    Function(
        "p + 3 log p + 7b", lambda a, b, p: a * (p + 3 * log(p) + 7 * b), grows(1)
    ),
    Function(
        "3p − 2√p − log p + 2",
        lambda a, b, p: a * (3 * p - 2 * sqrt(p) - log(p) + 2),
        grows(1),
    ),
    Function("(p − 1) log p", lambda a, b, p: a * (p - 1) * log(p), grows(1, 1)),
    Function(
        "p^(3/2) − 2√p + 3",
        lambda a, b, p: a * (p**1.5 - 2 * sqrt(p) + 3),
        grows("3/2"),
    ),
    Function(
        "√p log p + 2√p − 1",
        lambda a, b, p: a * (sqrt(p) * log(p) + 2 * sqrt(p) - 1),
        grows("1/2", 1),
    ),
    Function(
        "log p (log p + 1)/2",
        lambda a, b, p: a * log(p) * (log(p) + 1) / 2,
        grows(0, 2),
    ),
    Function(
        "(p log p)/2 + 3√p",
        lambda a, b, p: a * (p * log(p) / 2 + 3 * sqrt(p)),
        grows(1, 1),
    ),
    Function(
        "a/p + b log p + c√p",
        lambda a, b, p: a * (200 / p + 5 * b * log(p) + 2 * sqrt(p)),
        grows("1/2"),
    ),
    Function("a/p + b/√p + c", lambda a, b, p: a * (300 / p + 40 * b / sqrt(p) + 5)),
    Function("a/p + b p", lambda a, b, p: a * (500 / p + b * p / 4), grows(1)),
    Function(
        "a log p/p + b/√p",
        lambda a, b, p: a * (100 * log(p) / p + 40 * b / sqrt(p)),
        grows("-1/2"),
    ),
    Function("6(p − p^(2/3))", lambda a, b, p: 6 * a * (p - p ** (2 / 3)), grows(1)),
    Function("harmonic(p)", lambda a, b, p: 10 * a * harmonic(p), grows(0, 1)),
    Function("p/(p + 20)", lambda a, b, p: 1e4 * a * p / (p + 20)),
    Function("1 − 1/√p", lambda a, b, p: 1e3 * a * (1 - 1 / sqrt(p))),
    Function("a ⌈p/8⌉", lambda a, b, p: a * np.ceil(p / 8), grows(1), is_count=True),
    Function(
        "p ⌈log p⌉", lambda a, b, p: a * p * ceil_log(p), grows(1, 1), is_count=True
    ),
    Function(
        "⌈log p⌉ + b⌊√p⌋",
        lambda a, b, p: a * (ceil_log(p) + np.ceil(b) * np.floor(sqrt(p))),
        grows("1/2"),
        is_count=True,
    ),
    Function(
        "log p, dearer by 60 % from 12 on",
        lambda a, b, p: a * log(p) * np.where(p < 12, 1, 1.6),
        grows(0, 1),
    ),
    Function(
        "max(3 log p, p)", lambda a, b, p: a * np.maximum(3 * log(p), p), grows(1)
    ),
    Function(
        "2p² − 7p + 9",
        lambda a, b, p: a * (2 * p**2 - 7 * p + 9),
        grows(2),
        is_count=True,
    ),
)
"""Of one parameter."""
