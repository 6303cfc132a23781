"""Which configuration somebody is looking for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from scalewatch.errors import UnknownChoice
from scalewatch.modelling import ScalingKind
from scalewatch.services.selection.choices import one_of, positive


class Objective(StrEnum):
    """f₀: what is to be small."""

    AREA = "area"
    GROWTH = "growth"
    CORRELATION = "correlation"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class ConfigurationQuestion:
    """What somebody is looking for.

    Parameters
    ----------
    objective
        A divergence metric of the scaling error, or the time at a scale.
    kind
        Of scaling, for the divergence metrics.
    target
        p at which the time counts; the largest scale measured unless given.
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

    @classmethod
    def stated(  # noqa: PLR0913, PLR0917 - one per parameter of a query
        cls,
        objective: str | None,
        kind: str | None,
        target: str | None,
        size: str | None,
        where: Sequence[str],
        declare: Sequence[str],
    ) -> Self:
        """Return the question that a query states; what is empty is not stated.

        Raises
        ------
        UnknownChoice
            If there is no such objective or kind of scaling, or if a constraint is
            not written as `threads=1|2`.
        BadScale
            If target or size is no positive number.
        """
        return cls(
            objective=one_of("objective", objective, Objective.AREA),
            kind=one_of("scaling", kind, ScalingKind.STRONG),
            target=positive("scale", target),
            size=positive("problem size", size),
            constraints=_levels("where", where),
            declared=_levels("declare", declare),
        )

    def allows(self, settings: Mapping[str, Any]) -> bool:
        """Tell whether the constraints admit a configuration."""
        return all(
            str(settings[name]) in levels
            for name, levels in self.constraints.items()
            if name in settings
        )


def _levels(option: str, stated: Sequence[str]) -> dict[str, tuple[str, ...]]:
    levels = {}
    for text in filter(None, stated):
        name, is_there, values = text.partition("=")
        if not (name and is_there and values):
            raise UnknownChoice(option, text, ["setting=level|level"])
        levels[name] = tuple(dict.fromkeys(values.split("|")))
    return levels
