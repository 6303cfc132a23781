"""Check guidelines wherever a machine measured all regions of one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from math import nan
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError
from scalewatch.modelling import Guideline, GuidelineCheck, Model, check_guideline
from scalewatch.modelling.guidelines import violations
from scalewatch.services.configurations import key_of, shared
from scalewatch.services.judged import Placed
from scalewatch.services.middles import Middles, middles_at


class GuidelineState(StrEnum):
    """How a guideline stands."""

    BROKEN = "broken"
    THREATENED = "will break"
    HOLDS = "holds"
    UNKNOWN = "not checked"


@dataclass(frozen=True, slots=True)
class Instance:
    """A guideline where a machine measured all of its regions.

    Parameters
    ----------
    sides
        Their series, by region.
    configuration
        What tells it from others on this machine.
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


def checks_at(
    session: Session,
    commit_id: int,
    judged: Sequence[Placed],
    rules: Sequence[Guideline],
) -> list[CheckedGuideline]:
    """Check guidelines wherever a machine measured all regions of one."""
    found = instances_of(judged, rules)
    middles = middles_of(session, commit_id, found)
    return [_checked(each, middles) for each in found]


def instances_of(
    judged: Sequence[Placed], rules: Sequence[Guideline]
) -> list[Instance]:
    """Return guidelines wherever a machine measured all regions of one."""
    named = {name for rule in rules for name in (rule.region, *rule.parts)}
    places: dict[tuple[Any, ...], dict[str, Placed]] = defaultdict(dict)
    for each in judged:
        if each.region in named:
            settings = key_of(each.configuration, sorted(each.configuration))
            places[each.machine, settings][each.region] = each
    own = defaultdict(list)
    for by_region in places.values():
        first = next(iter(by_region.values()))
        own[first.machine].append(first.configuration)
    common = {machine: shared(settings) for machine, settings in own.items()}
    return [
        _instance(rule, by_region, common[machine])
        for rule in rules
        for (machine, _), by_region in places.items()
        if {rule.region, *rule.parts} <= by_region.keys()
    ]


def middles_of(
    session: Session, commit_id: int, instances: Iterable[Instance]
) -> Mapping[int, Middles]:
    """Return the medians of what guidelines are about, at a commit."""
    series = {each.series_id for one in instances for each in one.sides.values()}
    return middles_at(session, commit_id, series) if series else {}


def is_broken(instance: Instance, middles: Mapping[int, Middles]) -> bool | None:
    """Tell whether a guideline is broken where measured; None where none can tell."""
    if _obstacle(instance.sides, middles) is not None:
        return None
    x, values = _scan(
        tuple(
            (name, tuple(middles[each.series_id].values.items()))
            for name, each in instance.sides.items()
        )
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
    check, reason = None, _obstacle(sides, middles)
    if reason is None:
        measured = {
            name: middles[each.series_id].values for name, each in sides.items()
        }
        models = {name: each.standing.model for name, each in sides.items()}
        try:
            check = _check(
                instance.guideline,
                parameter,
                tuple(
                    (name, tuple(values.items())) for name, values in measured.items()
                ),
                tuple((name, model) for name, model in models.items() if model),
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


_Measured = tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
"""Regions, each with its median at each setting."""


@lru_cache(maxsize=8192)
def _check(
    rule: Guideline,
    parameter: str,
    measured: _Measured,
    models: tuple[tuple[str, Model], ...],
) -> GuidelineCheck:
    """Check once what every page of a commit shows again."""
    x, values = _scan(measured)
    return check_guideline(rule, x, values, dict(models), parameter=parameter)


def _scan(measured: _Measured) -> tuple[list[float], dict[str, list[float]]]:
    """Return all settings, and the medians there by region; NaN where one lacks."""
    values = {name: dict(points) for name, points in measured}
    x = sorted(set().union(*values.values()))
    return x, {name: [own.get(at, nan) for at in x] for name, own in values.items()}
