"""Noise of a machine's metric, learned from all its series, of older commits too.

Repetitions show how much a measurement scatters within a run. How far all runs lie from
any model, because jobs share a node or protocols switch, only many series show. Noise
learned at a commit is reused for the next ones. It is learned again when other settings
are measured, on other hardware or software, when something else is expected, after
`MOST_REUSES` commits, and when measurements misfit all growths more, or less, than
those it was learned from.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np

from scalewatch.modelling import (
    Growth,
    LearnedNoise,
    Noise,
    learn_noise,
)
from scalewatch.modelling.arrays import Reals, widened
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.noise.pools import MOST_SERIES
from scalewatch.services.analysis.questions import ANSWERS, MeasuredSeries
from scalewatch.services.caches import key_of

ENOUGH: Final = 100
"""Series of a metric that need no older commits beside them."""

MOST_COMMITS: Final = 3
"""Older commits that are read."""

MOST_REUSES: Final = 20
"""Commits that reuse noise before it is learned again."""


@dataclass(frozen=True, slots=True)
class NoiseMemory:
    """Noise of a metric that was learned, as a commit keeps it.

    Parameters
    ----------
    conditions
        Digest of what has to be the same for noise to be the same.
    age
        Commits that have assumed it since it was learned.
    """

    conditions: str
    learned: LearnedNoise
    age: int = 0


@dataclass(frozen=True, slots=True)
class Assumed:
    """The noise that is assumed of a metric.

    Parameters
    ----------
    memory
        Its record at the commit; None where nothing could be learned.
    """

    noise: Noise
    memory: NoiseMemory | None = None


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
        for scan in scans:
            by_parameters[scan.parameters].append(scan)
        if not by_parameters:
            return None
        parameters, alike = max(by_parameters.items(), key=lambda entry: len(entry[1]))
        settings, values = _table(alike[:: -(-len(alike) // MOST_SERIES)])
        concerned = tuple(each for each in expected if each.parameters == parameters)
        return cls(parameters, settings, values, concerned)

    def learn(self) -> LearnedNoise | None:
        """Learn the noise; None from too few series, or over several parameters."""
        if len(self.parameters) > 1:
            return None
        expected = sorted(map(str, self.expectations))
        arrays = (self.settings, self.values)
        shaped = [part for each in arrays for part in (each.shape, each.tobytes())]
        noise: LearnedNoise | None
        (noise,) = ANSWERS.answers(
            [key_of("noise", self.parameters, expected, *shaped)],
            lambda _: [
                LearnedNoise.learn(
                    self.settings, self.values, self.parameters[0], self.expectations
                )
            ],
        )
        return noise

    def reuse(self, memory: NoiseMemory) -> Noise | None:
        """Return remembered noise; None if it is too old, or misfits these series."""
        if memory.age > MOST_REUSES:
            return None
        return memory.learned.reuse(
            self.settings, self.values, self.parameters[0], self.expectations
        )


def learn_again(
    series: Iterable[MeasuredSeries],
    expected: Collection[Growth],
    conditions: str | None,
) -> Assumed:
    """Learn the noise of a metric; it is remembered if it can recur.

    Parameters
    ----------
    conditions
        Those under which it recurs, None if it does not.
    """
    series = list(series)
    if conditions is not None and (alike := Gathered.of(series, expected)):
        noise = alike.learn()
        if noise is not None:
            return Assumed(noise.noise, NoiseMemory(conditions, noise))
    return Assumed(learned(series, expected))


def learned(
    scans: Iterable[MeasuredSeries], expected: Iterable[Growth] = (), **choices: Any
) -> Noise:
    """Return the noise of series of one machine and metric.

    Those count that vary the same parameters, which most of them do; of several
    parameters nothing is learned.

    Parameters
    ----------
    expected
        The growths that are expected of some of them.
    choices
        Further arguments of `learn_noise`: summary, level.
    """
    alike = Gathered.of(scans, expected)
    if alike is None or len(alike.parameters) > 1:
        return USUAL
    return learn_noise(
        alike.settings,
        alike.values,
        parameter=alike.parameters[0],
        expectations=alike.expectations,
        **choices,
    )


def noise_of(stored: Mapping[str, Any]) -> Noise:
    """Return noise that was stored as a dictionary, by an older version perhaps."""
    known = {each.name for each in fields(Noise)}
    choices: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in stored.items()
        if name in known and np.shape(value) == np.shape(getattr(USUAL, name))
    }
    return Noise(**choices)


def _table(scans: Sequence[MeasuredSeries]) -> tuple[Reals, Reals]:
    """Return all settings, and the repetitions of all series, NaN where missing."""
    everywhere = np.concatenate([scan.settings for scan in scans])
    if everywhere.shape[1] > 1:
        x, places = np.unique(everywhere, axis=0, return_inverse=True)
    else:  # rows would be compared as records, which takes ten times as long
        distinct, places = np.unique(everywhere.reshape(-1), return_inverse=True)
        x = distinct[:, None]
    owners = np.repeat(np.arange(len(scans)), [len(scan.settings) for scan in scans])
    most = max(scan.values.shape[1] for scan in scans)
    table = np.full((len(scans), len(x), most), np.nan)
    table[owners, places.reshape(-1)] = np.concatenate(
        [widened(scan.values, most) for scan in scans]
    )
    return x, table
