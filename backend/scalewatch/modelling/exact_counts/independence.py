"""Parameters on which exact counts do not depend."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals

WITNESSES = 2
"""Combinations of the other parameters at which the count has to stay the same."""


def independent_of(settings: Mapping[str, Reals], y: Reals) -> tuple[str, ...]:
    """Return the parameters that counts of several, shape (n,), do not depend on.

    Wherever one of them alone varies, which it does at two combinations of the others
    or at all there are, the count stays the same. Of one parameter its growth tells.
    """
    if len(settings) < 2:
        return ()
    return tuple(name for name in settings if _is_idle(name, settings, y))


def without(
    settings: Mapping[str, Reals], names: tuple[str, ...]
) -> tuple[Mapping[str, Reals], NDArray[np.intp]]:
    """Return the settings of the other parameters, once each, and their positions."""
    left = [name for name in settings if name not in names]
    table = np.stack([settings[name] for name in left], axis=1)
    _, first = np.unique(table, axis=0, return_index=True)
    return {name: settings[name][first] for name in left}, first


def _is_idle(name: str, settings: Mapping[str, Reals], y: Reals) -> bool:
    others = np.stack([x for each, x in settings.items() if each != name], axis=1)
    combinations, place = np.unique(others, axis=0, return_inverse=True)
    groups = [place.reshape(-1) == number for number in range(len(combinations))]
    varied = [group for group in groups if len(np.unique(settings[name][group])) > 1]
    needed = min(WITNESSES, len(combinations))
    return len(varied) >= needed and all(
        len(np.unique(y[group])) == 1 for group in varied
    )
