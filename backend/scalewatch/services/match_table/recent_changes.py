"""Series that changed lately: heat maps mark their cells.

A change is one that the histories tell: a regression or an improvement above the floor,
dated by the first commit that shows it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.histories import regressions

LATELY: Final = timedelta(days=30)
"""A change is recent while its commit is no older, seen from the commit shown."""


@dataclass(frozen=True, slots=True)
class RecentChange:
    """A change of a series, and the regression that tells of it."""

    at: datetime
    is_worse: bool
    regression: int


def recent_changes(session: Session, commit: AnyCommit) -> Mapping[int, RecentChange]:
    """Return the newest change of each series within `LATELY` before a commit."""
    until = commit.committed_at or commit.first_run_at
    rows = regressions.shifted_between(
        session, commit.project_id, until - LATELY, until
    )
    return {
        row.series_id: RecentChange(row.at, row.is_worse, row.regression_id)
        for row in rows
    }
