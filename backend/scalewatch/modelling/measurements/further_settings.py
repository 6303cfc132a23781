"""Which further settings would tell how a series grows."""

from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np

from scalewatch.modelling.arrays import Reals

LEAST = 2
"""Settings between which there is a factor."""


def few_settings_reason(settings: Mapping[str, Reals], needed: int) -> str:
    """Say that settings are too few for a growth, and which others would tell it.

    Parameters
    ----------
    settings
        Per parameter, distinct as tuples.
    needed
        How many a growth needs.
    """
    names = list(settings)
    count = len(settings[names[0]])
    told = f"{count} of {needed} settings"
    if len(names) > 1 or count < LEAST:
        return told
    others = further_settings(settings[names[0]], needed)
    if not others:
        return told
    listed = " and ".join(
        filter(None, [", ".join(map(_text, others[:-1])), _text(others[-1])])
    )
    return f"{told}: {names[0]} = {listed} would tell how it grows"


def further_settings(settings: Reals, needed: int) -> Sequence[float]:
    """Return the settings that continue a scan, in ascending order.

    They go on in its mean ratio, downwards and upwards in turn, as small settings cost
    least and large ones tell most; those of whole numbers stay whole numbers from 1.
    """
    known = sorted(set(settings.tolist()))
    if len(known) < LEAST or known[0] <= 0:
        return ()
    ratio = (known[-1] / known[0]) ** (1 / (len(known) - 1))
    is_whole = all(value.is_integer() for value in known)
    low, high, added = known[0], known[-1], list[float]()
    for is_upwards in cycle((True, False)):
        if len(known) + len(added) >= needed:
            return sorted(added)
        candidate = high * ratio if is_upwards else low / ratio
        if is_whole:
            candidate = float(np.rint(candidate))
        if is_upwards:
            high = max(candidate, high + 1 if is_whole else candidate)
            added.append(high)
        elif candidate >= 1 and candidate < low:
            low = candidate
            added.append(low)
    return ()


def _text(setting: float) -> str:
    return f"{setting:.6g}" if setting < 1e6 else f"{setting:.10g}"
