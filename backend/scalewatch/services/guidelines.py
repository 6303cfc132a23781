"""Guidelines of a project: state them, and check them at a commit."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import nan
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.modelling import (
    Guideline,
    GuidelineCheck,
    Model,
    check_guideline,
    parse_guideline,
)
from scalewatch.services import audit, published
from scalewatch.services.commits import Commit, commit_of, find_commit
from scalewatch.services.configurations import is_chosen, key_of, shared
from scalewatch.services.judged import Placed, judged_at
from scalewatch.services.middles import Middles, middles_at
from scalewatch.services.scans import choose_metric
from scalewatch.services.views import View
from scalewatch.storage import guidelines, measurements, projects, tables


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


class GuidelineState(StrEnum):
    """How a guideline stands."""

    BROKEN = "broken"
    THREATENED = "will break"
    HOLDS = "holds"
    UNKNOWN = "not checked"


@dataclass(frozen=True, slots=True)
class CheckedGuideline:
    """A guideline on one machine in one configuration.

    Parameters
    ----------
    series
        That of the shortcut.
    configuration
        What tells it from others on this machine.
    check
        None where it cannot be checked, for the reason given.
    """

    guideline: Guideline
    series: int
    machine: str
    slot: int
    configuration: Mapping[str, Any]
    parameter: str
    check: GuidelineCheck | None
    reason: str | None

    @property
    def state(self) -> GuidelineState:
        """Whether it is broken where measured, by the models only, or not at all."""
        if self.check is None:
            return GuidelineState.UNKNOWN
        if self.check.violated_at:
            return GuidelineState.BROKEN
        return GuidelineState.HOLDS if self.check.holds else GuidelineState.THREATENED

    @property
    def urgency(self) -> tuple[int, float]:
        """Order what is violated now first, then what will be soonest."""
        rank = list(GuidelineState).index(self.state)
        if self.check is None or self.check.violated_from is None:
            return rank, 0.0
        return rank, self.check.violated_from


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
    """Return what is declared, else what is published about regions that exist."""
    declared = guidelines.newest(session, project.id)
    if declared is not None:
        rules = tuple(map(parse_guideline, declared.rules))
        return Rules(rules, True, declared.author, declared.reason)  # noqa: FBT003
    known = set(regions)
    usual = map(parse_guideline, published.GUIDELINES)
    rules = tuple(each for each in usual if {each.region, *each.parts} <= known)
    return Rules(rules, False, "scalewatch", published.GUIDELINES_REASON)  # noqa: FBT003


def possible_rules(session: Session, project: tables.Project) -> tuple[Guideline, ...]:
    """Return what is declared, else all that is published."""
    usual = map(parse_guideline, published.GUIDELINES)
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
    metrics = measurements.metrics_at_commit(session, row.id)
    metric = choose_metric(metrics, view.metric)
    judged = judged_at(session, project, row, [metric])
    rules = rules_of(session, project, (each.region for each in judged))
    shown = [
        each
        for each in judged
        if view.machine in {None, each.machine} and is_chosen(each, view.configuration)
    ]
    checks = checks_at(session, row.id, shown, rules.guidelines)
    return GuidelineReport(
        project=project.name,
        commit=commit_of(row),
        metric=metric,
        metrics=tuple(metrics),
        rules=rules,
        checks=tuple(sorted(checks, key=lambda each: each.urgency)),
    )


def checks_at(
    session: Session,
    commit_id: int,
    judged: Sequence[Placed],
    rules: Sequence[Guideline],
) -> list[CheckedGuideline]:
    """Check guidelines wherever a machine measured all regions of one."""
    known = {each.region for each in judged}
    rules = [rule for rule in rules if {rule.region, *rule.parts} <= known]
    if not rules:
        return []
    named = {name for rule in rules for name in (rule.region, *rule.parts)}
    concerned = [each for each in judged if each.region in named]
    middles = middles_at(session, commit_id, [each.series_id for each in concerned])
    places: dict[tuple[Any, ...], dict[str, Placed]] = defaultdict(dict)
    for each in concerned:
        settings = key_of(each.configuration, sorted(each.configuration))
        places[each.machine, settings][each.region] = each
    own = defaultdict(list)
    for by_region in places.values():
        first = next(iter(by_region.values()))
        own[first.machine].append(first.configuration)
    return [
        _checked(rule, by_region, middles, shared(own[machine]))
        for rule in rules
        for (machine, _), by_region in places.items()
        if {rule.region, *rule.parts} <= by_region.keys()
    ]


def _checked(
    rule: Guideline,
    by_region: Mapping[str, Placed],
    middles: Mapping[int, Middles],
    common: Mapping[str, Any],
) -> CheckedGuideline:
    sides = {name: by_region[name] for name in (rule.region, *rule.parts)}
    shortcut = sides[rule.region]
    known = middles.get(shortcut.series_id)
    parameter = known.parameter if known else "p"
    check, reason = None, _obstacle(sides, middles)
    if reason is None:
        measured = {
            name: middles[each.series_id].values for name, each in sides.items()
        }
        models = {name: each.standing.model for name, each in sides.items()}
        try:
            check = _check(
                rule,
                parameter,
                tuple(
                    (name, tuple(values.items())) for name, values in measured.items()
                ),
                tuple((name, model) for name, model in models.items() if model),
            )
        except ModellingError as error:
            reason = str(error)
    configuration = {
        name: value
        for name, value in shortcut.configuration.items()
        if name not in common
    }
    return CheckedGuideline(
        guideline=rule,
        series=shortcut.series_id,
        machine=shortcut.machine,
        slot=shortcut.slot,
        configuration=configuration,
        parameter=parameter,
        check=check,
        reason=reason,
    )


def _obstacle(
    sides: Mapping[str, Placed], middles: Mapping[int, Middles]
) -> str | None:
    """Say why a guideline cannot be checked, if so."""
    for name, each in sides.items():
        if each.series_id not in middles:
            return f"{name} has no result"
        if each.standing.model is None:
            return f"{name} has no model yet"
    parameters = {middles[each.series_id].parameter for each in sides.values()}
    if len(parameters) > 1:
        return "its regions were scanned over different parameters"
    return None


@lru_cache(maxsize=8192)
def _check(
    rule: Guideline,
    parameter: str,
    measured: tuple[tuple[str, tuple[tuple[float, float], ...]], ...],
    models: tuple[tuple[str, Model], ...],
) -> GuidelineCheck:
    """Check once what every page of a commit shows again."""
    values = {name: dict(points) for name, points in measured}
    x = sorted(set().union(*values.values()))
    return check_guideline(
        rule,
        x,
        {name: [points.get(at, nan) for at in x] for name, points in values.items()},
        dict(models),
        parameter=parameter,
    )
