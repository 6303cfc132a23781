"""Guidelines that held at a baseline and are broken at a commit."""

from dataclasses import replace
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.guidelines import (
    CheckedGuideline,
    GuidelineReport,
    GuidelineState,
    guidelines_at,
)
from scalewatch.services.views import View

HELD: Final = frozenset({GuidelineState.HOLDS, GuidelineState.THREATENED})


def newly_broken(
    session: Session, project: str, commit: str, baseline: str
) -> list[tuple[str, CheckedGuideline]]:
    """Return what a commit has broken since a baseline, each with its metric.

    Both are hashes. The guidelines in force now are checked at both, so that to
    declare another one changes nothing.
    """
    here, there = View(project, commit=commit), View(project, commit=baseline)
    known = guidelines_at(session, there).metrics
    found = []
    for metric in guidelines_at(session, here).metrics:
        broken = [
            each
            for each in guidelines_at(session, replace(here, metric=metric)).checks
            if each.state is GuidelineState.BROKEN
        ]
        if broken and metric in known:
            before = _held(guidelines_at(session, replace(there, metric=metric)))
            found += [(metric, each) for each in broken if _key(each) in before]
    return found


def _held(report: GuidelineReport) -> set[tuple[str, int]]:
    return {_key(each) for each in report.checks if each.state in HELD}


def _key(each: CheckedGuideline) -> tuple[str, int]:
    """Return what tells a check from others; a series has one machine and setting."""
    return str(each.guideline), each.series
