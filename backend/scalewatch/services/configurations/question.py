"""Which configuration somebody is looking for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from scalewatch.modelling import ScalingKind


class Objective(StrEnum):
    """f₀: what is to be small."""

    AREA = "area"
    GROWTH = "growth"
    CORRELATION = "correlation"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class ConfigurationQuestion:
    """Which configuration is looked for.

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

    def allows(self, settings: Mapping[str, Any]) -> bool:
        """Tell whether the constraints admit a configuration."""
        return all(
            str(settings[name]) in levels
            for name, levels in self.constraints.items()
            if name in settings
        )
