"""Findings about files, printed as a table or as JSON Lines."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

import click
import numpy as np
from rich.console import Console

from scalewatch.cli.files import preview
from scalewatch.cli.files.efficiencies import MOST, headings_of, print_scalings
from scalewatch.cli.files.findings_table import FindingRow, at_text, print_table
from scalewatch.cli.files.options import ReadTerms
from scalewatch.errors import CompositionError, NotSplit
from scalewatch.exporters import findings as exported
from scalewatch.figures.notation import places_words
from scalewatch.importers import ImportedSeries, read_files
from scalewatch.modelling import Formula, Verdict
from scalewatch.modelling.splits import Split, SplitChoice
from scalewatch.services.analysis.questions import find_all, proposed, series_steps
from scalewatch.services.analysis.versions import compared_with
from scalewatch.services.efficiencies.scan import (
    ScalingTerms,
    ScanScaling,
    scalings_of,
)
from scalewatch.services.efficiencies.table import scaling_object
from scalewatch.services.files import model_files
from scalewatch.services.files.model_files import Question, SplitQuestion, splits_of
from scalewatch.wire import SIMULATED

WRONG_FORMULA: Final = 2
"""Exit code if a composed model cannot be computed, as of other wrong usage."""

UNREADABLE: Final = 3
"""Exit code if a file cannot be read; what the others hold is modelled."""

NO_MODEL: Final = 4
"""Exit code if no series could be modelled, nor its efficiency computed."""

MOST_FORECAST: Final = 100
"""Scans of which efficiencies are forecast beyond the largest size; or none."""


def answer(  # noqa: PLR0913 - the parts of a question about files
    files: Sequence[str],
    terms: ReadTerms,
    question: Question,
    *,
    since: Sequence[str],
    formulas: Mapping[str, Formula],
    split: SplitQuestion | None,
    scaling: ScalingTerms | None,
    as_json: bool,
) -> int:
    """Print what is found about the series of `files` and return the exit code.

    Parameters
    ----------
    since
        Files of an earlier version, in the same format.
    formulas
        Composed models by region.
    split
        Which split of cores is wanted, if any.
    scaling
        How efficiencies are told, which come first; None where growths are asked for.
    """
    progress = Console(stderr=True)
    with progress.status("Reading …"):
        reading = read_files(files, *terms)
        earlier = read_files(since, *terms)
        series = question.along(reading.series)
    preview.tell(reading, earlier)
    if earlier.series:
        question = replace(question, earlier=question.along(earlier.series))
    warn(series, question)
    with progress.status(f"Modelling {len(series)} series …"):
        scaled = scalings(series, question, scaling, headings_of(reading))
        rows = modelled(series, question, scaled)
    try:
        rows = _with_formulas(rows, formulas, question, split)
    except (CompositionError, NotSplit) as error:
        click.echo(f"Error: {error}", err=True)
        return WRONG_FORMULA
    if "exact" not in question.choices:
        _tell_single(rows)
    is_modelled = any(
        row.finding.model or row.composed or row.splits or row.scalings for row in rows
    )
    if question.ranking:
        rows = _ranked(rows, question.ranking)
    if as_json:
        print_lines(rows, question)
    elif rows:
        _print(rows, files)
        _print_details(rows, split)
    elif is_modelled and question.ranking:
        click.echo(f"no series scales worse than {question.ranking.threshold}")
    if reading.unreadable or earlier.unreadable:
        return UNREADABLE
    return 0 if is_modelled else NO_MODEL


def _print(rows: Sequence[FindingRow], files: Sequence[str]) -> None:
    """Print efficiencies first, of few scans each by itself, then growths."""
    console = Console(highlight=False)
    scaled = [row for row in rows if row.scalings]
    if sum(len(row.scalings) for row in scaled) > MOST:
        scaled = []
    print_scalings(scaled, files, console)
    others = [row for row in rows if not (scaled and row.scalings)]
    if scaled and others:
        click.echo()
    if others:
        print_table(others, console)


def _with_formulas(
    rows: Sequence[FindingRow],
    formulas: Mapping[str, Formula],
    question: Question,
    split: SplitQuestion | None,
) -> list[FindingRow]:
    """Return the rows with composed models and the best splits, where wanted."""
    rows = list(rows)
    series, findings = [row.series for row in rows], [row.finding for row in rows]
    if formulas:
        composed = model_files.composed_series(
            series,
            findings,
            formulas,
            **question.chosen("summary", "level"),
            targets=question.targets,
        )
        rows = [
            row._replace(composed=each)
            for row, each in zip(rows, composed, strict=True)
        ]
    if split is not None:
        choices = splits_of(series, findings, [row.better for row in rows], split)
        rows = [
            row._replace(splits=each) for row, each in zip(rows, choices, strict=True)
        ]
    return rows


def _ranked(
    rows: Sequence[FindingRow], ranking: model_files.Ranking
) -> list[FindingRow]:
    """Return the rows that cost, most expensive first; say which are left out."""
    if unranked := sum(row.finding.model is None for row in rows):
        subject = "1 series has" if unranked == 1 else f"{unranked} series have"
        click.echo(f"Warning: {subject} no model, hence no rank", err=True)
    costs = [row for row in rows if row.better == "lower"]
    if gains := len(rows) - len(costs):
        which = "1 series is" if gains == 1 else f"{gains} series are"
        click.echo(f"Note: {which} better higher, hence no cost and no rank", err=True)
    ranked = ranking.order(
        [row.series for row in costs], [row.finding for row in costs]
    )
    return [costs[each.region]._replace(share=each.share) for each in ranked]


def _print_details(rows: Sequence[FindingRow], split: SplitQuestion | None) -> None:
    """Print what stands below the table: simulations, composed models, splits."""
    machines = {str(row.series.configuration.get("machine", "")) for row in rows}
    for machine in sorted(each for each in machines if SIMULATED in each):
        click.echo(f"{machine}: not measured, and calibrated to no real machine")
    for row in rows:
        if row.composed is not None:
            click.echo(f"\n{row.series.region} = {row.composed.formula}")
            click.echo(f"  {exported.composed_words(row.composed)}")
            for words in exported.forecast_words(row.composed):
                click.echo(f"  {words}")
            if left_out := exported.left_out_words(row.composed):
                click.echo(f"  {left_out}")
    for row in rows:
        if row.splits:
            click.echo(f"\n{row.series.region}: best split of {split}")
            for choice in row.splits:
                click.echo(f"  {split_words(choice, row.series.unit or '')}")


def _tell_single(rows: Sequence[FindingRow]) -> None:
    """Say how whole numbers were taken that nobody repeated."""
    single = [
        row.series.region
        for row in rows
        if row.series.metric != "time"
        and row.finding.rule == model_files.DEFAULT_RULE
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
    for series in all_series:
        wholly = np.flatnonzero(np.isnan(series.values).all(axis=1))
        for failing, words in ((wholly, ""), (series.partly_failed, "in some runs ")):
            places = {
                tuple(zip(series.parameters, row, strict=True))
                for row in series.settings[[*failing]].tolist()
            }
            if places:
                click.echo(
                    f"Warning: {series.region} ({series.metric}) failed {words}at "
                    f"{places_words(places)}, and is modelled without",
                    err=True,
                )
    preview.tell_together(all_series)
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


def scalings(
    all_series: Sequence[ImportedSeries],
    question: Question,
    terms: ScalingTerms | None,
    headings: Mapping[str, str],
) -> list[list[ScanScaling]]:
    """Return the efficiency of each series' scans; none where nobody asks for it.

    Parameters
    ----------
    headings
        Names of columns by the scale that they hold.
    """
    if terms is None:
        return [[] for _ in all_series]
    return [
        scalings_of(each, question.direction(each), terms, headings=headings)
        for each in all_series
    ]


def modelled(
    all_series: Sequence[ImportedSeries],
    question: Question,
    scaled: Sequence[Sequence[ScanScaling]] = (),
) -> list[FindingRow]:
    """Return what is found about each series, in their order.

    Parameters
    ----------
    scaled
        Efficiency of each series, which is forecast where there are few of them.
    """
    questions = model_files.questions_of(all_series, question)
    scaled = scaled or [() for _ in all_series]
    wanted = [[each.target for each in scans if each.scaling] for scans in scaled]
    if sum(map(len, wanted)) > MOST_FORECAST:
        wanted = [[] for _ in all_series]
    findings = find_all(
        [
            replace(each, targets=[*each.targets, *further])
            for each, further in zip(questions, wanted, strict=True)
        ],
        question.choices,
    )
    rows = [
        FindingRow(
            series,
            replace(finding, forecasts=finding.forecasts[: len(each.targets)]),
            better=question.direction(series),
            scalings=[scan.with_forecasts(finding.forecasts) for scan in scans],
        )
        for series, finding, each, scans in zip(
            all_series, findings, questions, scaled, strict=True
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
    for row in rows:
        series, finding, share, proposal, compared, composed, better, splits, _ = row
        line = {
            "region": series.region,
            "metric": series.metric,
            "unit": series.unit,
            "configuration": series.configuration,
            **exported.finding_object(finding),
        }
        if finding.model is None:
            steps = series_steps(series)
            line["steps"] = [exported.step_object(step) for step in steps]
        if row.scalings:
            scaled = [scaling_object(each) for each in row.scalings]
            line |= {"scaling": scaled[0]} if len(scaled) == 1 else {"scalings": scaled}
        if question.ranking:
            line["share"] = share
        if question.proposes:
            line["next_measurement"] = proposal and exported.proposal_object(proposal)
        if compared is not None:
            line["better"] = better
            line["since"] = exported.comparison_object(compared)
        if composed is not None:
            line |= exported.composed_finding(composed)
        if splits:
            line["splits"] = [
                {
                    "total": choice.total,
                    "held": dict(choice.held),
                    "is_measured": choice.is_measured,
                    "is_sure": len(choice.splits) > 1 and choice.is_sure,
                    "splits": [
                        {
                            "at": dict(each.settings),
                            "value": each.value,
                            "low": each.low,
                            "high": each.high,
                        }
                        for each in choice.splits
                    ],
                }
                for choice in splits
            ]
        click.echo(json.dumps(line, allow_nan=False))


def split_words(choice: SplitChoice, unit: str) -> str:
    """Return the best split of a total, and how far the next one is off."""
    best, *others = choice.splits
    held = f" ({at_text(choice.held)})" if choice.held else ""
    words = f"at {choice.total:g}{held}: {_valued(best, unit)}"
    if not others:
        return f"{words}, the only one"
    words += f"; next {_valued(others[0], unit)}, {choice.gain:.0%} off"
    if not choice.is_measured:
        return f"{words}, as the model tells"
    if not choice.is_repeated:
        return f"{words}, of too few repetitions to be sure"
    return words if choice.is_sure else f"{words}, which is within the noise"


def _valued(split: Split, unit: str) -> str:
    return f"{at_text(split.settings)}, {split.value:.4g} {unit}".rstrip()
