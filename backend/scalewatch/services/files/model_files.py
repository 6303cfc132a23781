"""Model the series of files, without a database: rank, compose and split them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

import numpy as np

from scalewatch.errors import NameUnknown, NotSplit
from scalewatch.importers import ImportedSeries
from scalewatch.modelling import (
    Composed,
    Finding,
    Growth,
    Measured,
    Model,
    Noise,
    RankedRegion,
    compose,
    rank_regions,
)
from scalewatch.modelling.compositions.comparison import named
from scalewatch.modelling.compositions.composed import Formulas, refuse_circles
from scalewatch.modelling.measurements.assumptions import USUAL, Summary
from scalewatch.modelling.splits import SplitChoice, measured_splits, modelled_splits
from scalewatch.services.analysis.noise import learned
from scalewatch.services.analysis.questions import SeriesQuestion
from scalewatch.wire import TIME
from scalewatch.wire.fields import Direction, stated_direction, told_direction

DEFAULT_RULE: Final = "evidence"
"""The default rule, the only one that takes account of noise."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The criterion by which series are ranked.

    Parameters
    ----------
    target
        Coordinate at which predictions are compared; None to compare growths.
    threshold
        Growth that is still acceptable: only series that grow faster are ranked.
    """

    target: Mapping[str, float] | None = None
    threshold: Growth | None = None

    def order(
        self, all_series: Sequence[ImportedSeries], findings: Sequence[Finding]
    ) -> list[RankedRegion[int]]:
        """Return positions of series that have a model, by metric, worst first."""
        models: dict[str, dict[int, Model]] = defaultdict(dict)
        predicted: dict[str, dict[int, float]] = defaultdict(dict)
        for position, finding in enumerate(findings):
            metric = all_series[position].metric
            if finding.model is not None:
                models[metric][position] = finding.model
            for forecast in finding.forecasts:
                if forecast.at == self.target:
                    predicted[metric][position] = forecast.value
        return [
            ranked
            for metric in dict.fromkeys(series.metric for series in all_series)
            for ranked in rank_regions(
                models[metric], predicted[metric], self.threshold
            )
            if self.threshold is None or ranked.exceeds_threshold
        ]


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
    scale
        The axis of scans in which several scales vary together, if one is stated.
    """

    expectations: Sequence[Stated] = ()
    deviation_limits: Sequence[Stated] = ()
    targets: Sequence[Mapping[str, float]] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    ranking: Ranking | None = None
    proposes: bool = False
    better: Mapping[str, Direction] = field(default_factory=dict)
    earlier: Sequence[ImportedSeries] | None = None
    scale: str | None = None

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

    def along(self, all_series: Iterable[ImportedSeries]) -> list[ImportedSeries]:
        """Return series over the parameters that their expectations name.

        Where nodes and p vary only together, p stands for both, unless a growth with
        nodes is expected, or nodes are the stated scale.
        """
        series = [*all_series]
        timed = {each.region for each in series if each.metric == TIME}
        expected = [_stated(self.expectations, each, timed) for each in series]
        return [
            each.along(growth.parameters if growth else filter(None, [self.scale]))
            for each, growth in zip(series, expected, strict=True)
        ]

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


def composed_series(  # noqa: PLR0913, PLR0917 - as `compose`, of all series
    all_series: Sequence[ImportedSeries],
    findings: Sequence[Finding],
    formulas: Formulas,
    summary: Summary = "median",
    level: float = 0.9,
    targets: Sequence[Mapping[str, float]] = (),
) -> list[Composed | None]:
    """Return the composed model of each series, None for those without.

    A formula of a name that was not measured is a part of others.

    Raises
    ------
    CompositionError
        If a model cannot be computed, or its name is neither measured nor used.
    """
    refuse_circles(formulas)
    known = list(map(_measured, all_series, findings))
    used = {name for formula in formulas.values() for name in formula.names}
    for name, formula in formulas.items():
        if name not in used and not named(name, known):
            regions = sorted({series.region for series in known})
            stated = f"{name} = {formula}"
            raise NameUnknown(stated, name, regions)
    composed_models = {
        id(composed.series): composed
        for name in formulas
        for composed in compose(name, formulas, known, summary, level, targets)
    }
    return [composed_models.get(id(each)) for each in known]


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


def _measured(series: ImportedSeries, finding: Finding) -> Measured:
    """Return a series with its model, unless that is one of shared cores, too."""
    crowded = np.zeros(len(series.settings), dtype=np.bool_)
    crowded[list(series.crowded)] = True
    return Measured(
        region=series.region,
        metric=series.metric,
        unit=series.unit,
        configuration=series.configuration,
        parameters=series.parameters,
        settings=series.settings,
        values=series.values,
        crowded=crowded,
        model=None if series.crowded else finding.model,
    )


@dataclass(frozen=True, slots=True)
class SplitQuestion:
    """The question which split of a product of parameters is best.

    Parameters
    ----------
    names
        The parameters.
    total
        The product to split; None for all that were measured.
    """

    names: tuple[str, ...]
    total: int | None = None

    def __str__(self) -> str:
        return "*".join(self.names)


def splits_of(
    all_series: Sequence[ImportedSeries],
    findings: Sequence[Finding],
    better: Sequence[Direction],
    question: SplitQuestion,
) -> list[list[SplitChoice]]:
    """Return the choices about each series, none for one that varies other things.

    Parameters
    ----------
    findings, better
        The finding about each series, and its better direction.

    Raises
    ------
    NotSplit
        If no series varies all parameters, or none is measured or modelled at the
        total.
    """
    if not any(_is_about(series, question) for series in all_series):
        raise NotSplit(str(question), "no series is measured over all of these")
    choices = [
        _choices(series, finding, side, question) if _is_about(series, question) else []
        for series, finding, side in zip(all_series, findings, better, strict=True)
    ]
    if not any(choices):
        total = "any total" if question.total is None else f"{question.total}"
        reason = f"several splits of {total} were not measured, and no model tells"
        raise NotSplit(str(question), reason)
    return choices


def _is_about(series: ImportedSeries, question: SplitQuestion) -> bool:
    return {*question.names} <= {*series.parameters}


def _choices(
    series: ImportedSeries, finding: Finding, better: Direction, question: SplitQuestion
) -> list[SplitChoice]:
    """Return splits measured without shared cores, or else those of the model."""
    is_evidence = np.ones(len(series.settings), dtype=np.bool_)
    is_evidence[list(series.crowded)] = False
    settings = {
        name: series.settings[is_evidence, column]
        for column, name in enumerate(series.parameters)
    }
    is_higher_better = better == "higher"
    measured = measured_splits(
        question.names,
        settings,
        series.values[is_evidence],
        is_higher_better=is_higher_better,
    )
    if question.total is None:
        return measured
    at_total = [choice for choice in measured if choice.total == question.total]
    is_alone = len(series.parameters) == len(question.names)
    if at_total or finding.model is None or series.crowded or not is_alone:
        return at_total
    return [
        modelled_splits(
            question.names,
            question.total,
            finding.model,
            {},
            is_higher_better=is_higher_better,
        )
    ]
