"""What files hold, before anything is done with it: a row per series."""

from collections.abc import Iterator, Mapping
from typing import Final

import click
from rich.console import Console
from rich.table import Table

from scalewatch.importers import ImportedMeasurement, Reading
from scalewatch.wire.directions import better_direction, stated_direction

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


def tell(*readings: Reading) -> None:
    """Say which files cannot be read, which are no results, and which repeat others."""
    for error in (error for reading in readings for error in reading.unreadable):
        click.echo(f"Error: {error}", err=True)
    for reading in readings:
        for name in reading.passed_over:
            click.echo(f"Note: {name} is of no known format and passed over", err=True)
        for note in reading.known.notes():
            click.echo(f"Note: {note}", err=True)


def show(reading: Reading, better: Mapping[str, str]) -> None:
    """Print a row per series."""
    table = Table(box=None, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, justify="right" if name == VALUES else "left")
    rows = list(_rows(reading, better))
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False, markup=False, soft_wrap=True, width=1000)
    console.print(table)
    values = sum(int(row[COLUMNS.index(VALUES)]) for row in rows)
    click.echo(f"{len(rows)} series, {values} values; nothing was sent or modelled.")


def _rows(reading: Reading, better: Mapping[str, str]) -> Iterator[list[str]]:
    groups: dict[object, list[ImportedMeasurement]] = {}
    for each in reading.scans.measurements():
        groups.setdefault(each.subject, []).append(each)
    for held in groups.values():
        subject = held[0].subject
        unit = subject.usual_unit
        yield [
            subject.region,
            subject.metric,
            unit,
            stated_direction(better, subject.metric) or better_direction(unit),
            ", ".join(_settings(held)),
            str(sum(value == value for each in held for value in each.values)),  # noqa: PLR0124
            ", ".join(f"{key} {value}" for key, value in subject.origin),
        ]


def _settings(held: list[ImportedMeasurement]) -> Iterator[str]:
    subject, sources = held[0].subject, dict(held[0].sources)
    for at, name in enumerate(subject.parameters):
        levels = sorted({each.coordinate[at] for each in held})
        told = " ".join(f"{level:.12g}" for level in levels[:MOST_LEVELS])
        more = f" … {levels[-1]:.12g}" if len(levels) > MOST_LEVELS else ""
        yield f"{name}={told}{more} ({sources.get(name, 'content')})"
    for name, setting in subject.configuration:
        yield f"{name}={setting} ({sources.get(name, 'content')})"
