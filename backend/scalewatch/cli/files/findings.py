"""Findings about files, printed as a table or as JSON Lines."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

import click
import numpy as np
from rich.console import Console

from scalewatch.cli.files.compositions import (
    WRONG_FORMULA,
    compositions_of,
    print_compositions,
)
from scalewatch.cli.files.findings_columns import FindingRow
from scalewatch.cli.files.findings_table import print_table
from scalewatch.cli.files.preview import show, tell, tell_together
from scalewatch.cli.files.splits import print_splits, split_object
from scalewatch.errors import CompositionError, NotSplit
from scalewatch.exporters.findings import (
    comparison_object,
    composed_finding,
    finding_object,
    proposal_object,
    step_object,
)
from scalewatch.importers import ImportedSeries, SettingRules, read_files
from scalewatch.modelling import Formula, Verdict
from scalewatch.services.analysis.questions import find_all, proposed, series_steps
from scalewatch.services.analysis.versions import compared_with
from scalewatch.services.files.model_files import (
    DEFAULT_RULE,
    Question,
    questions_of,
)
from scalewatch.services.files.splits import SplitQuestion, splits_of
from scalewatch.wire import SIMULATED
from scalewatch.wire.directions import Direction

UNREADABLE: Final = 3
"""Exit code if a file cannot be read; what the others hold is modelled."""

NO_MODEL: Final = 4
"""Exit code if no series could be modelled."""


def answer(  # noqa: PLR0913 - the parts of a question about files
    files: Sequence[str],
    file_format: str,
    columns: Mapping[str, Sequence[str]],
    question: Question,
    *,
    rules: Mapping[str, SettingRules] | None = None,
    since: Sequence[str] = (),
    formulas: Mapping[str, Formula] | None = None,
    split: SplitQuestion | None = None,
    as_json: bool,
) -> int:
    """Print what is found about the series of `files` and return the exit code.

    Parameters
    ----------
    rules
        Where settings come from, by format.
    since
        Files of an earlier version, in the same format.
    formulas
        Composed models by region.
    split
        Which split of cores is wanted, if any.
    """
    progress = Console(stderr=True)
    with progress.status("Reading …"):
        reading = read_files(files, file_format, columns, rules)
        earlier = read_files(since, file_format, columns, rules)
        series = reading.series
    unreadable = [*reading.unreadable, *earlier.unreadable]
    tell(reading, earlier)
    if earlier.series:
        question = replace(question, earlier=earlier.series)
    warn(series, question)
    with progress.status(f"Modelling {len(series)} series …"):
        rows = modelled(series, question)
    try:
        rows = compositions_of(rows, formulas or {}, question)
        rows = _with_splits(rows, split)
    except (CompositionError, NotSplit) as error:
        click.echo(f"Error: {error}", err=True)
        return WRONG_FORMULA
    if "exact" not in question.choices:
        _tell_single(rows)
    is_modelled = any(row.finding.model or row.composed or row.splits for row in rows)
    if ranking := question.ranking:
        if unranked := sum(row.finding.model is None for row in rows):
            subject = "1 series has" if unranked == 1 else f"{unranked} series have"
            click.echo(f"Warning: {subject} no model, hence no rank", err=True)
        rows = _costs(rows)
        ranked = ranking.order(
            [row.series for row in rows], [row.finding for row in rows]
        )
        rows = [rows[each.region]._replace(share=each.share) for each in ranked]
    if as_json:
        print_lines(rows, question)
    elif rows:
        _print_tables(rows, split)
    elif is_modelled and ranking:
        click.echo(f"no series scales worse than {ranking.threshold}")
    if unreadable:
        return UNREADABLE
    return 0 if is_modelled else NO_MODEL


def _costs(rows: Sequence[FindingRow]) -> list[FindingRow]:
    """Return rows of what is better low, and say which are left out."""
    costs = [row for row in rows if row.better == "lower"]
    if gains := len(rows) - len(costs):
        which = "1 series is" if gains == 1 else f"{gains} series are"
        click.echo(f"Note: {which} better higher, hence no cost and no rank", err=True)
    return costs


def _print_tables(rows: Sequence[FindingRow], split: SplitQuestion | None) -> None:
    print_table(rows, Console(highlight=False))
    machines = {str(row.series.configuration.get("machine", "")) for row in rows}
    for machine in sorted(each for each in machines if SIMULATED in each):
        click.echo(f"{machine}: not measured, and calibrated to no real machine")
    print_compositions(rows)
    if split is not None:
        print_splits(rows, split)


def _with_splits(
    rows: Sequence[FindingRow], split: SplitQuestion | None
) -> list[FindingRow]:
    if split is None:
        return list(rows)
    choices = splits_of(
        [row.series for row in rows],
        [row.finding for row in rows],
        [row.better for row in rows],
        split,
    )
    return [row._replace(splits=each) for row, each in zip(rows, choices, strict=True)]


def preview(
    files: Sequence[str],
    file_format: str,
    columns: Mapping[str, Sequence[str]],
    rules: Mapping[str, SettingRules],
    better: Mapping[str, Direction],
) -> int:
    """Print what the files hold and return the exit code."""
    reading = read_files(files, file_format, columns, rules)
    tell(reading)
    show(reading, better)
    return UNREADABLE if reading.unreadable else 0


def _tell_single(rows: Sequence[FindingRow]) -> None:
    """Say how whole numbers were taken that nobody repeated."""
    single = [
        row.series.region
        for row in rows
        if row.series.metric != "time"
        and row.finding.rule == DEFAULT_RULE
        and row.finding.repetitions == 1
        and (np.nan_to_num(row.series.values) % 1 == 0).all()
    ]
    if single:
        more = f" and {len(single) - 1} more" if len(single) > 1 else ""
        click.echo(
            f"Note: {single[0]}{more}: whole numbers, one repetition each, taken as "
            "measured with noise; --exact takes them as exact counts",
            err=True,
        )


def warn(all_series: Sequence[ImportedSeries], question: Question) -> None:
    """Say which parts of the question are about no series, or about two parameters."""
    tell_together(all_series)
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
            target_text = ",".join(target)
            needed = " or ".join(sorted({",".join(names) for names in varied}))
            click.echo(f"Warning: a target needs {needed}, not {target_text}", err=True)


def modelled(
    all_series: Sequence[ImportedSeries], question: Question
) -> list[FindingRow]:
    """Return what is found about each series, in their order."""
    questions = questions_of(all_series, question)
    rows = [
        FindingRow(series, finding, better=question.direction(series))
        for series, finding in zip(
            all_series, find_all(questions, question.choices), strict=True
        )
    ]
    if question.earlier is not None:
        compared = compared_with(
            question.earlier, all_series, questions, **question.chosen("level")
        )
        rows = [
            row._replace(compared=each)
            for row, each in zip(rows, compared, strict=True)
        ]
    if not question.proposes:
        return rows
    return [
        row._replace(proposal=proposed(each, row.series.metric, row.series.unit))
        if row.finding.verdict is Verdict.UNDECIDED
        else row
        for row, each in zip(rows, questions, strict=True)
    ]


def print_lines(rows: Sequence[FindingRow], question: Question) -> None:
    """Print one JSON object per series and line, with what was asked for besides."""
    for series, finding, share, proposal, compared, composed, better, splits in rows:
        line = {
            "region": series.region,
            "metric": series.metric,
            "unit": series.unit,
            "configuration": series.configuration,
            **finding_object(finding),
        }
        if finding.model is None:
            steps = series_steps(series, series.unit)
            line["steps"] = [step_object(step) for step in steps]
        if question.ranking:
            line["share"] = share
        if question.proposes:
            line["next_measurement"] = proposal and proposal_object(proposal)
        if compared is not None:
            line["better"] = better
            line["since"] = comparison_object(compared)
        if composed is not None:
            line |= composed_finding(composed)
        if splits:
            line["splits"] = list(map(split_object, splits))
        click.echo(json.dumps(line, allow_nan=False))
