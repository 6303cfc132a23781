"""Guidelines between regions, f ⪯ g + h: stated, and checked at a commit.

They are checked wherever a machine measured all regions of one.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import nan
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.modelling import (
    Guideline,
    GuidelineCheck,
    check_guideline,
    parse_guideline,
)
from scalewatch.modelling.guidelines import violations
from scalewatch.services.access import audit
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.expectations import built_in
from scalewatch.services.regressions.effects import FARTHER
from scalewatch.services.selection.view import (
    View,
    choose_metric,
    is_chosen,
    key_of,
    shared,
)
from scalewatch.services.series.judged import Middles, Placed
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.judgements import guidelines


class GuidelineState(StrEnum):
    """How a guideline stands."""

    BROKEN = "broken"
    THREATENED = "will break"
    HOLDS = "holds"
    UNKNOWN = "not checked"


Concerned = TypeVar("Concerned", bound=Placed)


@dataclass(frozen=True, slots=True)
class Instance:
    """A guideline where a machine measured all of its regions.

    Parameters
    ----------
    sides
        Their series, by region.
    configuration
        Settings that tell it from others on this machine.
    """

    guideline: Guideline
    sides: Mapping[str, Placed]
    configuration: Mapping[str, Any]

    @property
    def shortcut(self) -> Placed:
        """The series that should not need more than the others."""
        return self.sides[self.guideline.region]


@dataclass(frozen=True, slots=True)
class CheckedGuideline:
    """A guideline on one machine in one configuration.

    Parameters
    ----------
    series
        That of the shortcut.
    configuration
        Settings that tell it from others on this machine.
    check
        None where it cannot be checked, for the reason given.
    reach
        The scale up to which models are asked; None where there are none.
    """

    guideline: Guideline
    series: int
    machine: str
    slot: int
    configuration: Mapping[str, Any]
    parameter: str
    check: GuidelineCheck | None
    reason: str | None
    reach: float | None = None

    @property
    def predicted_from(self) -> float | None:
        """The scale from which models break it, if that was not measured already."""
        if self.check is None or self.check.violated_from is None:
            return None
        measured = self.check.violated_at
        is_known = bool(measured) and measured[-1] >= self.check.violated_from
        return None if is_known else self.check.violated_from

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
    session: Session, project: tables.Project, regions: Iterable[str] | None = None
) -> Rules:
    """Return the declared rules, else those published about regions that exist.

    Parameters
    ----------
    regions
        Those that exist; None for all that are published.
    """
    declared = guidelines.newest(session, project.id)
    if declared is not None:
        rules = tuple(map(parse_guideline, declared.rules))
        return Rules(rules, True, declared.author, declared.reason)  # noqa: FBT003
    rules = tuple(map(parse_guideline, built_in.GUIDELINES))
    if regions is not None:
        known = set(regions)
        rules = tuple(each for each in rules if {each.region, *each.parts} <= known)
    return Rules(rules, False, "scalewatch", built_in.GUIDELINES_REASON)  # noqa: FBT003


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
    audit.note(session, "guidelines saved", project.name, f"version {version}")
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
    judged = commit.outlined([metric])
    rules = rules_of(session, project, (each.region for each in judged))
    shown = [
        each
        for each in judged
        if view.machine in {None, each.machine} and is_chosen(each, view.configuration)
    ]
    concerned = commit.whole(concerned_by(shown, rules.guidelines))
    instances = instances_of(concerned, rules.guidelines)
    series = sorted(series_of(instances))
    # Models of a metric are checked anew when one of them stands otherwise.
    checks = commit.kept(
        ("guidelines", [*map(str, rules.guidelines)], series),
        lambda: checks_of(instances, commit.medians(series) if series else {}),
        len,
        metrics=[metric],
    )
    return GuidelineReport(
        project=project.name,
        commit=commit_of(row),
        metric=metric,
        metrics=tuple(commit.metrics),
        rules=rules,
        checks=tuple(sorted(checks, key=lambda check: check.urgency)),
    )


def concerned_by(
    judged: Iterable[Concerned], rules: Sequence[Guideline]
) -> list[Concerned]:
    """Return the series of regions that guidelines are about."""
    named = {name for rule in rules for name in (rule.region, *rule.parts)}
    return [each for each in judged if each.region in named]


def instances_of(
    judged: Sequence[Placed], rules: Sequence[Guideline]
) -> list[Instance]:
    """Return guidelines wherever a machine measured all regions of one."""
    places: dict[tuple[Any, ...], dict[str, Placed]] = defaultdict(dict)
    for series in concerned_by(judged, rules):
        settings = key_of(series.configuration, sorted(series.configuration))
        places[series.machine, settings][series.region] = series
    configurations = defaultdict(list)
    for by_region in places.values():
        first = next(iter(by_region.values()))
        configurations[first.machine].append(first.configuration)
    common = {name: shared(settings) for name, settings in configurations.items()}
    return [
        _instance(rule, by_region, common[machine])
        for rule in rules
        for (machine, _), by_region in places.items()
        if {rule.region, *rule.parts} <= by_region.keys()
    ]


def series_of(instances: Iterable[Instance]) -> set[int]:
    """Return the ids of the series that guidelines are about."""
    return {
        each.series_id for instance in instances for each in instance.sides.values()
    }


def checks_of(
    instances: Iterable[Instance], middles: Mapping[int, Middles]
) -> tuple[CheckedGuideline, ...]:
    """Check guidelines by the models and the medians of their series."""
    return tuple(_checked(each, middles) for each in instances)


def is_broken(instance: Instance, middles: Mapping[int, Middles]) -> bool | None:
    """Tell whether a guideline is broken where measured; None where none can tell."""
    if _obstacle(instance.sides, middles) is not None:
        return None
    x, values = _scan(
        {name: middles[each.series_id].values for name, each in instance.sides.items()}
    )
    return bool(violations(instance.guideline, x, values))


def _instance(
    rule: Guideline, by_region: Mapping[str, Placed], common: Mapping[str, Any]
) -> Instance:
    sides = {name: by_region[name] for name in (rule.region, *rule.parts)}
    configuration = {
        name: value
        for name, value in sides[rule.region].configuration.items()
        if name not in common
    }
    return Instance(rule, sides, configuration)


def _checked(instance: Instance, middles: Mapping[int, Middles]) -> CheckedGuideline:
    shortcut, sides = instance.shortcut, instance.sides
    known = middles.get(shortcut.series_id)
    parameter = known.parameter if known else "p"
    check, reach, reason = None, None, _obstacle(sides, middles)
    if reason is None:
        x, values = _scan(
            {name: middles[each.series_id].values for name, each in sides.items()}
        )
        models = {name: each.standing.model for name, each in sides.items()}
        known_models = {name: model for name, model in models.items() if model}
        reach = FARTHER * max(x)
        try:
            check = _as_told(
                reach,
                check_guideline(
                    instance.guideline, x, values, known_models, parameter=parameter
                ),
                is_explained=all(each.standing.explaining for each in sides.values()),
            )
        except ModellingError as error:
            reason = str(error)
    return CheckedGuideline(
        guideline=instance.guideline,
        series=shortcut.series_id,
        machine=shortcut.machine,
        slot=shortcut.slot,
        configuration=instance.configuration,
        parameter=parameter,
        check=check,
        reason=reason,
        reach=reach,
    )


def _as_told(
    reach: float, check: GuidelineCheck, *, is_explained: bool
) -> GuidelineCheck:
    """Return a check without what models say that explain nothing, or too far out."""
    if not is_explained:
        return replace(check, violated_from=None, growth=None, allowed=None)
    if check.violated_from is None or check.violated_from <= reach:
        return check
    return replace(check, violated_from=None)


def _obstacle(
    sides: Mapping[str, Placed], middles: Mapping[int, Middles]
) -> str | None:
    """Say why a guideline cannot be checked, if so."""
    for name, series in sides.items():
        if series.series_id not in middles:
            return f"{name} has no result"
        if series.standing.model is None:
            return f"{name} has no model yet"
    parameters = {middles[each.series_id].parameter for each in sides.values()}
    if len(parameters) > 1:
        return "its regions were scanned over different parameters"
    return None


def _scan(
    measured: Mapping[str, Mapping[float, float]],
) -> tuple[list[float], dict[str, list[float]]]:
    """Return all settings, and the medians there by region; NaN where one lacks."""
    x = sorted(set().union(*measured.values()))
    return x, {
        name: [medians.get(at, nan) for at in x] for name, medians in measured.items()
    }
