"""The gate of files, offline: read both versions, find what is worse, answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
from rich.console import Console

from scalewatch.cli.files import preview
from scalewatch.cli.files.findings import warn
from scalewatch.cli.files.options import ReadTerms
from scalewatch.cli.project_file import FILE, declarations, gate_rules
from scalewatch.errors import BadExpression, ScalewatchError
from scalewatch.importers import ImportedSeries, Reading, read_files
from scalewatch.modelling import parse_declared
from scalewatch.services.analysis.versions import in_units_of
from scalewatch.services.files.commits import (
    NEWEST,
    NOWHERE,
    FileCommits,
    by_commit,
    comparable,
)
from scalewatch.services.files.histories import FileHistory
from scalewatch.services.files.model_files import Question, Stated
from scalewatch.services.gates.files import gate_of_files, sides_of
from scalewatch.services.gates.rules import FileRules, GateRule

RULES: Final = ("mismatch", "new_mismatch", "growth", "constant", "missing")


class NotTold(ScalewatchError):
    """Nobody can tell: the files hold nothing to be judged."""


class _Version(NamedTuple):
    """A version of files, its name and, if they know it, its commit."""

    label: str
    commit: str | None
    series: Sequence[ImportedSeries]


class Answer(NamedTuple):
    """The answer in the form of a server's, and whether all files could be read."""

    content: Mapping[str, Any]
    is_whole: bool


def gate_files(  # noqa: PLR0913 - the parts of a question about files
    files: Sequence[str],
    terms: ReadTerms,
    question: Question,
    *,
    stated: Mapping[str, Any],
    commit: str | None,
    baseline: str | None,
) -> Answer:
    """Return whether what files hold may pass.

    Parameters
    ----------
    stated
        What `scalewatch.toml` says of expectations, rules and names.
    commit
        Of those that the files tell of; the newest one unless given.
    baseline
        Files of an earlier version, or a commit of the same ones; by default the
        commit before, if the files tell of several.

    Raises
    ------
    NotTold, UnknownCommit, UnknownOrder
        If there is nothing to be judged, no such commit, or no order of them.
    """
    is_of_newest = commit is None and (baseline is None or Path(baseline).exists())
    reading = _read(files, terms, NEWEST if is_of_newest else None)
    readings = [reading]
    commits = by_commit(reading.scans)
    named = commits.chosen(commit)
    label = commit or (", ".join(files) if len(files) < 3 else f"{len(files)} files")
    version = partial(_version, stated.get("aliases", {}))
    now = version(commits, named, label)
    if not now.series:
        raise NotTold(f"{label} holds no measurements")
    before, its, base = None, commits, None
    if baseline is not None and Path(baseline).exists():
        readings.append(earlier := _read([baseline], terms, NEWEST))
        its = by_commit(earlier.scans)
        base = its.chosen(None)
        before = version(its, base, baseline)
    elif baseline is not None:
        if named is None:
            raise NotTold(f"there is no file {baseline}, and the files know no commit")
        base = commits.chosen(baseline)
        before = version(commits, base, baseline)
    elif named is not None and (base := commits.before(named)) is not None:
        before = version(commits, base, base)
    relation = None if baseline or before is None else "the commit before it here"
    question = _with_expectations(question, stated)
    warn(now.series, question)
    gate = gate_of_files(
        sides_of(now.series, question),
        sides_of(in_units_of(before.series, now.series), question) if before else None,
        _rules(stated),
        lambda series: question.direction(series) == "lower",
        before.label if before else None,
        FileHistory(
            before=[version(its, each, each).series for each in its.up_to(base)],
            runs=[version(each, named, label).series for each in commits.runs(named)],
            later=[
                version(commits, each, each).series for each in commits.after(named)
            ],
        )
        if base is not None
        else None,
    )
    # A server alone knows machines and forecasts.
    nowhere = {"machine": None, "commits": None, "at_target": None}
    content = {
        "project": stated.get("project") or "files",
        "commit": {"sha": now.commit, "tag": now.label},
        "baseline": {"sha": before.commit, "tag": before.label} if before else None,
        "relation": relation,
        "outcome": gate.outcome,
        "sentence": gate.sentence,
        "findings": [{**asdict(each), **nowhere} for each in gate.findings],
        "next_step": None,
        "confirmations": [],
        "counts": gate.counts,
        "series": [asdict(each) for each in gate.series],
    }
    return Answer(content, not any(each.unreadable for each in readings))


def _read(files: Sequence[str], terms: ReadTerms, newest: int | None) -> Reading:
    """Read files, at most their newest commits, and say what cannot be read."""
    with Console(stderr=True).status("Reading …"):
        reading = read_files(files, *terms, newest=newest)
    preview.tell(reading)
    return reading


def _version(
    aliases: Mapping[str, str],
    commits: FileCommits,
    commit: str | None,
    label: str,
) -> _Version:
    """Return the series of a commit by the present names of their regions."""
    held = commits.scans.get(commit or NOWHERE)
    series = [
        replace(each, region=aliases.get(each.region, each.region))
        for each in (comparable(held.series()) if held else ())
    ]
    return _Version(commit[:12] if commit else label, commit, series)


def _with_expectations(question: Question, stated: Mapping[str, Any]) -> Question:
    """Return a question with expectations of the file, before those of options."""
    growths: list[Stated] = []
    limits: list[Stated] = []
    file = Path(FILE)
    for declared in declarations(stated.get("expectations", {}), file):
        pattern = f"{declared['region']}:{declared.get('metric', 'time')}"
        if declared.get("formula"):
            click.echo(
                f"Note: a formula is expected of {declared['region']}, which the gate "
                "of a server judges, or scalewatch model --compose",
                err=True,
            )
            continue
        for key, listed in (("growth", growths), ("deviation_limit", limits)):
            if declared.get(key) is None:
                continue
            try:
                listed.append(Stated(pattern, parse_declared(declared[key])))
            except BadExpression as error:
                raise click.UsageError(
                    f"{file}: {declared['region']}: {error}"
                ) from None
    return replace(
        question,
        expectations=[*growths, *question.expectations],
        deviation_limits=[*limits, *question.deviation_limits],
    )


def _rules(stated: Mapping[str, Any]) -> FileRules:
    declared = gate_rules(stated.get("gate", {}), Path(FILE))
    general = {name: declared[name] for name in RULES if name in declared}
    rule = GateRule(**general)
    return FileRules(
        rule,
        {
            region: replace(rule, **{k: v for k, v in each.items() if k in RULES})
            for region, each in declared["regions"].items()
        },
        declared.get("smallest_effect", 0.0),
    )
