"""Learn from series of one machine and metric what they tell about their noise."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling import Growth, Noise, learn_noise, learn_surface_noise
from scalewatch.modelling.noise import USUAL
from scalewatch.modelling.pools import MOST_SERIES

Reals = NDArray[np.float64]

LEVEL: Final = 0.9
"""Probability that intervals hold unless another one is asked for."""


class Scan(Protocol):
    """A series as files and databases have it."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """What varies."""

    @property
    def settings(self) -> Reals:
        """Its settings in ascending order, shape (n, parameters)."""

    @property
    def values(self) -> Reals:
        """Repetitions at each of them, shape (n, R); NaN is missing."""


def learned(
    scans: Iterable[Scan], promised: Iterable[Growth] = (), **choices: Any
) -> Noise:
    """Return what series of one machine and metric tell about their noise.

    Those count that vary the same parameters, which most of them do.

    Parameters
    ----------
    promised
        What some of them are expected to grow like.
    choices
        Further arguments of `learn_noise`: summary, level.
    """
    by_parameters: dict[tuple[str, ...], list[Scan]] = defaultdict(list)
    for one in scans:
        by_parameters[one.parameters].append(one)
    if not by_parameters:
        return USUAL
    parameters, alike = max(by_parameters.items(), key=lambda entry: len(entry[1]))
    x, values = _table(alike[:: -(-len(alike) // MOST_SERIES)])
    if len(parameters) > 1:
        level = choices.get("level", LEVEL)
        return learn_surface_noise(x, values, parameter=parameters, level=level)
    expectations = [g for g in promised if g.parameters == parameters]
    return learn_noise(
        x, values, parameter=parameters[0], expectations=expectations, **choices
    )


def _table(scans: Sequence[Scan]) -> tuple[Reals, Reals]:
    """Return all settings, and the repetitions of all series, NaN where missing."""
    everywhere = np.concatenate([one.settings for one in scans])
    x, places = np.unique(everywhere, axis=0, return_inverse=True)
    repetitions = max(one.values.shape[1] for one in scans)
    values = np.full((len(scans), len(x), repetitions), np.nan)
    ends = np.cumsum([len(one.settings) for one in scans])
    rows = np.split(places.reshape(-1), ends[:-1])
    for table, own, one in zip(values, rows, scans, strict=True):
        table[own, : one.values.shape[1]] = one.values
    return x, values
