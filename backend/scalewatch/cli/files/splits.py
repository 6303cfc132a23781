"""The best splits of cores, told below the table."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from scalewatch.cli.files.findings_columns import FindingRow
from scalewatch.modelling.splits import Split, SplitChoice
from scalewatch.services.files.splits import SplitQuestion


def print_splits(rows: Sequence[FindingRow], question: SplitQuestion) -> None:
    """Print a sentence for each total of each series."""
    for row in rows:
        if row.splits:
            click.echo(f"\n{row.series.region}: best split of {question}")
            for choice in row.splits:
                click.echo(f"  {split_words(choice, row.series.unit or '')}")


def split_words(choice: SplitChoice, unit: str) -> str:
    """Return the best split of a total, and how far the next one is off."""
    best, *others = choice.splits
    held = f" ({_settings(choice.held)})" if choice.held else ""
    words = (
        f"at {choice.total:g}{held}: {_settings(best.settings)}, {_value(best, unit)}"
    )
    if not others:
        return f"{words}, the only one"
    following = others[0]
    words += (
        f"; next {_settings(following.settings)}, {_value(following, unit)}, "
        f"{choice.gain:.0%} off"
    )
    if not choice.is_measured:
        return f"{words}, as the model tells"
    if not choice.is_repeated:
        return f"{words}, of too few repetitions to be sure"
    return words if choice.is_sure else f"{words}, which is within the noise"


def split_object(choice: SplitChoice) -> dict[str, Any]:
    """Return a choice for programs, the best split first."""
    return {
        "total": choice.total,
        "held": dict(choice.held),
        "is_measured": choice.is_measured,
        "is_sure": len(choice.splits) > 1 and choice.is_sure,
        "splits": [
            {
                "at": dict(split.settings),
                "value": split.value,
                "low": split.low,
                "high": split.high,
            }
            for split in choice.splits
        ],
    }


def _settings(at: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {setting:.10g}" for name, setting in at.items())


def _value(split: Split, unit: str) -> str:
    return f"{split.value:.4g} {unit}".rstrip()
