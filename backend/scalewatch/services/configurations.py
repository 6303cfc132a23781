"""The search for the best configuration of a region, and for settings that matter."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice, product
from math import prod
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError, NotMeasured
from scalewatch.figures.axes import canvas
from scalewatch.figures.effects import (
    DrawnObjective,
    interaction_figure,
    main_effects_figure,
)
from scalewatch.figures.figure import Figure
from scalewatch.modelling import Effects, ScalingKind, Trial, effects_of
from scalewatch.services.commits.find import Commit
from scalewatch.services.regions.region import timed_region
from scalewatch.services.scaling_errors.scan import (
    SIZE,
    CodeScaling,
    ScalingQuestion,
    code_scalings,
)
from scalewatch.services.selection.view import View, is_chosen
from scalewatch.services.series.scans import Scan
from scalewatch.storage.access import projects
from scalewatch.texts.scales import RESOURCES, Scale, varied_scale


class Objective(StrEnum):
    """f₀: the quantity to be minimised."""

    AREA = "area"
    GROWTH = "growth"
    CORRELATION = "correlation"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class ConfigurationQuestion:
    """The search that is asked for: objective, constraints and space.

    Parameters
    ----------
    objective
        A divergence metric of the scaling error, or the time at a scale.
    kind
        Of scaling, for the divergence metrics.
    target
        Scale at which the time counts; the largest one measured unless given.
    size
        n at the smallest scale; the best measured one unless given.
    constraints
        bᵢ: the levels, as text, that a setting may have; others are left out.
    declared
        Levels, as text, that belong to the space whether measured or not.
    """

    objective: Objective = Objective.AREA
    kind: ScalingKind = ScalingKind.STRONG
    target: float | None = None
    size: float | None = None
    constraints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    declared: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def allows(self, settings: Mapping[str, Any]) -> bool:
        """Tell whether the constraints admit a configuration."""
        return all(
            str(settings[name]) in levels
            for name, levels in self.constraints.items()
            if name in settings
        )


MOST_MISSING: Final = 50
"""Configurations without runs that are listed."""


@dataclass(frozen=True, slots=True)
class TriedConfiguration:
    """A point x of the configuration space F, and its objective.

    Parameters
    ----------
    settings
        Those that vary over the space.
    value
        f₀(x); None where it cannot be told.
    reason
        Why, in words.
    """

    settings: Mapping[str, Any]
    value: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ConfigurationSearch:
    """The best configuration of a region, and the effects of its settings.

    Parameters
    ----------
    scale
        The parallel scale of its runs.
    space
        Levels of each setting that varies, measured or declared.
    tried
        The measured configurations, the best first and the unknown ones last.
    effects
        Which settings matter; None where too few configurations are known.
    reason
        Why, in words.
    missing, missing_count
        Configurations of the space without runs: some, and how many there are.
    """

    project: str
    region: str
    regions: tuple[str, ...]
    commit: Commit
    commits: tuple[Commit, ...]
    machine: str
    machines: tuple[str, ...]
    question: ConfigurationQuestion
    scale: Scale
    space: Mapping[str, tuple[str, ...]]
    tried: tuple[TriedConfiguration, ...]
    effects: Effects | None
    reason: str | None
    missing: tuple[Mapping[str, str], ...]
    missing_count: int

    @property
    def best(self) -> TriedConfiguration | None:
        """The best configuration, if any is known."""
        known = [each for each in self.tried if each.value is not None]
        return known[0] if known else None


def search_configurations(
    session: Session, view: View, region: str | None, question: ConfigurationQuestion
) -> ConfigurationSearch:
    """Return the best configuration of a region on a machine, and the effects.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit, the region or the machine is unknown or was not
        measured.
    """
    project = projects.existing(session, view.project)
    everything, regions = timed_region(session, view, region)
    machine = view.machine or everything.machines[0]
    if machine not in everything.machines:
        raise NotMeasured("machine", machine, at=everything.commit.label)
    scans = [
        scan
        for scan in everything.scans
        if scan.machine == machine and is_chosen(scan, view.configuration)
    ]
    tried = _tried(scans, question)
    space = _space(tried, question)
    effects, reason = None, None
    try:
        effects = effects_of(
            [
                Trial(each.settings, each.value)
                for each in tried
                if each.value is not None
            ]
        )
    except ModellingError as why:
        reason = str(why)
    known = {_key(each.settings) for each in tried}
    combined = product(*space.values())
    unknown = (
        settings
        for levels in combined
        if _key(settings := dict(zip(space, levels, strict=True))) not in known
    )
    return ConfigurationSearch(
        project=project.name,
        region=everything.region,
        regions=regions,
        commit=everything.commit,
        commits=everything.commits,
        machine=machine,
        machines=everything.machines,
        question=question,
        scale=_scale(scans),
        space=space,
        tried=tried,
        effects=effects,
        reason=reason,
        missing=tuple(islice(unknown, MOST_MISSING)),
        missing_count=prod(map(len, space.values())) - len(known),
    )


def _scale(scans: Sequence[Scan]) -> Scale:
    taken = [each.coordinate for scan in scans for each in scan.measurements]
    return varied_scale(taken) or RESOURCES["p"]


def _tried(
    scans: Sequence[Scan], question: ConfigurationQuestion
) -> tuple[TriedConfiguration, ...]:
    """Return all configurations that the constraints admit, with their objectives."""
    of_scaling = ScalingQuestion(kind=question.kind, size=question.size)
    measured = []
    for scan in scans:
        for scaling in code_scalings(scan, of_scaling):
            settings = {**scaling.configuration, **scaling.held}
            if question.allows(settings):
                measured.append((settings, *_objective(scan, scaling, question)))
    names = dict.fromkeys(name for settings, *_ in measured for name in settings)
    varying = [
        name
        for name in names
        if len({repr(settings.get(name)) for settings, *_ in measured}) > 1
        or name in question.declared
    ]
    tried = [
        TriedConfiguration(
            {name: settings.get(name) for name in varying}, value, reason
        )
        for settings, value, reason in measured
    ]
    return tuple(
        sorted(tried, key=lambda trial: (trial.value is None, trial.value or 0.0))
    )


def _objective(
    scan: Scan, scaling: CodeScaling, question: ConfigurationQuestion
) -> tuple[float | None, str | None]:
    """Return f₀, or why it cannot be told."""
    if question.objective is Objective.TIME:
        return _time(scan, scaling, question)
    for known in scaling.divergences:
        if known.metric.value == question.objective.value:
            return known.value, known.reason if known.value is None else None
    return None, scaling.reason


def _time(
    scan: Scan, scaling: CodeScaling, question: ConfigurationQuestion
) -> tuple[float | None, str | None]:
    """Return the time at the target scale: measured, else as the model predicts."""
    if not scaling.scales or scaling.scale is None:
        return None, scaling.reason
    target, scale = question.target or max(scaling.scales), scaling.scale.name
    at = {scale: target, **scaling.held}
    if scaling.size is not None:
        at[SIZE] = question.size or scaling.size
    measured = [
        each.middle
        for each in scan.measurements
        if each.middle is not None
        and all(each.coordinate.get(name) == value for name, value in at.items())
    ]
    if measured:
        return min(measured), None
    model = scan.standing.explaining
    if model is None:
        return (
            None,
            scan.standing.reason or f"no run at {scale} = {target:g}, and no model",
        )
    try:
        return float(model({name: float(value) for name, value in at.items()})), None
    except ModellingError as why:
        return None, str(why)


def _space(
    tried: Sequence[TriedConfiguration], question: ConfigurationQuestion
) -> dict[str, tuple[str, ...]]:
    """Return the levels of all settings that vary or are declared, as text."""
    names = {name for each in tried for name in each.settings} | set(question.declared)
    space = {}
    for name in sorted(names):
        measured = {str(each.settings.get(name)) for each in tried}
        levels = measured.union(question.declared.get(name, ()))
        if name in question.constraints:
            levels = levels.intersection(question.constraints[name])
        space[name] = tuple(sorted(levels, key=_rank))
    return space


def _rank(level: str) -> tuple[bool, float, str]:
    """Return the sort key of a level: numbers first, by size."""
    try:
        return (False, float(level), "")
    except ValueError:
        return (True, 0.0, level)


def _key(settings: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, str(value)) for name, value in settings.items()))


def objective_name(question: ConfigurationQuestion, scale: Scale) -> str:
    """Return the name of the objective, for an axis."""
    if question.objective is Objective.TIME:
        at = "the largest scale"
        if question.target is not None:
            at = scale.counted(question.target)
        return f"time at {at}"
    return f"divergence of {question.kind} scaling ({question.objective})"


def objective_unit(question: ConfigurationQuestion) -> str:
    """Return the unit of the objective; empty where it has none."""
    return "s" if question.objective is Objective.TIME else ""


def _main_effects(shown: ConfigurationSearch) -> Figure:
    if shown.effects is None:
        return canvas()
    return main_effects_figure(shown.effects, _drawn(shown))


def _interaction(shown: ConfigurationSearch) -> Figure:
    if shown.effects is None or not shown.effects.interactions:
        return canvas()
    return interaction_figure(shown.effects.interactions[0], _drawn(shown))


def _drawn(shown: ConfigurationSearch) -> DrawnObjective:
    question = shown.question
    return DrawnObjective(
        objective_name(question, shown.scale), objective_unit(question)
    )


FIGURES: Final[Mapping[str, Callable[[ConfigurationSearch], Figure]]] = {
    "interaction": _interaction,
    "main-effects": _main_effects,
}
