"""The commits of a filled store that get pages: the newest, and the remarkable ones."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.commits.baselines import baseline_of
from scalewatch.services.commits.find import label_of
from scalewatch.services.regressions.regressions import RegressionState, regressions_of
from scalewatch.services.selection.view import choose_metric
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import machines
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits

NEWEST: Final = "newest"
"""Reference to the newest commit."""

MOST_TAGGED: Final = 20
MOST_REGRESSED: Final = 20
"""Commits that have pages since they are tagged, or since a regression began there."""


@dataclass(frozen=True, slots=True)
class KeptCommits:
    """The commits of a project that get pages.

    Parameters
    ----------
    labels
        Theirs by hash, the newest one first.
    compared
        Hashes of all that their pages compare: those commits, and their baselines.
    usual
        Metric that pages show where an address states none, and the only machine.
    series
        Number of them at the newest commit.
    """

    labels: Mapping[str, str]
    compared: frozenset[str]
    usual: Mapping[str, str]
    series: int

    @property
    def newest(self) -> str:
        """Label of the newest commit."""
        return next(iter(self.labels.values()))

    def label(self, reference: str) -> str | None:
        """Return the label of a kept commit that an address refers to."""
        if reference == NEWEST:
            return self.newest
        if reference in self.labels:
            return self.labels[reference]
        return reference if reference in self.labels.values() else None


def kept_commits(session: Session, project_name: str, number: int) -> KeptCommits:
    """Return the newest commits, those with a tag, and those of open regressions.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    newest = commits.of_project(session, project.id, limit=number)
    tagged = commits.tagged(session, project.id)[:MOST_TAGGED]
    is_open = [RegressionState.OPEN]
    regressions = regressions_of(session, project_name, is_open).regressions
    begun = [each.last.sha for each in regressions[:MOST_REGRESSED]]
    rows = [*newest, *tagged, *commits.with_hashes(session, project.id, begun)]
    baselines = [baseline_of(session, project, row) for row in rows]
    compared = {row.sha for row in rows} | {b.commit.sha for b in baselines if b}
    snapshot = CommitSnapshot.of(session, newest[0])
    usual = {"metric": choose_metric(snapshot.metrics, None)}
    known = machines.of_project(session, project.id)
    if len(known) == 1:
        usual["machine"] = known[0].name
    return KeptCommits(
        {row.sha: label_of(row.sha, row.tag) for row in rows},
        frozenset(compared),
        usual,
        snapshot.series,
    )
