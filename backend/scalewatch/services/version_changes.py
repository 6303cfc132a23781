"""What a row of compared commits has changed, told from all its repetitions."""

from sqlalchemy.orm import Session

from scalewatch.modelling.noise import USUAL
from scalewatch.services.commits import find_commit
from scalewatch.services.compared import ComparedRow, ComparedSides
from scalewatch.services.configurations import is_chosen
from scalewatch.services.earlier_versions import Compared, compared_once
from scalewatch.services.judged import Judged, judged_at
from scalewatch.services.pooling import Pool
from scalewatch.services.pools import pools_of
from scalewatch.storage import projects, tables


def changes_since_first(
    session: Session, shown: ComparedSides, row: ComparedRow
) -> dict[str, Compared]:
    """Return how each further commit of a comparison differs from the first in a row.

    By its label; one that has not measured the row is left out.
    """
    project = projects.existing(session, shown.project)
    (_, first), *others = (
        (side.name, _measured(session, project, shown, row, side.name))
        for side in shown.sides
    )
    earlier = first[1] if first else None
    return {
        label: compared_once(earlier, pool, noise=series.standing.noise or USUAL)
        for label, found in others
        if found is not None
        for series, pool in [found]
    }


def _measured(
    session: Session,
    project: tables.Project,
    shown: ComparedSides,
    row: ComparedRow,
    label: str,
) -> tuple[Judged, Pool] | None:
    """Return the series of a row at a commit, with its repetitions."""
    commit = find_commit(session, project, label)
    settings = {name: str(value) for name, value in row.configuration.items()}
    for each in judged_at(session, project, commit.id, [shown.metric]):
        is_place = (each.region, each.machine) == (row.region, row.machine)
        if is_place and is_chosen(each, settings):
            pool = pools_of(session, commit.id, [each.series_id]).get(each.series_id)
            return (each, pool) if pool is not None else None
    return None
