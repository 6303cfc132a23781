"""Series of files beside those of an earlier version of the code."""

import json
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.importers import Series
from scalewatch.modelling import Change, Comparison, Incomparable, compare_versions
from scalewatch.services.batches import Asked

Reals = NDArray[np.float64]
Compared = Comparison | Incomparable

CERTAIN: Final = 0.995
"""Probabilities beyond it would be written as 100 %."""

UNMEASURED: Final = Incomparable("the earlier version was not measured")
SEVERAL: Final = Incomparable("versions are compared where one parameter varies")


def compared_with(
    earlier: Sequence[Series],
    all_series: Sequence[Series],
    all_asked: Sequence[Asked],
    level: float | None = None,
) -> list[Compared]:
    """Return what each series has to do with the same one of an earlier version.

    Parameters
    ----------
    all_asked
        What is asked of each series, with what is known of its noise.
    level
        Probability that the intervals of factors hold.
    """
    known = {_subject(series): series for series in earlier}
    return [
        _compared(known.get(_subject(series)), series, asked, level or 0.9)
        for series, asked in zip(all_series, all_asked, strict=True)
    ]


def comparison_words(compared: Compared) -> str:
    """Return which change is likeliest, by which factor, and how probably."""
    if isinstance(compared, Incomparable):
        return compared.reason
    change = max(compared.probability, key=compared.probability.__getitem__)
    before, after = compared.growth_before, compared.growth_after
    words = {
        Change.NONE: "as before",
        Change.LEVEL: "a factor throughout",
        Change.COEFFICIENT: "another coefficient",
        Change.GROWTH: f"another growth, {before} before and {after} now",
    }
    probability = compared.probability[change]
    surely = ">99%" if probability > CERTAIN else f"{probability:.0%}"
    return (
        f"{words[change]} ({surely}), "
        f"{compared.factor:.3g} times [{compared.low:.3g}, {compared.high:.3g}]"
    )


def _compared(
    earlier: Series | None, series: Series, asked: Asked, level: float
) -> Compared:
    if earlier is None:
        return UNMEASURED
    if len(series.parameters) > 1:
        return SEVERAL
    (parameter,) = series.parameters
    x = np.union1d(earlier.settings, series.settings)
    (compared,) = compare_versions(
        x,
        _at(x, earlier),
        _at(x, series),
        parameter=parameter,
        noise=asked.noise,
        level=level,
    )
    return compared


def _at(x: Reals, series: Series) -> Reals:
    """Return the repetitions of a series at settings, missing ones as NaN."""
    values = np.full((1, x.size, series.values.shape[1]), np.nan)
    values[0, np.searchsorted(x, series.settings.reshape(-1))] = series.values
    return values


def _subject(series: Series) -> tuple[str, str, tuple[str, ...], str]:
    held = json.dumps(series.configuration, sort_keys=True, default=str)
    return series.region, series.metric, series.parameters, held
