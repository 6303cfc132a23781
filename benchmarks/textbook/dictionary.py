"""Functions that a dictionary of common terms can hold, by which rules were chosen."""

from typing import Final

import numpy as np
from benchmarks.textbook.function import Function, ceil_log, grows

log, sqrt = np.log2, np.sqrt

TEXTBOOK: Final = (
    Function("p − 1", lambda a, b, p: a * (p - 1), grows(1), is_count=True),
    Function("2(p − 1)", lambda a, b, p: 2 * a * (p - 1), grows(1), is_count=True),
    Function("n(p − 1)/p", lambda a, b, p: 1e6 * a * (p - 1) / p),
    Function("p(p − 1)", lambda a, b, p: a * p * (p - 1), grows(2), is_count=True),
    Function(
        "p(p − 1)/2", lambda a, b, p: a * p * (p - 1) / 2, grows(2), is_count=True
    ),
    Function("log p", lambda a, b, p: a * log(p), grows(0, 1)),
    Function("⌈log p⌉", lambda a, b, p: a * ceil_log(p), grows(0, 1), is_count=True),
    Function("p log p", lambda a, b, p: a * p * log(p), grows(1, 1)),
    Function(
        "log p + b(p − 1)/p",
        lambda a, b, p: a * (log(p) + b * (p - 1) / p),
        grows(0, 1),
    ),
    Function("a + b(p − 1)/p", lambda a, b, p: a * (1 + b * (p - 1) / p)),
    Function("a log p + b p", lambda a, b, p: a * (log(p) + b * p / 10), grows(1)),
    Function("2(√p − 1)", lambda a, b, p: 2 * a * (sqrt(p) - 1), grows("1/2")),
    Function("4(p − √p)", lambda a, b, p: 4 * a * (p - sqrt(p)), grows(1)),
    Function("p log p − p + 1", lambda a, b, p: a * (p * log(p) - p + 1), grows(1, 1)),
    Function("a/p + b log p", lambda a, b, p: a * (100 / p + b * log(p)), grows(0, 1)),
    Function("a/p + b(p − 1)/p", lambda a, b, p: a * (100 / p + 10 * b * (p - 1) / p)),
    Function("a/p", lambda a, b, p: 1e6 * a / p, grows(-1)),
    Function("p³ − p²", lambda a, b, p: a * (p**3 - p**2), grows(3), is_count=True),
    Function(
        "n²/p + n/√p",
        lambda a, b, p: a * (1e4 / p + 1e2 * b / sqrt(p)),
        grows("-1/2"),
    ),
    Function("p² + p", lambda a, b, p: a * (p**2 + p), grows(2), is_count=True),
    Function("constant", lambda a, b, p: 7 * a + 0 * p, is_count=True),
)
"""What collectives, sorts, trees and decompositions send, call and take."""

HELD_OUT: Final = (
    Function("3p − 2", lambda a, b, p: a * (3 * p - 2), grows(1), is_count=True),
    Function("p + 5√p", lambda a, b, p: a * (p + 5 * sqrt(p)), grows(1)),
    Function("p − 1.5 + log p", lambda a, b, p: a * (p - 1.5 + log(p)), grows(1)),
    Function("p² − 3", lambda a, b, p: a * (p**2 - 3), grows(2), is_count=True),
    Function(
        "C(p, 3) + p",
        lambda a, b, p: a * (p * (p - 1) * (p - 2) / 6 + p),
        grows(3),
        is_count=True,
    ),
    Function("p^(3/2) − p", lambda a, b, p: a * (p**1.5 - p), grows("3/2")),
    Function("5 − 2/√p", lambda a, b, p: a * (5 - 2 / sqrt(p))),
    Function("2 log p + 3", lambda a, b, p: a * (2 * log(p) + 3), grows(0, 1)),
    Function("p log p + 2p", lambda a, b, p: a * (p * log(p) + 2 * p), grows(1, 1)),
    Function(
        "p²/2 + b p log p", lambda a, b, p: a * (p**2 / 2 + b * p * log(p)), grows(2)
    ),
    Function(
        "3√p + b log p", lambda a, b, p: a * (3 * sqrt(p) + b * log(p)), grows("1/2")
    ),
    Function("a/p + b√p", lambda a, b, p: a * (100 / p + b * sqrt(p)), grows("1/2")),
)
"""Other coefficients and combinations of the same terms."""
