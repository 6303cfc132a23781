"""Series, of files or of commits, beside those of an earlier version of the code."""

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from scalewatch.figures.notation import CERTAIN
from scalewatch.importers import ImportedSeries
from scalewatch.importers.series import usual_unit
from scalewatch.modelling import (
    Comparison,
    Incomparable,
    Noise,
    VersionChange,
    compare_versions,
)
from scalewatch.modelling.arrays import Reals, spread, stacked
from scalewatch.quantities import factor_between
from scalewatch.services.analysis.questions import MeasuredSeries, SeriesQuestion

Compared = Comparison | Incomparable

UNMEASURED: Final = Incomparable("the earlier version was not measured")
SEVERAL: Final = Incomparable("versions are compared where one parameter varies")


class Pair(NamedTuple):
    """Both versions of a series at the same n settings of its parameter.

    Parameters
    ----------
    x
        Shape (n,).
    before, after
        Repetitions, shape (n, R), R may differ; NaN where missing.
    """

    parameter: str
    x: Reals
    before: Reals
    after: Reals


def compared_with(
    earlier: Sequence[ImportedSeries],
    all_series: Sequence[ImportedSeries],
    questions: Sequence[SeriesQuestion],
    **choices: Any,
) -> list[Compared]:
    """Return what each series has to do with the same one of an earlier version.

    Series measured at the same settings and of the same noise are compared together.

    Parameters
    ----------
    questions
        About each series, with what is known of its noise.
    choices
        Further arguments of `compare_versions`.
    """
    earlier = in_units_of(earlier, all_series)
    known = {series_key(series): series for series in earlier}
    versions = [
        (known.get(series_key(series)), series, question.noise)
        for series, question in zip(all_series, questions, strict=True)
    ]
    compared = all_compared(versions, **choices)
    return [
        Incomparable(words) if before and (words := unlike_units(before, now)) else each
        for (before, now, _), each in zip(versions, compared, strict=True)
    ]


def in_units_of(
    earlier: Sequence[ImportedSeries], later: Sequence[ImportedSeries]
) -> list[ImportedSeries]:
    """Return series of an earlier version in the units that the later one has.

    Where no factor converts them they stay as they are.
    """
    units = {series_key(series): series.unit for series in later}
    return [_in_unit(series, units.get(series_key(series))) for series in earlier]


def _in_unit(series: ImportedSeries, unit: str | None) -> ImportedSeries:
    if series.unit is None or unit is None:
        return series
    size = factor_between(series.unit, unit)
    if size is None:
        return series
    return replace(series, unit=unit, values=series.values * size)


def unlike_units(earlier: ImportedSeries, later: ImportedSeries) -> str | None:
    """Return in words that versions have units which no factor converts, if they do."""
    before, now = (usual_unit(each.metric, each.unit) for each in (earlier, later))
    if factor_between(before, now) is not None and bool(before) == bool(now):
        return None
    before, now = (unit or "no unit" for unit in (before, now))
    return f"it was measured in {before} and is now in {now}, which no factor converts"


def all_compared(
    versions: Sequence[tuple[MeasuredSeries | None, MeasuredSeries, Noise]],
    **choices: Any,
) -> list[Compared]:
    """Return what series have to do with the same ones of an earlier version.

    Parameters
    ----------
    versions
        Of each series the earlier and the later one, and what is known of its noise.
    choices
        Further arguments of `compare_versions`.
    """
    pairs = [_pair(earlier, later) for earlier, later, _ in versions]
    batches: dict[tuple[str, bytes, Noise], list[int]] = defaultdict(list)
    compared: dict[int, Compared] = {}
    for place, (pair, (*_, noise)) in enumerate(zip(pairs, versions, strict=True)):
        if isinstance(pair, Pair):
            batches[pair.parameter, pair.x.tobytes(), noise].append(place)
        else:
            compared[place] = pair
    for (*_, noise), places in batches.items():
        batch = [pair for place in places if isinstance(pair := pairs[place], Pair)]
        comparisons = compare_versions(
            batch[0].x,
            stacked([pair.before for pair in batch]),
            stacked([pair.after for pair in batch]),
            parameter=batch[0].parameter,
            noise=noise,
            **choices,
        )
        compared |= zip(places, comparisons, strict=True)
    return [compared[place] for place in range(len(pairs))]


def compared_once(
    earlier: MeasuredSeries | None, later: MeasuredSeries, *, noise: Noise
) -> Compared:
    """Return what a series has to do with the same one of an earlier version."""
    (compared,) = all_compared([(earlier, later, noise)])
    return compared


def plain_percent(probability: float) -> str:
    """Write a probability for a terminal; certainty is never claimed."""
    return ">99%" if probability > CERTAIN else f"{probability:.0%}"


def comparison_words(
    compared: Compared, percent: Callable[[float], str] = plain_percent
) -> str:
    """Return which change is likeliest, by which factor, and how probably."""
    if isinstance(compared, Incomparable):
        return compared.reason
    change = compared.likeliest
    before, after = compared.growth_before, compared.growth_after
    words = {
        VersionChange.NONE: "as before",
        VersionChange.LEVEL: "a factor throughout" if after else "a factor",
        VersionChange.COEFFICIENT: "another coefficient",
        VersionChange.GROWTH: f"another growth, {before} before and {after} now",
    }
    return (
        f"{words[change]} ({percent(compared.probability[change])}), "
        f"{compared.factor:.3g} times [{compared.low:.3g}, {compared.high:.3g}]"
    )


def series_key(series: ImportedSeries) -> tuple[str, str, tuple[str, ...], str]:
    """Return what a series of one version has in common with that of another."""
    held = json.dumps(series.configuration, sort_keys=True, default=str)
    return series.region, series.metric, series.parameters, held


def _pair(
    earlier: MeasuredSeries | None, series: MeasuredSeries
) -> Pair | Incomparable:
    if earlier is None:
        return UNMEASURED
    if len(series.parameters) > 1 or earlier.parameters != series.parameters:
        return SEVERAL
    x = np.union1d(earlier.settings, series.settings)
    return Pair(series.parameters[0], x, _at(x, earlier), _at(x, series))


def _at(x: Reals, series: MeasuredSeries) -> Reals:
    """Return the repetitions of a series at settings, missing ones as NaN."""
    places = np.searchsorted(x, series.settings.reshape(-1))
    return spread(series.values, places, x.size)
