"""What is expected of a project, as the modelling core reads it."""

from sqlalchemy.orm import Session

from scalewatch.modelling import default_deviation_limit, parse_growth
from scalewatch.services.regressions.effects import Promised
from scalewatch.storage.judgements import expectations


def promises_of(session: Session, project_id: int) -> dict[tuple[str, str], Promised]:
    """Return the promises in force, by region and metric."""
    found = {}
    for row in expectations.of_project(session, project_id):
        if row.growth is None:
            continue
        growth = parse_growth(row.growth)
        limit = (
            default_deviation_limit(growth)
            if row.deviation_limit is None
            else parse_growth(row.deviation_limit)
        )
        found[row.region, row.metric] = Promised(growth, limit, row.version)
    return found
