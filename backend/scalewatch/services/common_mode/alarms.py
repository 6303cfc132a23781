"""The least effect that is an alarm.

It is `SMALLEST_EFFECT` unless a project states another, and at least
twice the usual spread of a machine from run to run; smaller changes are drifts, and
nobody is stopped. Counts have a floor of their own.
"""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.modelling.common_mode.scan import SPREADS
from scalewatch.storage.judgements import gate_rules

SMALLEST_EFFECT: Final = 0.03
"""Smaller changes of noisy series cannot be told from nights, whatever is stated."""

KEY: Final = "smallest_effect"
"""Key of the least effect among the stored rules of a project."""


def smallest_effect(session: Session, project_id: int) -> float:
    """Return the share by which a series has to change to be reported."""
    row = gate_rules.newest(session, project_id)
    return stated(row.rules) if row else SMALLEST_EFFECT


def stated(rules: Mapping[str, Any]) -> float:
    """Return the least effect in a project's stored rules; older ones lack it."""
    return float(rules.get(KEY, SMALLEST_EFFECT))


def effect_floor(smallest: float, spread: float) -> float:
    """Return the least effect on a machine whose level has a usual spread."""
    return max(smallest, SPREADS * spread)
