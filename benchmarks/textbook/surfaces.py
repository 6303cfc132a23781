"""Functions of two parameters, p processes and n things, with lower-order terms."""

from typing import Final

import numpy as np
from benchmarks.textbook.function import Function, grows

log, sqrt = np.log2, np.sqrt

SURFACES: Final = (
    Function(
        "n²/p + b n/√p",
        lambda a, b, p, n: a * (n**2 / p + b * n / sqrt(p)),
        grows(-1, n=2),
    ),
    Function(
        "n p − n", lambda a, b, p, n: a * (n * p - n), grows(1, n=1), is_count=True
    ),
    Function("n(p − 1)/p", lambda a, b, p, n: 1e3 * a * n * (p - 1) / p, grows(n=1)),
    Function(
        "(n − 1)(p − 1)",
        lambda a, b, p, n: a * (n - 1) * (p - 1),
        grows(1, n=1),
        is_count=True,
    ),
    Function(
        "n³/p + b n² log p",
        lambda a, b, p, n: a * (n**3 / p + b * n**2 * log(p)),
        grows(0, 1, n=2),
    ),
    Function(
        "n log n/p + b√p",
        lambda a, b, p, n: a * (10 * n * log(n) / p + 30 * b * sqrt(p)),
        grows("1/2"),
    ),
    Function(
        "n² − n + p", lambda a, b, p, n: a * (n**2 - n + p), grows(n=2), is_count=True
    ),
)
