"""Model the series of files, without a database."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import ModellingError
from scalewatch.importers import Series
from scalewatch.modelling import Finding, Growth, find_models
from scalewatch.modelling.batch import most_repetitions
from scalewatch.modelling.findings import refusal


@dataclass(frozen=True, slots=True)
class Stated:
    """A growth that is stated for some regions.

    Parameters
    ----------
    pattern
        A region, or region:metric, in which * and ? stand for any text.
    growth
        What is stated.
    """

    pattern: str
    growth: Growth

    def covers(self, series: Series) -> bool:
        """Tell whether it is about this series."""
        pattern = self.pattern.replace("[", "[[]")
        return self.is_exact(series) or any(
            fnmatchcase(name, pattern) for name in _names(series)
        )

    def is_exact(self, series: Series) -> bool:
        """Tell whether it names this series and no other."""
        return self.pattern in _names(series)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about series.

    Parameters
    ----------
    expectations, deviation_limits
        E and D; a name goes before a pattern, what comes later before the earlier.
    targets
        Where forecasts are wanted, for the series that vary nothing else.
    choices
        Further arguments of `find_models`: space, rule, summary, level.
    """

    expectations: Sequence[Stated] = ()
    deviation_limits: Sequence[Stated] = ()
    targets: Sequence[Mapping[str, float]] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)

    def targets_of(self, parameters: Sequence[str]) -> list[Mapping[str, float]]:
        """Return the targets that tell the settings of all `parameters`."""
        return [
            {name: target[name] for name in parameters}
            for target in self.targets
            if target.keys() >= set(parameters)
        ]


def model_series(all_series: Sequence[Series], question: Question) -> list[Finding]:
    """Return a finding for each series, in their order.

    Series measured at the same settings and expected to grow alike are modelled
    together. What makes no sense for some of them is their finding's reason.
    """
    findings: dict[int, Finding] = {}
    for batch in _batches(all_series, question):
        findings |= zip(batch.positions, batch.findings(question), strict=True)
    return [findings[position] for position in range(len(all_series))]


@dataclass(frozen=True, slots=True)
class _Batch:
    """Series that are modelled together, by their positions."""

    parameters: tuple[str, ...]
    settings: NDArray[np.float64]
    expectation: Growth | None
    deviation_limit: Growth | None
    positions: list[int] = field(default_factory=list)
    values: list[NDArray[np.float64]] = field(default_factory=list)

    def findings(self, question: Question) -> Sequence[Finding]:
        try:
            return find_models(
                self.settings,
                _stacked(self.values),
                parameter=self.parameters,
                expectation=self.expectation,
                deviation_limit=self.deviation_limit,
                targets=question.targets_of(self.parameters),
                **question.choices,
            )
        except ModellingError as error:
            return [self.refusal(values, str(error)) for values in self.values]

    def refusal(self, values: NDArray[np.float64], reason: str) -> Finding:
        return refusal(
            points=len(values),
            repetitions=most_repetitions(values),
            expectation=self.expectation,
            deviation_limit=self.deviation_limit,
            reason=reason,
        )


def _batches(all_series: Sequence[Series], question: Question) -> Iterator[_Batch]:
    batches: dict[tuple[object, ...], _Batch] = {}
    for position, series in enumerate(all_series):
        expectation = _stated(question.expectations, series)
        deviation_limit = _stated(question.deviation_limits, series)
        settings = series.settings
        key = (series.parameters, settings.tobytes(), expectation, deviation_limit)
        if key not in batches:
            batches[key] = _Batch(
                series.parameters, settings, expectation, deviation_limit
            )
        batches[key].positions.append(position)
        batches[key].values.append(series.values)
    yield from batches.values()


def _stated(all_stated: Sequence[Stated], series: Series) -> Growth | None:
    covering = [stated for stated in all_stated if stated.covers(series)]
    covering.sort(key=lambda stated: stated.is_exact(series))
    return covering[-1].growth if covering else None


def _stacked(values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return one array of shape (S, n, R), the missing repetitions NaN."""
    most = max(each.shape[1] for each in values)
    stacked = np.full((len(values), len(values[0]), most), np.nan)
    for row, each in zip(stacked, values, strict=True):
        row[:, : each.shape[1]] = each
    return stacked


def _names(series: Series) -> tuple[str, str]:
    return series.region, f"{series.region}:{series.metric}"
