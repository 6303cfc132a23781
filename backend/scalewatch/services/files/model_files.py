"""Model the series of files, without a database."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

from scalewatch.importers import ImportedSeries
from scalewatch.modelling import Growth, Noise
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.services.analysis.noise import learned
from scalewatch.services.analysis.questions import SeriesQuestion
from scalewatch.services.files.rankings import Ranking
from scalewatch.wire import TIME
from scalewatch.wire.directions import Direction, stated_direction, told_direction

DEFAULT_RULE: Final = "evidence"
"""The default rule, the only one that takes account of noise."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A growth that is stated for some regions.

    Parameters
    ----------
    pattern
        A region, or region:metric, in which * and ? stand for any text. A region
        alone means its time where it has one, as in `scalewatch.toml`.
    growth
        The growth that these regions are expected to have, or to keep within.
    """

    pattern: str
    growth: Growth

    def covers(self, series: ImportedSeries) -> bool:
        """Tell whether it is about this series."""
        pattern = self.pattern.replace("[", "[[]")
        return self.is_exact(series) or any(
            fnmatchcase(name, pattern) for name in _names(series)
        )

    def means(self, series: ImportedSeries, timed: Collection[str]) -> bool:
        """Tell whether it is about this series where `timed` regions have a time.

        An expectation of a region's time says nothing of its calls or cache misses.
        """
        is_of_time = self.pattern == series.region and series.region in timed
        return self.covers(series) and (series.metric == TIME or not is_of_time)

    def is_exact(self, series: ImportedSeries) -> bool:
        """Tell whether it names this series and no other."""
        return self.pattern in _names(series)


@dataclass(frozen=True, slots=True)
class Question:
    """The expectations, targets and choices with which series of files are modelled.

    Parameters
    ----------
    expectations, deviation_limits
        E and D; a name goes before a pattern, a later one before an earlier.
    targets
        Coordinates of forecasts, for the series that vary nothing else.
    choices
        Further arguments of `find_models`: space, rule, summary, level.
    ranking
        The order of the findings; None for that of the series.
    proposes
        Whether to propose the next measurement where a verdict is undecided.
    better
        Stated directions by metric.
    earlier
        Series of an earlier version, with which these are compared; None for none.
    """

    expectations: Sequence[Stated] = ()
    deviation_limits: Sequence[Stated] = ()
    targets: Sequence[Mapping[str, float]] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    ranking: Ranking | None = None
    proposes: bool = False
    better: Mapping[str, Direction] = field(default_factory=dict)
    earlier: Sequence[ImportedSeries] | None = None

    def direction(self, series: ImportedSeries) -> Direction:
        """Return the better direction of a series: lower unless anything says it."""
        return (
            stated_direction(self.better, series.metric)
            or told_direction(series.metric, series.unit or "")
            or "lower"
        )

    def expects(self, series: ImportedSeries) -> bool:
        """Tell whether an expectation is about this series."""
        return _stated(self.expectations, series, ()) is not None

    def chosen(self, *names: str) -> dict[str, Any]:
        """Return the choices of these names that were made."""
        return {name: self.choices[name] for name in names if name in self.choices}

    def targets_of(self, parameters: Sequence[str]) -> list[Mapping[str, float]]:
        """Return the targets that tell the settings of all `parameters`."""
        return [
            {name: target[name] for name in parameters}
            for target in self.targets
            if target.keys() >= set(parameters)
        ]


def questions_of(
    all_series: Sequence[ImportedSeries], question: Question
) -> list[SeriesQuestion]:
    """Return the question about each series, with what is known of its noise.

    The series of a metric tell their noise together, where there are enough of them.
    """
    noise = _noise_by_metric(all_series, question)
    timed = {series.region for series in all_series if series.metric == TIME}
    return [
        SeriesQuestion(
            parameters=series.parameters,
            settings=series.settings,
            values=series.values,
            expectation=_stated(question.expectations, series, timed),
            deviation_limit=_stated(question.deviation_limits, series, timed),
            targets=question.targets_of(series.parameters),
            noise=noise.get(series.metric, USUAL),
            exact=series.is_exact or None,
        )
        for series in all_series
    ]


def _noise_by_metric(
    all_series: Sequence[ImportedSeries], question: Question
) -> dict[str, Noise]:
    """Return the noise of each metric; the default rule alone asks for it."""
    if question.choices.get("rule", DEFAULT_RULE) != DEFAULT_RULE:
        return {}
    by_metric: dict[str, list[ImportedSeries]] = defaultdict(list)
    for series in all_series:
        by_metric[series.metric].append(series)
    choices = question.chosen("summary", "level")
    return {
        metric: learned(
            alike, {stated.growth for stated in question.expectations}, **choices
        )
        for metric, alike in by_metric.items()
    }


def _stated(
    all_stated: Sequence[Stated], series: ImportedSeries, timed: Collection[str]
) -> Growth | None:
    covering = [stated for stated in all_stated if stated.means(series, timed)]
    covering.sort(key=lambda stated: stated.is_exact(series))
    return covering[-1].growth if covering else None


def _names(series: ImportedSeries) -> tuple[str, str]:
    return series.region, f"{series.region}:{series.metric}"
