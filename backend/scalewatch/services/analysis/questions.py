"""Model many series in few batches: those that are alike go together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import ModellingError
from scalewatch.modelling import Finding, Growth, Noise, find_models
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.measurements.batch import most_repetitions
from scalewatch.modelling.search.findings import refusal


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """A series to be modelled.

    Parameters
    ----------
    parameters
        What is varied.
    settings
        Its coordinates, shape (n, parameters).
    values
        Repetitions at each coordinate, shape (n, repetitions); NaN is missing.
    expectation, deviation_limit
        E and D, if anything is expected.
    targets
        Where forecasts are wanted; the same for all series of equal parameters.
    noise
        What is known of it, from all series of the machine and the metric.
    """

    parameters: tuple[str, ...]
    settings: NDArray[np.float64]
    values: NDArray[np.float64]
    expectation: Growth | None
    deviation_limit: Growth | None
    targets: Sequence[Mapping[str, float]] = ()
    noise: Noise = USUAL


def find_all(all_asked: Sequence[Asked], choices: Mapping[str, Any]) -> list[Finding]:
    """Return a finding for each series, in their order.

    Series measured at the same settings, expected to grow alike and of the same noise
    are modelled together. What makes no sense for some is their finding's reason.

    Parameters
    ----------
    choices
        Further arguments of `find_models`: space, rule, summary, level.
    """
    findings: dict[int, Finding] = {}
    for positions in _batches(all_asked):
        batch = [all_asked[position] for position in positions]
        findings |= zip(positions, _findings(batch, choices), strict=True)
    return [findings[position] for position in range(len(all_asked))]


def _batches(all_asked: Sequence[Asked]) -> Iterator[list[int]]:
    """Group the positions of series that can be modelled together."""
    batches: dict[tuple[object, ...], list[int]] = {}
    for position, asked in enumerate(all_asked):
        alike = (
            asked.parameters,
            asked.settings.tobytes(),
            asked.expectation,
            asked.deviation_limit,
            asked.noise,
        )
        batches.setdefault(alike, []).append(position)
    yield from batches.values()


def _findings(batch: Sequence[Asked], choices: Mapping[str, Any]) -> Sequence[Finding]:
    first = batch[0]
    try:
        return find_models(
            first.settings,
            stacked([asked.values for asked in batch]),
            parameter=first.parameters,
            expectation=first.expectation,
            deviation_limit=first.deviation_limit,
            targets=first.targets,
            noise=first.noise,
            **choices,
        )
    except ModellingError as error:
        return [_refusal(asked, str(error)) for asked in batch]


def _refusal(asked: Asked, reason: str) -> Finding:
    return refusal(
        points=len(asked.values),
        repetitions=most_repetitions(asked.values),
        expectation=asked.expectation,
        deviation_limit=asked.deviation_limit,
        reason=reason,
    )


def stacked(values: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return one array of shape (S, n, R), the missing repetitions NaN."""
    most = max(each.shape[1] for each in values)
    stacked = np.full((len(values), len(values[0]), most), np.nan)
    for row, each in zip(stacked, values, strict=True):
        row[:, : each.shape[1]] = each
    return stacked
