"""Preview of files: a row per series, and the parts that could not be read."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import click
from rich.console import Console
from rich.table import Table

from scalewatch.errors.files import printable
from scalewatch.importers import ImportedSeries, Reading
from scalewatch.importers.source import LEFT_OUT, ReadTable
from scalewatch.importers.tables.columns import RESTARTS
from scalewatch.services.files.previews import PreviewedSetting, previewed
from scalewatch.texts.scales import RESOURCES
from scalewatch.wire.fields import Direction

VALUES: Final = "values"
COLUMNS: Final = (
    "region",
    "metric",
    "unit",
    "better",
    "settings, and where they come from",
    VALUES,
    "commit, machine, file",
)

MOST_LEVELS: Final = 8
"""Settings of a parameter that a row names one by one."""

MOST_ALIKE: Final = 5
LISTED_ALIKE: Final = 3
"""Files with the same fault that are all named, and those named of more."""


def tell(*readings: Reading) -> None:
    """Say which files cannot be read, which are no results, and which repeat others."""
    unreadable = [part for reading in readings for part in reading.unreadable]
    tell_faults((str(error), error.reason) for error in unreadable)
    for reading in readings:
        for name in reading.passed_over:
            line = f"Note: {name} is of no known format and passed over"
            click.echo(printable(line), err=True)
        for note in (*reading.left_out, *reading.known.notes()):
            click.echo(printable(f"Note: {note}"), err=True)


def tell_skipped(skipped: Mapping[str, int]) -> None:
    """Say how many results were left out of all files, and why."""
    for reason, number in skipped.items():
        click.echo(f"Note: {number:,} {reason} are left out", err=True)


def tell_faults(faults: Iterable[tuple[str, str]]) -> None:
    """Say a sentence per error, for many with the same reason a few and a number.

    Parameters
    ----------
    faults
        What is said of each error, and its reason.
    """
    by_reason: dict[str, list[str]] = {}
    for sentence, reason in faults:
        by_reason.setdefault(reason, []).append(sentence)
    for alike in by_reason.values():
        listed = alike if len(alike) <= MOST_ALIKE else alike[:LISTED_ALIKE]
        for sentence in listed:
            click.echo(f"Error: {sentence}", err=True)
        if more := len(alike) - len(listed):
            click.echo(f"Error: {more} more, for the same reason", err=True)


def tell_together(all_series: Sequence[ImportedSeries]) -> None:
    """Say which parameters vary only together, so that nothing tells them apart."""
    for name, other in dict.fromkeys(
        (each.name, each.leader) for series in all_series for each in series.together
    ):
        if {name, other}.issubset({*RESOURCES, RESTARTS}):
            continue
        click.echo(
            f"Warning: {name} and {other} vary only together, and what grows with "
            f"{other} may grow with {name}; vary one of them alone to tell",
            err=True,
        )


def show(reading: Reading, better: Mapping[str, Direction]) -> None:
    """Print a row per series."""
    tell_together(reading.series)
    show_tables(reading.tables)
    table = Table(box=None, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, justify="right" if name == VALUES else "left")
    rows = previewed(reading.scans.measurements(), better)
    for row in rows:
        settings = (*row.parameters, *row.dependent, *row.configuration)
        cells = (
            row.region,
            row.metric,
            row.unit,
            f"{row.better} (assumed)" if row.is_direction_assumed else row.better,
            ", ".join(map(setting_text, settings)),
            str(row.values),
            ", ".join(f"{key} {value}" for key, value in row.origin.items()),
        )
        table.add_row(*map(printable, cells))
    console = Console(highlight=False, markup=False, soft_wrap=True, width=1000)
    console.print(table)
    values = sum(row.values for row in rows)
    click.echo(f"{len(rows)} series, {values} values; nothing was sent or modelled.")


def show_tables(tables: Sequence[ReadTable]) -> None:
    """Print what each column of a table was taken for, and why."""
    for table in tables:
        heading = f" below {table.title!r}" if table.title else ""
        click.echo(printable(f"Table of {table.place}{heading}:"))
        for column in table.columns:
            why = f" ({column.why})" if column.why else ""
            option = ""
            if column.meaning == LEFT_OUT and column.name:
                option = f"; `--column {shlex.quote(f'value={column.name}')}` takes it"
            click.echo(printable(f"  {column.name}: {column.meaning}{why}{option}"))
    if tables:
        click.echo()


def setting_text(setting: PreviewedSetting) -> str:
    """Return the levels of a setting, those of many in part, and its source."""
    levels = [
        f"{level:.12g}" if isinstance(level, float) else str(level)
        for level in setting.levels
    ]
    more = f" … {levels[-1]}" if len(levels) > MOST_LEVELS else ""
    described = " ".join(levels[:MOST_LEVELS])
    return f"{setting.name}={described}{more} ({setting.source})"
