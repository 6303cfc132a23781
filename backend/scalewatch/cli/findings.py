"""Findings about files, printed as a table or as JSON Lines."""

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Final

import click
from rich.console import Console

from scalewatch.cli.findings_table import print_table
from scalewatch.exporters.findings import finding_object
from scalewatch.importers import Series, read_files
from scalewatch.modelling import Finding
from scalewatch.services.findings import Question, model_series

UNREADABLE: Final = 3
"""Exit code if a file cannot be read; what the others hold is modelled."""

NO_MODEL: Final = 4
"""Exit code if no series could be modelled."""


def answer(
    files: Sequence[str],
    file_format: str,
    columns: Mapping[str, Sequence[str]],
    question: Question,
    *,
    as_json: bool,
) -> int:
    """Print what is found about the series of `files` and return the exit code."""
    progress = Console(stderr=True)
    with progress.status("Reading …"):
        reading = read_files(files, file_format, columns)
        series = reading.series
    for error in reading.unreadable:
        click.echo(f"Error: {error}", err=True)
    warn(series, question)
    with progress.status(f"Modelling {len(series)} series …"):
        findings = model_series(series, question)
    is_modelled = any(finding.model for finding in findings)
    shares: list[float | None] = []
    if ranking := question.ranking:
        ranked = ranking.order(series, findings)
        series = [series[each.region] for each in ranked]
        findings = [findings[each.region] for each in ranked]
        shares = [each.share for each in ranked]
    if as_json:
        print_lines(series, findings, shares)
    elif findings:
        print_table(series, findings, Console(highlight=False), shares)
    elif is_modelled and ranking:
        click.echo(f"no series grows faster than {ranking.threshold}")
    if reading.unreadable:
        return UNREADABLE
    return 0 if is_modelled else NO_MODEL


def warn(all_series: Sequence[Series], question: Question) -> None:
    """Say which parts of the question are about no series."""
    regions = sorted({series.region for series in all_series})
    for stated in (*question.expectations, *question.deviation_limits):
        if regions and not any(stated.covers(series) for series in all_series):
            meant = get_close_matches(stated.pattern, regions, n=1)
            hint = f" (did you mean {meant[0]!r}?)" if meant else ""
            click.echo(f"Warning: no region is {stated.pattern!r}{hint}", err=True)
    for limit in question.deviation_limits:
        about = [series for series in all_series if limit.covers(series)]
        if about and not any(map(question.expects, about)):
            click.echo(
                f"Warning: the deviation {limit.growth} says nothing without --expect",
                err=True,
            )
    varied = {series.parameters for series in all_series}
    for target in question.targets:
        if varied and not any(target.keys() >= set(names) for names in varied):
            told = ",".join(target)
            needed = " or ".join(sorted({",".join(names) for names in varied}))
            click.echo(f"Warning: a target needs {needed}, not {told}", err=True)


def print_lines(
    all_series: Sequence[Series],
    findings: Sequence[Finding],
    shares: Sequence[float | None],
) -> None:
    """Print one JSON object per series and line; `shares` only where they rank."""
    for number, (series, finding) in enumerate(zip(all_series, findings, strict=True)):
        identity = {
            "region": series.region,
            "metric": series.metric,
            "unit": series.unit,
            "configuration": series.configuration,
        }
        ranked = {"share": shares[number]} if shares else {}
        found = identity | finding_object(finding) | ranked
        click.echo(json.dumps(found, allow_nan=False))
