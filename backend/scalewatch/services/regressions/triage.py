"""Triage: people give regressions a state, an owner, a note, or another run."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.modelling import Growth, parse_growth
from scalewatch.services.access.callers import Role, permit
from scalewatch.services.confirmations.requests import ask
from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.services.regressions.regressions import (
    Regression,
    RegressionState,
    regression_of,
)
from scalewatch.services.regressions.webhooks import record_event
from scalewatch.storage import machines, tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.histories import regressions


@dataclass(frozen=True, slots=True)
class Triage:
    """The word of somebody on a regression; None leaves it as it is."""

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


def treat_all(
    session: Session,
    ids: Sequence[int],
    said: Triage,
    *,
    project: str | None = None,
    is_rerun: bool = False,
) -> None:
    """Treat regressions alike, of any projects or of one: all of them, or none.

    Raises
    ------
    NotFound
        If the session finds no regression with one of the ids.
    TokenNeeded, NotPermitted
        If the caller does not administer the project of one of them.
    """
    known = regressions.anywhere(session, ids)
    for number in ids:
        if number not in known or project not in {None, known[number]}:
            raise NotFound("regression", number)
    authors = {name: permit(session, Role.ADMIN, name) for name in known.values()}
    for number, name in known.items():
        author = authors[name].name
        if is_rerun:
            rerun(session, name, number, author)
        else:
            triage(session, name, number, said, author)


def rerun(session: Session, project_name: str, number: int, author: str) -> None:
    """Ask the machine that shows a regression most for another run of its commit.

    Raises
    ------
    NotFound
        If the project has none with this id.
    """
    project = projects.existing(session, project_name)
    row = regressions.identified(session, project.id, number)
    shown = regression_of(session, project_name, number)
    if not shown.members:
        return
    worst = shown.worst
    by_name = {each.name: each.id for each in machines.of_project(session, project.id)}
    (measured,) = commits.with_hashes(session, project.id, [worst.details.noticed_at])
    subject = (measured.id, by_name[worst.machine])
    ask(session, project.id, subject, f"{author} asks for regression {row.id}")
    record_event(session, row, author, "rerun", f"asked of {worst.machine}")


def _accept(
    session: Session,
    project_name: str,
    row: tables.Regression,
    author: str,
    reason: str | None,
) -> None:
    """Declare the growths since a change of growth as what is expected from now on.

    Where machines differ, the fastest growth is the expectation that holds on all.
    """
    accepted: dict[tuple[str, str], Growth] = {}
    for member in regressions.members(session, [row.id]).get(row.id, ()):
        after = member.details.growth_after
        if row.kind == "growth" and after:
            key, growth = (member.region, member.metric), parse_growth(after)
            accepted[key] = max(growth, accepted.get(key, growth))
    finding = row.finding or {}
    if finding.get("growth"):
        key = finding["region"], finding["metric"]
        accepted[key] = parse_growth(finding["growth"])
    if accepted:
        declarations.declare(
            session,
            project_name,
            [Declaration(*key, str(growth)) for key, growth in accepted.items()],
            author=author,
            reason=reason or f"accepted with regression {row.id}",
        )
