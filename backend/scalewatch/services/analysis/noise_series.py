"""Gather the series of one machine and metric, and learn their noise from them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling import (
    Growth,
    LearnedNoise,
    Noise,
    learn_noise,
    learn_surface_noise,
)
from scalewatch.modelling.arrays import Reals, widened
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.noise.pools import MOST_SERIES
from scalewatch.services.analysis.questions import MeasuredSeries
from scalewatch.services.caches.lru import key_of

LEVEL: Final = 0.9
"""Probability that intervals hold unless another one is asked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Series that vary the same parameters, put together by their settings.

    Parameters
    ----------
    settings
        All of them, shape (n, parameters).
    values
        Repetitions, shape (S, n, R); NaN where one is missing.
    expectations
        Growths over these parameters that are expected of some of them.
    """

    parameters: tuple[str, ...]
    settings: Reals
    values: Reals
    expectations: tuple[Growth, ...]

    @classmethod
    def of(
        cls, scans: Iterable[MeasuredSeries], expected: Iterable[Growth] = ()
    ) -> Self | None:
        """Gather those series that vary the same parameters, which most of them do.

        Of many, some that are spread evenly; of no series, None.
        """
        by_parameters: dict[tuple[str, ...], list[MeasuredSeries]] = defaultdict(list)
        for one in scans:
            by_parameters[one.parameters].append(one)
        if not by_parameters:
            return None
        parameters, alike = max(by_parameters.items(), key=lambda entry: len(entry[1]))
        settings, values = _table(alike[:: -(-len(alike) // MOST_SERIES)])
        concerned = tuple(each for each in expected if each.parameters == parameters)
        return cls(parameters, settings, values, concerned)

    @property
    def key(self) -> bytes:
        """What their noise depends on, as a key."""
        expected = sorted(map(str, self.expectations))
        arrays = (self.settings, self.values)
        shaped = [part for each in arrays for part in (each.shape, each.tobytes())]
        return key_of(self.parameters, expected, *shaped)

    def learn(self) -> LearnedNoise | None:
        """Learn their noise; None from too few, or over several parameters."""
        if len(self.parameters) > 1:
            return None
        return LearnedNoise.learn(
            self.settings, self.values, self.parameters[0], self.expectations
        )

    def reuse(self, learned: LearnedNoise) -> Noise | None:
        """Return noise that others told, which vary the same; None if it misfits."""
        return learned.reuse(
            self.settings, self.values, self.parameters[0], self.expectations
        )


def learned(
    scans: Iterable[MeasuredSeries], expected: Iterable[Growth] = (), **choices: Any
) -> Noise:
    """Return what series of one machine and metric tell about their noise.

    Those count that vary the same parameters, which most of them do.

    Parameters
    ----------
    expected
        What some of them are expected to grow like.
    choices
        Further arguments of `learn_noise`: summary, level.
    """
    alike = Gathered.of(scans, expected)
    if alike is None:
        return USUAL
    if len(alike.parameters) > 1:
        return learn_surface_noise(
            alike.settings,
            alike.values,
            parameter=alike.parameters,
            level=choices.get("level", LEVEL),
        )
    return learn_noise(
        alike.settings,
        alike.values,
        parameter=alike.parameters[0],
        expectations=alike.expectations,
        **choices,
    )


def _table(scans: Sequence[MeasuredSeries]) -> tuple[Reals, Reals]:
    """Return all settings, and the repetitions of all series, NaN where missing."""
    everywhere = np.concatenate([one.settings for one in scans])
    x, places = _distinct(everywhere)
    owners = np.repeat(np.arange(len(scans)), [len(one.settings) for one in scans])
    most = max(one.values.shape[1] for one in scans)
    table = np.full((len(scans), len(x), most), np.nan)
    table[owners, places.reshape(-1)] = np.concatenate(
        [widened(one.values, most) for one in scans]
    )
    return x, table


def _distinct(settings: Reals) -> tuple[Reals, NDArray[np.intp]]:
    """Return distinct settings in order, and where each of all is among them."""
    if settings.shape[1] > 1:
        return np.unique(settings, axis=0, return_inverse=True)
    # Rows would be compared as records, which takes ten times as long.
    distinct, places = np.unique(settings.reshape(-1), return_inverse=True)
    return distinct[:, None], places
