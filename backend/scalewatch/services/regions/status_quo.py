"""Take what is measured now for what is promised."""

from collections.abc import Sequence

from sqlalchemy.orm import Session

from scalewatch.errors import NotMeasured
from scalewatch.modelling import Growth
from scalewatch.services.commits.find import find_commit
from scalewatch.services.expectations.declarations import Declaration, declare
from scalewatch.services.series.at_commit import judged_at
from scalewatch.services.series.metrics import metrics_at
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
    """Promise the growths that were found at a commit; return the job that judges.

    Where machines differ, the fastest growth is what can be promised.

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
    metrics = metrics_at(session, commit.id)
    found: dict[tuple[str, str], Growth] = {}
    wanted = metrics if metric is None else [metric]
    for each in judged_at(session, project, commit.id, wanted):
        growth = each.standing.growth
        if growth is None or (regions and each.region not in regions):
            continue
        key = (each.region, each.metric)
        found[key] = max(growth, found.get(key, growth))
    if not found:
        wanted = ", ".join(regions) or "any region"
        raise NotMeasured("growth", wanted, at=commit.tag or commit.sha[:10])
    return declare(
        session,
        project.name,
        [Declaration(*key, str(growth)) for key, growth in found.items()],
        author=author,
        reason=reason or REASON.format(commit.tag or commit.sha[:10]),
    )
