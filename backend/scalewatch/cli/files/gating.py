"""The gate of files, offline: read both versions, find what is worse, answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

import click
from rich.console import Console

from scalewatch.cli.files.findings import warn
from scalewatch.cli.files.preview import tell
from scalewatch.cli.project_file import FILE, declarations, gate_rules
from scalewatch.errors import BadExpression, ScalewatchError
from scalewatch.importers import ImportedSeries, Reading, SettingRules, read_files
from scalewatch.modelling import parse_declared
from scalewatch.services.files.commits import by_commit, chosen, comparable
from scalewatch.services.files.model_files import Question, Stated
from scalewatch.services.gates.files import FileGate, gate_of_files, sides_of
from scalewatch.services.gates.rules import FileRules, GateRule

RULES: Final = ("mismatch", "new_mismatch", "growth", "constant", "missing")


class NotTold(ScalewatchError):
    """Nobody can tell: the files hold nothing to be judged."""


class Reader(NamedTuple):
    """How files are read."""

    file_format: str
    columns: Mapping[str, Sequence[str]]
    rules: Mapping[str, SettingRules]

    def read(self, files: Sequence[str]) -> Reading:
        """Read files and say what cannot be read."""
        with Console(stderr=True).status("Reading …"):
            reading = read_files(files, *self)
        tell(reading)
        return reading


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
    reader: Reader,
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
    NotTold, UnknownCommit
        If there is nothing to be judged, or no such commit.
    """
    reading = reader.read(files)
    readings = [reading]
    commits = by_commit(reading.scans)
    named = chosen(list(commits), commit)
    label = commit or (", ".join(files) if len(files) < 3 else f"{len(files)} files")
    now = _version(commits, named, label)
    if not now.series:
        raise NotTold(f"{label} holds no measurements")
    before = None
    if baseline is not None and Path(baseline).exists():
        readings.append(earlier := reader.read([baseline]))
        its = by_commit(earlier.scans)
        before = _version(its, chosen(list(its), None), baseline)
    elif baseline is not None:
        if named is None:
            raise NotTold(f"there is no file {baseline}, and the files know no commit")
        before = _version(commits, chosen(list(commits), baseline), baseline)
    elif named is not None and (past := list(commits)[: list(commits).index(named)]):
        before = _version(commits, past[-1], past[-1])
    relation = None if baseline or before is None else "the commit before it here"
    aliases = stated.get("aliases", {})
    question = _with_expectations(question, stated)
    now = now._replace(series=_renamed(now.series, aliases))
    if before is not None:
        before = before._replace(series=_renamed(before.series, aliases))
    warn(now.series, question)
    gate = _judged(now, before, question, _rules(stated))
    content = _content(gate, now, before, relation, stated.get("project"))
    return Answer(content, not any(each.unreadable for each in readings))


def _version(commits: Mapping[str, Any], commit: str | None, label: str) -> _Version:
    held = commits.get(commit or "")
    series = comparable(held.series()) if held else []
    return _Version(commit[:12] if commit else label, commit, series)


def _judged(
    now: _Version, before: _Version | None, question: Question, rules: FileRules
) -> FileGate:
    return gate_of_files(
        sides_of(now.series, question),
        sides_of(before.series, question) if before else None,
        rules,
        lambda series: question.direction(series) == "lower",
        before.label if before else None,
    )


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


def _renamed(
    all_series: Sequence[ImportedSeries], aliases: Mapping[str, str]
) -> Sequence[ImportedSeries]:
    """Return series by the present names of their regions."""
    return [
        replace(each, region=aliases.get(each.region, each.region))
        for each in all_series
    ]


def _content(
    gate: FileGate,
    now: _Version,
    before: _Version | None,
    relation: str | None,
    project: str | None,
) -> Mapping[str, Any]:
    """Return the answer in the form in which a server gives its own."""
    # A server alone knows machines and forecasts.
    nowhere = {"machine": None, "commits": None, "at_target": None}
    return {
        "project": project or "files",
        "commit": {"sha": now.commit, "tag": now.label},
        "baseline": {"sha": before.commit, "tag": before.label} if before else None,
        "relation": relation,
        "outcome": gate.outcome,
        "sentence": gate.sentence,
        "findings": [{**asdict(each), **nowhere} for each in gate.findings],
        "next_step": None,
        "confirmations": [],
        "counts": gate.counts,
    }
