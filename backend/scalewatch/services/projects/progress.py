"""How far a project has come: a token, a first run, verdicts, something to compare."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from scalewatch.services.access import callers
from scalewatch.services.access.callers import Role
from scalewatch.storage.access import projects, tokens
from scalewatch.storage.commits import commits
from scalewatch.storage.judgements import verdicts
from scalewatch.storage.machines import machines


@dataclass(frozen=True, slots=True)
class Progress:
    """What there is of a project; nothing of one that is not there, or is hidden.

    Parameters
    ----------
    needs_token
        Whether the server asks for tokens: one was made.
    may_make_tokens
        Whether the caller can make one on the page of settings.
    has_verdicts
        Whether something is judged at its newest commit.
    """

    project: str
    is_there: bool
    needs_token: bool
    may_make_tokens: bool
    runs: int
    last_machine: str | None
    last_run_at: datetime | None
    commits: int
    has_verdicts: bool


def progress_of(session: Session, name: str) -> Progress:
    """Return how far a project has come that may be new."""
    row = projects.named(session, name)
    seen = machines.last_seen(session, row.id) if row else []
    last = max(seen, key=lambda each: each[1], default=None)
    newest = commits.newest(session, row.id) if row else None
    return Progress(
        project=name,
        is_there=row is not None,
        needs_token=tokens.is_any(session),
        may_make_tokens=callers.may(session, Role.ADMIN, name),
        runs=sum(runs for _, _, runs in seen),
        last_machine=last[0] if last else None,
        last_run_at=last[1] if last else None,
        commits=commits.count(session, row.id) if row else 0,
        has_verdicts=newest is not None and verdicts.is_any_at(session, newest.id),
    )


def known_projects(session: Session) -> tuple[str, ...]:
    """Return the names of all projects that the caller may see."""
    return tuple(row.name for row in projects.listed(session))
