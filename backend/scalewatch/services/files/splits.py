"""The best splits of cores among the series of files."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scalewatch.errors import NotSplit
from scalewatch.importers import ImportedSeries
from scalewatch.modelling import Finding
from scalewatch.modelling.splits import SplitChoice, measured_splits, modelled_splits
from scalewatch.wire.directions import Direction


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
