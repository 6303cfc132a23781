"""Declare the growths that are measured now as expectations."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.modelling import Growth
from scalewatch.services.commits.find import find_commit
from scalewatch.services.expectations.declarations import Declaration, declare
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects

REASON = "the status quo at {}"


def accept(  # noqa: PLR0913 - one per part of the wish
    session: Session,
    project_name: str,
    reference: str | None,
    *,
    author: str,
    reason: str | None,
    regions: Sequence[str] = (),
    metric: str | None = None,
) -> int | None:
    """Expect the growths that were found at a commit; return the job that judges.

    Where machines differ, the fastest growth is declared.

    Parameters
    ----------
    reference
        The commit, as `find_commit` takes it; None for the newest.
    regions, metric
        Which; all unless given.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown.
    NotMeasured
        If nothing of that has a model there.
    """
    project = projects.existing(session, project_name)
    commit = find_commit(session, project, reference)
    now = CommitSnapshot.of(session, commit)
    fastest: dict[tuple[str, str], Growth] = {}
    for series in now.judged(now.metrics if metric is None else [metric]):
        growth = series.standing.growth
        if growth is None or (regions and series.region not in regions):
            continue
        key = (series.region, series.metric)
        fastest[key] = max(growth, fastest.get(key, growth))
    if not fastest:
        wanted = ", ".join(regions) or "any region"
        raise NotMeasured("growth", wanted, at=commit.tag or commit.sha[:10])
    return declare(
        session,
        project.name,
        [Declaration(*key, str(growth)) for key, growth in fastest.items()],
        author=author,
        reason=reason or REASON.format(commit.tag or commit.sha[:10]),
    )
