"""Which projects a session can find."""

from sqlalchemy import event, or_, select
from sqlalchemy.orm import ORMExecuteState, Session, with_loader_criteria

from scalewatch.storage import tables


def restrict(session: Session, project: str | None) -> None:
    """Let a session find public projects alone and, where one is named, this one.

    Every SELECT of the session that reads from projects gets the condition, joins
    and subqueries included: what joins a private project is not found either. So a
    query on anything that belongs to a project joins it.
    """
    private = select(tables.Policy.project_id).where(tables.Policy.is_private)
    is_public = tables.Project.id.not_in(private)
    is_visible = or_(is_public, tables.Project.name == project)
    criteria = with_loader_criteria(tables.Project, is_visible, include_aliases=True)

    def add(state: ORMExecuteState) -> None:
        if state.is_select:
            state.statement = state.statement.options(criteria)

    event.listen(session, "do_orm_execute", add)
