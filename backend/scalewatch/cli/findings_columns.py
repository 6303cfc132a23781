"""Columns of the table of findings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scalewatch.cli.notation import Notation
from scalewatch.importers import Series
from scalewatch.modelling import Finding

Row = tuple[Series, Finding]


@dataclass(frozen=True, slots=True)
class Column:
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
    text: Callable[[Row], str]
    is_number: bool = False
    is_coloured: bool = False
    narrowest: int | None = None
    is_told_once: bool = False


def columns_of(rows: Sequence[Row], notation: Notation) -> list[Column]:
    """Return the columns that tell something about these rows."""
    columns = [Column("region", lambda row: _printable(row[0].region), narrowest=24)]
    if told := _told_configuration(rows):
        columns.append(
            Column("configuration", lambda row: _configuration(row, told), narrowest=24)
        )
    columns += [
        Column("metric", _metric, is_told_once=True),
        Column("model", lambda row: notation.model_text(row[1].model), narrowest=24),
        Column("growth", lambda row: notation.growth_text(row[1].growth)),
        Column(
            notation.adjusted_r2,
            lambda row: notation.number_text(row[1].adjusted_r2, 4),
            is_number=True,
        ),
        Column(
            "SMAPE %",
            lambda row: notation.number_text(row[1].smape, 2),
            is_number=True,
        ),
    ]
    if any(finding.expectation is not None for _, finding in rows):
        columns += _verdict_columns(notation)
    columns += _forecast_columns(rows, notation)
    if any(map(_reason, rows)):
        columns.append(Column("reason", _reason, narrowest=24))
    return columns


def _verdict_columns(notation: Notation) -> list[Column]:
    return [
        Column(
            "expected",
            lambda row: notation.growth_text(row[1].expectation),
            is_told_once=True,
        ),
        Column(
            notation.divergence, lambda row: notation.growth_text(row[1].divergence)
        ),
        Column("verdict", lambda row: notation.verdict_text(row[1]), is_coloured=True),
    ]


def _forecast_columns(rows: Sequence[Row], notation: Notation) -> list[Column]:
    headings = dict.fromkeys(
        _target(forecast.at) for _, finding in rows for forecast in finding.forecasts
    )

    def column(heading: str) -> Column:
        def text(row: Row) -> str:
            at = {_target(forecast.at): forecast for forecast in row[1].forecasts}
            return notation.forecast_text(at.get(heading))

        return Column(f"at {heading}", text, is_number=True)

    return [column(heading) for heading in headings]


def _reason(row: Row) -> str:
    """Return why there is no model or no verdict, if an expectation asked for one."""
    finding = row[1]
    if finding.model is not None and finding.expectation is None:
        return ""
    return finding.reason or ""


def _metric(row: Row) -> str:
    series = row[0]
    unit = f" [{series.unit}]" if series.unit else ""
    return _printable(f"{series.metric}{unit}")


def _told_configuration(rows: Sequence[Row]) -> list[str]:
    """Return what is not the same in all series."""
    settings: dict[str, set[object]] = {}
    for series, _ in rows:
        for name, setting in series.configuration.items():
            settings.setdefault(name, set()).add(setting)
    return [
        name
        for name, different in settings.items()
        if len(different) > 1
        or not all(name in series.configuration for series, _ in rows)
    ]


def _configuration(row: Row, told: Sequence[str]) -> str:
    held = row[0].configuration
    return _printable(
        ", ".join(f"{name}={held[name]}" for name in told if name in held)
    )


def _target(at: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {setting:.10g}" for name, setting in at.items())


def _printable(text: str) -> str:
    """Return a name without what would steer the terminal."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)
