"""Guidelines of a project: state them, and show how they hold at a commit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from scalewatch.modelling import Guideline, parse_guideline
from scalewatch.services.access import audit
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.expectations import built_in
from scalewatch.services.guidelines.checks import CheckedGuideline, checks_at
from scalewatch.services.selection.view import View, choose_metric, is_chosen
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.judgements import guidelines


@dataclass(frozen=True, slots=True)
class Rules:
    """The guidelines of a project.

    Parameters
    ----------
    is_declared
        Whether somebody stated them; else they are those published for its suites.
    """

    guidelines: tuple[Guideline, ...]
    is_declared: bool
    author: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class GuidelineReport:
    """The guidelines of a project at a commit, worst first."""

    project: str
    commit: Commit
    metric: str
    metrics: tuple[str, ...]
    rules: Rules
    checks: tuple[CheckedGuideline, ...]


def rules_of(
    session: Session, project: tables.Project, regions: Iterable[str]
) -> Rules:
    """Return the declared rules, else those published about regions that exist."""
    declared = guidelines.newest(session, project.id)
    if declared is not None:
        rules = tuple(map(parse_guideline, declared.rules))
        return Rules(rules, True, declared.author, declared.reason)  # noqa: FBT003
    known = set(regions)
    usual = map(parse_guideline, built_in.GUIDELINES)
    rules = tuple(each for each in usual if {each.region, *each.parts} <= known)
    return Rules(rules, False, "scalewatch", built_in.GUIDELINES_REASON)  # noqa: FBT003


def possible_rules(session: Session, project: tables.Project) -> tuple[Guideline, ...]:
    """Return the declared rules, else all that are published."""
    usual = map(parse_guideline, built_in.GUIDELINES)
    named = {name for rule in usual for name in (rule.region, *rule.parts)}
    return rules_of(session, project, named).guidelines


def declare(
    session: Session,
    project_name: str,
    rules: Sequence[str],
    *,
    author: str,
    reason: str | None,
) -> int:
    """State the guidelines of a project in place of those before; return the version.

    Raises
    ------
    NotFound
        If there is no such project.
    BadExpression
        If one of them cannot be read.
    """
    project = projects.existing(session, project_name)
    projects.lock(session, project.id)
    normal = list(dict.fromkeys(str(parse_guideline(rule)) for rule in rules))
    version = guidelines.add(session, project.id, normal, author=author, reason=reason)
    audit.note(session, "guidelines declared", project.name, f"version {version}")
    return version


def guidelines_at(session: Session, view: View) -> GuidelineReport:
    """Return how the guidelines of a project hold at a commit, worst first.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit or the metric is unknown.
    """
    project = projects.existing(session, view.project)
    row = find_commit(session, project, view.commit)
    commit = CommitSnapshot.of(session, row)
    metric = choose_metric(commit.metrics, view.metric)
    judged = commit.judged([metric])
    rules = rules_of(session, project, (each.region for each in judged))
    shown = [
        each
        for each in judged
        if view.machine in {None, each.machine} and is_chosen(each, view.configuration)
    ]
    checks = checks_at(commit, shown, rules.guidelines)
    return GuidelineReport(
        project=project.name,
        commit=commit_of(row),
        metric=metric,
        metrics=tuple(commit.metrics),
        rules=rules,
        checks=tuple(sorted(checks, key=lambda check: check.urgency)),
    )
