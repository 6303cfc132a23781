"""Learn from series of one machine and metric what they tell about their noise."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling import Growth, Noise, learn_noise
from scalewatch.modelling.noise import USUAL
from scalewatch.modelling.pooling import MOST_SERIES

Reals = NDArray[np.float64]


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

    Those count that vary one parameter, the one that most of them do.

    Parameters
    ----------
    promised
        What some of them are expected to grow like.
    choices
        Further arguments of `learn_noise`: summary, level.
    """
    by_parameter: dict[str, list[Scan]] = defaultdict(list)
    for one in scans:
        if len(one.parameters) == 1:
            by_parameter[one.parameters[0]].append(one)
    if not by_parameter:
        return USUAL
    parameter, alike = max(by_parameter.items(), key=lambda entry: len(entry[1]))
    alike = alike[:: -(-len(alike) // MOST_SERIES)]
    x = np.unique(np.concatenate([one.settings[:, 0] for one in alike]))
    expectations = [g for g in promised if g.parameters == (parameter,)]
    return learn_noise(
        x,
        _table(x, alike),
        parameter=parameter,
        expectations=expectations,
        **choices,
    )


def _table(x: Reals, scans: Sequence[Scan]) -> Reals:
    """Return the repetitions of all series at all settings, NaN where missing."""
    repetitions = max(one.values.shape[1] for one in scans)
    values = np.full((len(scans), len(x), repetitions), np.nan)
    for table, one in zip(values, scans, strict=True):
        rows = np.searchsorted(x, one.settings[:, 0])
        table[rows, : one.values.shape[1]] = one.values
    return values
