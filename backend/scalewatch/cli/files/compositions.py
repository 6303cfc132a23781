"""Composed models beside what files hold: computed, and told below the table."""

from collections.abc import Mapping, Sequence
from typing import Final

import click

from scalewatch.cli.files.findings_columns import FindingRow
from scalewatch.exporters.findings import composed_words, forecast_words, left_out_words
from scalewatch.modelling import Formula
from scalewatch.services.files.model_files import Question, composed_series

WRONG_FORMULA: Final = 2
"""Exit code if a composed model cannot be computed, as of other wrong usage."""


def compositions_of(
    rows: Sequence[FindingRow], formulas: Mapping[str, Formula], question: Question
) -> list[FindingRow]:
    """Return the rows, those of composed models with these.

    Raises
    ------
    CompositionError
        If one cannot be computed.
    """
    if not formulas:
        return list(rows)
    composed = composed_series(
        [row.series for row in rows],
        [row.finding for row in rows],
        formulas,
        **question.chosen("summary", "level"),
        targets=question.targets,
    )
    return [
        row._replace(composed=each) for row, each in zip(rows, composed, strict=True)
    ]


def print_compositions(rows: Sequence[FindingRow]) -> None:
    """Print each composed model, and how measurements agree with it."""
    for row in rows:
        if row.composed is not None:
            click.echo(f"\n{row.series.region} = {row.composed.formula}")
            click.echo(f"  {composed_words(row.composed)}")
            for words in forecast_words(row.composed):
                click.echo(f"  {words}")
            if left_out := left_out_words(row.composed):
                click.echo(f"  {left_out}")
