"""Commits without runs, as many as a long history has."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from sqlalchemy import Engine, event, insert

from scalewatch.storage import tables
from scalewatch.storage.database.session import Sessions
from support.histories import FIRST_DAY, sha

EVERY = 10
"""Instructions of SQLite that are counted together."""


def add_commits(
    sessions: Sessions, project_id: int, described: Iterable[Mapping[str, Any]]
) -> None:
    """Insert commits of a project, `number` days after the first one or before it."""
    rows = []
    for each in described:
        made = FIRST_DAY + timedelta(days=each["number"])
        row = {
            "sha": each.get("sha", f"old{each['number']:037}"),
            "parents": each["parents"],
            "branch": each.get("branch", "main"),
            "tag": None,
            "message": None,
        }
        rows.append(row | {"committed_at": made, "first_run_at": made})
    with sessions.writing.begin() as session:
        session.execute(
            insert(tables.Commit), [row | {"project_id": project_id} for row in rows]
        )


def add_past(sessions: Sessions, project_id: int, commits: int) -> None:
    """Let so many commits precede the first one of `support.histories`."""
    names = [f"old{-number:037}" for number in range(-commits, 0)]
    parents = [[], *([name] for name in names)]
    add_commits(
        sessions,
        project_id,
        [
            {"number": number, "sha": name, "parents": parent}
            for number, name, parent in zip(
                range(-commits, 0), names, parents, strict=False
            )
        ],
    )
    with sessions.writing.begin() as session:
        first = session.query(tables.Commit).filter_by(sha=sha(1)).one()
        first.parents = names[-1:]


@contextmanager
def counted(engine: Engine) -> Iterator[Callable[[], int]]:
    """Yield what tells how many instructions SQLite has done for new connections."""
    done = 0

    def note() -> None:
        nonlocal done
        done += EVERY

    def watch(connection: Any, _: object) -> None:
        connection.set_progress_handler(note, EVERY)

    engine.dispose()
    event.listen(engine, "connect", watch)
    yield lambda: done
    event.remove(engine, "connect", watch)
