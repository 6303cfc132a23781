"""Columns of the table of findings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scalewatch.cli.files.notation import Notation
from scalewatch.errors.files import printable
from scalewatch.importers import ImportedSeries
from scalewatch.modelling import (
    Composed,
    Finding,
    Incomparable,
    Outcome,
    Proposal,
    VersionChange,
)
from scalewatch.modelling.splits import SplitChoice
from scalewatch.services.analysis.questions import (
    proposal_words,
    separating_words,
    series_steps,
    whole_step_words,
)
from scalewatch.services.analysis.versions import Compared, comparison_words
from scalewatch.wire.directions import Direction


class FindingRow(NamedTuple):
    """A series and what was found.

    Parameters
    ----------
    share
        Of what all cost at the target, where they are ranked.
    proposal
        What to measure next, where that is asked for and the verdict is undecided.
    compared
        What it has to do with an earlier version, where there is one.
    composed
        The composed model that it is compared with, where there is one.
    better
        Which way its values are better.
    splits
        Which splits of cores are best, where that is asked for.
    """

    series: ImportedSeries
    finding: Finding
    share: float | None = None
    proposal: Proposal | None = None
    compared: Compared | None = None
    composed: Composed | None = None
    better: Direction = "lower"
    splits: Sequence[SplitChoice] = ()


@dataclass(frozen=True, slots=True)
class FindingColumn:
    """A heading and what stands below it.

    Parameters
    ----------
    heading, text
        What is written.
    is_number
        Whether it is lined up at the right.
    is_coloured
        Whether it has the colour of the verdict.
    narrowest
        Where the terminal is too narrow: how far the text is wrapped, if at all.
    is_told_once
        Whether a terminal shows it above the table if it is the same in all rows.
    """

    heading: str
    text: Callable[[FindingRow], str]
    is_number: bool = False
    is_coloured: bool = False
    narrowest: int | None = None
    is_told_once: bool = False


def columns_of(rows: Sequence[FindingRow], notation: Notation) -> list[FindingColumn]:
    """Return the columns that tell something about these rows."""
    columns = [
        FindingColumn("region", lambda row: printable(row.series.region), narrowest=24)
    ]
    if varied := _told_configuration(rows):
        columns.append(
            FindingColumn(
                "configuration", lambda row: _configuration(row, varied), narrowest=24
            )
        )
    if any(row.share is not None for row in rows):
        columns.append(
            FindingColumn(
                "share", lambda row: notation.share_text(row.share), is_number=True
            )
        )
    columns += [
        FindingColumn("metric", _metric, is_told_once=True),
        FindingColumn("model", lambda row: _model(row.finding, notation), narrowest=24),
        FindingColumn("growth", lambda row: notation.growth_text(row.finding.growth)),
        FindingColumn(
            notation.adjusted_r2,
            lambda row: notation.number_text(row.finding.adjusted_r2, 4),
            is_number=True,
        ),
        FindingColumn(
            "SMAPE %",
            lambda row: notation.number_text(row.finding.smape, 2),
            is_number=True,
        ),
    ]
    if any(row.finding.expectation is not None for row in rows):
        columns += _verdict_columns(notation)
    columns += _forecast_columns(rows, notation)
    if any(row.compared for row in rows):
        columns.append(
            FindingColumn("since the earlier version", _compared, narrowest=24)
        )
    if any(map(_reason, rows)):
        columns.append(FindingColumn("reason", _reason, narrowest=24))
    if any(map(_proposal, rows)):
        columns.append(FindingColumn("measure next", _proposal, narrowest=24))
    return columns


def _verdict_columns(notation: Notation) -> list[FindingColumn]:
    return [
        FindingColumn(
            "expected",
            lambda row: notation.growth_text(row.finding.expectation),
            is_told_once=True,
        ),
        FindingColumn(
            notation.divergence,
            lambda row: notation.growth_text(row.finding.divergence),
        ),
        FindingColumn(
            "verdict",
            lambda row: notation.verdict_text(
                row.finding, is_cost=row.better == "lower"
            ),
            is_coloured=True,
        ),
    ]


def _forecast_columns(
    rows: Sequence[FindingRow], notation: Notation
) -> list[FindingColumn]:
    headings = dict.fromkeys(
        _target(forecast.at) for row in rows for forecast in row.finding.forecasts
    )

    def column(heading: str) -> FindingColumn:
        def text(row: FindingRow) -> str:
            at = {_target(forecast.at): forecast for forecast in row.finding.forecasts}
            if heading not in at and row.finding.horizon is not None:
                return f"not beyond {row.finding.horizon:.3g}"
            return notation.forecast_text(at.get(heading))

        return FindingColumn(f"at {heading}", text, is_number=True, narrowest=24)

    return [column(heading) for heading in headings]


def _model(finding: Finding, notation: Notation) -> str:
    """Return the model, where it does not hold, and on what it does not depend."""
    text = notation.model_text(finding.model)
    known = finding.exactness
    if known is None or finding.model is None:
        return text
    remarks = []
    if known.excepted:
        remarks.append(f"but at {', '.join(map(_target, known.excepted))}")
    if known.independent:
        remarks.append(f"independent of {' and '.join(known.independent)}")
    return f"{text} ({', '.join(remarks)})" if remarks else text


def _reason(row: FindingRow) -> str:
    """Return why there is no model or no verdict, if an expectation asked for one."""
    finding = row.finding
    if finding.misfit and finding.expectation is None:
        return str(finding.misfit)
    if finding.model is None:
        steps = series_steps(row.series, row.series.unit)
        sentence = whole_step_words(steps, row.series.parameters[0])
        return "; ".join(filter(None, [finding.reason, sentence]))
    exactness = finding.exactness
    is_ambiguous = exactness and exactness.outcome is Outcome.AMBIGUOUS
    if finding.model and finding.expectation is None and not is_ambiguous:
        return ""
    return finding.reason or ""


def _proposal(row: FindingRow) -> str:
    exactness = row.finding.exactness
    if exactness and exactness.separating:
        return separating_words(exactness.separating)
    return "" if row.proposal is None else proposal_words(row.proposal)


def _compared(row: FindingRow) -> str:
    """Return what has changed and, where that is sure, whether to the worse."""
    compared = row.compared
    if compared is None or isinstance(compared, Incomparable):
        return "" if compared is None else comparison_words(compared)
    words = comparison_words(compared)
    is_sure = not compared.low <= 1 <= compared.high
    if compared.likeliest is VersionChange.NONE or not is_sure:
        return words
    is_worse = (compared.factor > 1) == (row.better == "lower")
    return f"{words}: {'worse' if is_worse else 'better'}"


def _metric(row: FindingRow) -> str:
    series = row.series
    unit = f" [{series.unit}]" if series.unit else ""
    return printable(f"{series.metric}{unit}")


def _told_configuration(rows: Sequence[FindingRow]) -> list[str]:
    """Return what is not the same in all series."""
    settings: dict[str, set[object]] = {}
    for row in rows:
        for name, setting in row.series.configuration.items():
            settings.setdefault(name, set()).add(setting)
    return [
        name
        for name, different in settings.items()
        if len(different) > 1
        or not all(name in row.series.configuration for row in rows)
    ]


def _configuration(row: FindingRow, names: Sequence[str]) -> str:
    held = row.series.configuration
    return printable(
        ", ".join(f"{name}={held[name]}" for name in names if name in held)
    )


def _target(at: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {setting:.10g}" for name, setting in at.items())
