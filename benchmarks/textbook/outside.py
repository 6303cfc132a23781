"""Functions of no dictionary, by which honesty is measured.

Some have a growth that can be expected, as p^(3/5), but that does not compete; the
growth of others is none that the notation has.
"""

from typing import Final

import numpy as np
from benchmarks.textbook.function import UNKNOWN, Function, grows

log = np.log2

NO_DICTIONARY: Final = (
    Function(
        "C(p, 3) + 1",
        lambda a, b, p: a * p * (p - 1) * (p - 2) / 6 + 1,
        grows(3),
        is_count=True,
    ),
    Function("p^0.6", lambda a, b, p: 100 * a * p**0.6, grows("3/5")),
    Function("p/log 2p", lambda a, b, p: a * p / log(2 * p), grows(1, -1)),
    Function(
        "3(p − 2) + 2 log p", lambda a, b, p: a * (3 * (p - 2) + 2 * log(p)), grows(1)
    ),
    Function(
        "max(60, p log p)", lambda a, b, p: a * np.maximum(60, p * log(p)), grows(1, 1)
    ),
    Function("log(1 + log p)", lambda a, b, p: 10 * a * log(1 + log(p)), UNKNOWN),
)
