"""What people say about regressions, and what follows from it."""

from dataclasses import dataclass

from sqlalchemy.orm import Session

from scalewatch.modelling import Growth, parse_growth
from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.services.regressions.events import record_event
from scalewatch.services.regressions.regressions import regression_of
from scalewatch.services.regressions.values import Regression, RegressionState
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.histories import regressions


@dataclass(frozen=True, slots=True)
class Triage:
    """What somebody says about a regression; None leaves it as it is."""

    state: RegressionState | None = None
    owner: str | None = None
    note: str | None = None
    link: str | None = None


def triage(
    session: Session, project_name: str, number: int, said: Triage, author: str
) -> Regression:
    """Write down what somebody says about a regression, with the former word.

    Raises
    ------
    NotFound
        If the project has none with this id.
    """
    project = projects.existing(session, project_name)
    row = regressions.identified(session, project.id, number)
    if said.state is not None and said.state != row.state:
        action = f"{row.state} → {said.state}"
        row.state = str(said.state)
        record_event(session, row, author, action, said.note)
        if said.state is RegressionState.EXPECTED:
            _accept(session, project.name, row, author, said.note)
    elif said.note is not None:
        record_event(session, row, author, "noted", said.note)
    for name in ("owner", "link"):
        value = getattr(said, name)
        if value is not None and value != getattr(row, name):
            record_event(session, row, author, name, value or "none")
            setattr(row, name, value or None)
    session.flush()
    return regression_of(session, project_name, number)


def _accept(
    session: Session,
    project_name: str,
    row: tables.Regression,
    author: str,
    reason: str | None,
) -> None:
    """Promise from now on what the regions grow like since a change of growth.

    Where machines differ, the fastest growth is what can be promised.
    """
    accepted: dict[tuple[str, str], Growth] = {}
    for member in regressions.members(session, [row.id])[row.id]:
        grown = member.details.growth_after
        if row.kind == "growth" and grown:
            key, growth = (member.region, member.metric), parse_growth(grown)
            accepted[key] = max(growth, accepted.get(key, growth))
    if accepted:
        declarations.declare(
            session,
            project_name,
            [Declaration(*key, str(growth)) for key, growth in accepted.items()],
            author=author,
            reason=reason or f"accepted with regression {row.id}",
        )
