"""Queries on commits."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    CompoundSelect,
    Select,
    String,
    bindparam,
    exists,
    func,
    or_,
    select,
    text,
    union_all,
    update,
)
from sqlalchemy.orm import Session

from scalewatch import wire
from scalewatch.storage import tables
from scalewatch.storage.database.inserts import insert_new
from scalewatch.storage.database.lists import is_among
from scalewatch.storage.database.session import once

TIME = func.coalesce(tables.Commit.committed_at, tables.Commit.first_run_at)
"""When a commit was made or, where nobody said, first measured."""


class Stored(NamedTuple):
    """Columns of `tables.Commit` without an entity: pages list hundreds of commits."""

    id: int
    project_id: int
    sha: str
    branch: str | None
    tag: str | None
    message: str | None
    author: str | None
    committed_at: datetime | None
    first_run_at: datetime
    parents: tuple[str, ...]


AnyCommit = Stored | tables.Commit

_COMMIT: Final = tables.Commit.__table__.c
_MADE: Final = func.coalesce(_COMMIT.committed_at, _COMMIT.first_run_at)
_COLUMNS: Final = [_COMMIT[name] for name in Stored._fields]

# Built once: SQLAlchemy needs longer to build a statement than SQLite to run it.
_OF_PROJECT: Final = select(*_COLUMNS).where(_COMMIT.project_id == bindparam("project"))
_NEWEST_FIRST: Final = _OF_PROJECT.order_by(_MADE.desc(), _COMMIT.id.desc())
_GIVEN: Final = bindparam("made", type_=_COMMIT.first_run_at.type)
_BEFORE: Final = _NEWEST_FIRST.where(
    _MADE <= _GIVEN, or_(_MADE < _GIVEN, _COMMIT.id < bindparam("last"))
)
_BEFORE_ON: Final = _BEFORE.where(
    or_(is_among(_COMMIT.branch, "branches"), _COMMIT.branch.is_(None))
).limit(1)
_MEASURED_BEFORE: Final = _BEFORE.with_only_columns(_COMMIT.id).where(
    exists().where(
        tables.Run.commit_id == _COMMIT.id,
        tables.Run.machine_id == bindparam("machine"),
    )
)
# (made, id) > (given, last), as a range and a refinement: only the range lets a
# database use the index on `made`.
_AFTER: Final = _OF_PROJECT.where(
    _MADE >= _GIVEN, or_(_MADE > _GIVEN, _COMMIT.id > bindparam("last"))
).order_by(_MADE, _COMMIT.id)
# Python sorts the few tagged commits: with ORDER BY, SQLite walks the index of the
# order through all commits of the project.
_TAGGED: Final = _OF_PROJECT.where(_COMMIT.tag.is_not(None))
_WITH_HASHES: Final = _OF_PROJECT.where(is_among(_COMMIT.sha, "hashes"))
_ON_BRANCHES: Final = _NEWEST_FIRST.where(is_among(_COMMIT.branch, "branches")).limit(1)
_NEWEST: Final = _NEWEST_FIRST.limit(1)
_REFERENCE: Final = bindparam("reference", type_=String())
_MEANT: Final = _NEWEST_FIRST.where(
    or_(
        _COMMIT.tag == _REFERENCE,
        _COMMIT.sha.between(_REFERENCE, bindparam("beyond", type_=String())),
    )
)
_IDENTIFIED: Final = select(*_COLUMNS).where(is_among(_COMMIT.id, "ids"))
_COUNT: Final = select(func.count()).where(_COMMIT.project_id == bindparam("project"))
_SEEN: Final = _COUNT.where(_COMMIT.first_run_at > _GIVEN)
_TIMES: Final = select(_MADE).where(
    _COMMIT.project_id == bindparam("project"), _MADE >= _GIVEN
)

SHORTEST: Final = 7
"""Letters of the shortest abbreviation that git makes of a hash."""

_WHOLE_HASH: Final = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")

LAST_CHARACTER: Final = "\U0010ffff"
"""The largest character: texts that begin with t sort between t and t + this."""


def of_project(
    session: Session,
    project_id: int,
    *,
    before: AnyCommit | None = None,
    limit: int | None = None,
) -> list[Stored]:
    """Return a project's commits, newest first: those before one, at most `limit`."""
    wanted, bound = _NEWEST_FIRST, {"project": project_id}
    if before is not None:
        wanted, bound = _BEFORE, {**bound, **_place_of(before)}
    return _stored(session, wanted if limit is None else wanted.limit(limit), bound)


def before_on(
    session: Session, commit: AnyCommit, branches: Sequence[str] | None = None
) -> Stored | None:
    """Return the newest commit before one, on any branch or on some.

    Commits of unknown branch may be on each of them.
    """
    bound = {"project": commit.project_id, "branches": branches, **_place_of(commit)}
    wanted = _BEFORE.limit(1) if branches is None else _BEFORE_ON
    return next(iter(_stored(session, wanted, bound)), None)


def measured_before(
    session: Session, commit: AnyCommit, machine_id: int, limit: int
) -> Sequence[int]:
    """Return the ids of older commits that a machine measured, newest first."""
    bound = {"project": commit.project_id, "machine": machine_id, **_place_of(commit)}
    return session.scalars(_MEASURED_BEFORE.limit(limit), bound).all()


def existing(session: Session, commit_id: int) -> Stored:
    """Return a commit that is known to be there."""
    (row,) = once(
        session,
        ("commit", commit_id),
        lambda: _stored(session, _IDENTIFIED, {"ids": [commit_id]}),
    )
    return row


def following(
    session: Session, project_id: int, commit: AnyCommit, *, limit: int
) -> list[Stored]:
    """Return the commits made just after one, oldest first, at most `limit`."""
    bound = {"project": project_id, **_place_of(commit)}
    return _stored(session, _AFTER.limit(limit), bound)


def tagged(session: Session, project_id: int) -> list[Stored]:
    """Return the commits with a tag, newest first."""
    return _newest_first(_stored(session, _TAGGED, {"project": project_id}))


def with_hashes(
    session: Session, project_id: int, hashes: Sequence[str]
) -> list[Stored]:
    """Return the measured ones among commits, newest first."""
    bound = {"project": project_id, "hashes": hashes}
    question = ("commits", project_id, *hashes)
    return once(
        session, question, lambda: _newest_first(_stored(session, _WITH_HASHES, bound))
    )


def with_parent(session: Session, project_id: int, sha: str) -> list[Stored]:
    """Return the commits that follow one in the graph, newest first."""
    wanted = _children(session.get_bind().dialect.name)
    rows = _stored(session, wanted, {"project": project_id, "parent": sha})
    return _newest_first([row for row in rows if sha in row.parents])


@cache
def _children(dialect: str) -> CompoundSelect[Any]:
    """Return the query of commits with a parent, in the words of the indices."""
    parent = (
        "json_extract(parents, '$[{}]')" if dialect == "sqlite" else "(parents ->> {})"
    )
    first, second, third = (parent.format(place) for place in range(3))
    # A parent has few children, a project many commits: its index is none for these.
    conditions = (
        f"+project_id = :project AND {first} = :parent",
        f"+project_id = :project AND {second} = :parent AND {second} IS NOT NULL",
        f"project_id = :project AND {third} IS NOT NULL",
    )
    return union_all(*(select(*_COLUMNS).where(text(each)) for each in conditions))


def count(session: Session, project_id: int) -> int:
    """Return how many commits of a project were measured."""
    return session.scalar(_COUNT, {"project": project_id}) or 0


def count_seen_since(session: Session, project_id: int, since: datetime) -> int:
    """Return how many commits of a project were measured first after a moment."""
    return session.scalar(_SEEN, {"project": project_id, "made": since}) or 0


def made_since(
    session: Session, project_id: int, since: datetime
) -> Sequence[datetime]:
    """Return when the commits of a project were made that are no older."""
    return session.scalars(_TIMES, {"project": project_id, "made": since}).all()


def newest(session: Session, project_id: int) -> Stored | None:
    """Return a project's newest commit."""
    bound = {"project": project_id}
    question = ("newest", project_id)
    return next(
        iter(once(session, question, lambda: _stored(session, _NEWEST, bound))), None
    )


def newest_on(
    session: Session, project_id: int, branches: Sequence[str]
) -> Stored | None:
    """Return a project's newest commit on any of these branches."""
    bound = {"project": project_id, "branches": branches}
    return next(iter(_stored(session, _ON_BRANCHES, bound)), None)


def newest_on_machines(
    session: Session, project_id: int, machines: Sequence[str]
) -> Stored | None:
    """Return the newest commit that every one of some machines measured."""
    # Scan from the newest commit: the answer is nearly always among the first few.
    measured = (
        exists()
        .where(tables.Run.commit_id == tables.Commit.id)
        .where(tables.Run.machine_id == tables.Machine.id)
        .where(tables.Machine.project_id == project_id, tables.Machine.name == name)
        for name in machines
    )
    wanted = (
        select(*_COLUMNS)
        .where(tables.Commit.project_id == project_id, *measured)
        .order_by(TIME.desc(), tables.Commit.id.desc())
        .limit(1)
    )
    return next(iter(_stored(session, wanted)), None)


def newest_with(session: Session, project_id: int, region: str) -> Stored | None:
    """Return the newest commit at which a region was measured."""
    known = (
        select(tables.Series.id)
        .join(tables.Machine, tables.Machine.id == tables.Series.machine_id)
        .where(tables.Machine.project_id == project_id, tables.Series.region == region)
    )
    series = session.scalars(known).all()
    if not series:
        return None
    # Scan from the newest commit: the answer is nearly always among the first few.
    measured = exists().where(
        tables.Run.commit_id == tables.Commit.id,
        tables.Point.run_id == tables.Run.id,
        tables.Point.series_id.in_(series),
    )
    wanted = (
        select(*_COLUMNS)
        .where(tables.Commit.project_id == project_id, measured)
        .order_by(TIME.desc(), tables.Commit.id.desc())
        .limit(1)
    )
    return next(iter(_stored(session, wanted)), None)


def referenced(session: Session, project_id: int, reference: str) -> list[Stored]:
    """Return the commits that a hash, the beginning of one, or a tag can mean.

    A whole hash means its commit: an index finds it, and no other is looked at; where
    it is not there, the commit that runs called by the beginning of it.
    """
    beyond = f"{reference}{LAST_CHARACTER}"
    bound = {"project": project_id, "reference": reference, "beyond": beyond}
    return (
        with_hashes(session, project_id, [reference])
        or _stored(session, _MEANT, bound)
        or with_hashes(session, project_id, _abbreviations(reference))
    )


def _abbreviations(reference: str) -> list[str]:
    """Return how git abbreviates a whole hash: runs may have been posted as of one."""
    if not _WHOLE_HASH.fullmatch(reference):
        return []
    return [reference[:length] for length in range(SHORTEST, len(reference))]


def identified(session: Session, ids: Collection[int]) -> dict[int, Stored]:
    """Return commits by their ids."""
    rows = _stored(session, _IDENTIFIED, {"ids": [*ids]})
    return {row.id: row for row in rows}


def _stored(
    session: Session,
    wanted: Select[Any] | CompoundSelect[Any],
    bound: Mapping[str, Any] | None = None,
) -> list[Stored]:
    rows = map(tuple, session.execute(wanted, bound).all())
    return [Stored._make((*known, tuple(parents))) for *known, parents in rows]


def _newest_first(rows: Sequence[Stored]) -> list[Stored]:
    def place(row: Stored) -> tuple[datetime, int]:
        return row.committed_at or row.first_run_at, row.id

    return sorted(rows, key=place, reverse=True)


def _place_of(commit: AnyCommit) -> dict[str, Any]:
    made = commit.committed_at or commit.first_run_at
    return {"made": made, "last": commit.id}


_DESCRIPTION: Final = ("parents", "branch", "committed_at", "message", "tag", "author")


def id_of(session: Session, project_id: int, commit: wire.Commit) -> int:
    """Return the id of a commit, new or not; what was not known of it is added.

    A tag that another commit had, such as `nightly`, has moved here.
    """
    keys = {"project_id": project_id, "sha": commit.sha}
    created = insert_new(session, tables.Commit, {**keys, **_description(commit)})
    if created is None:
        known = session.scalars(select(tables.Commit).filter_by(**keys)).one()
        is_tagged = known.tag is not None
        for name, value in _description(commit).items():
            if value and not getattr(known, name):
                setattr(known, name, value)
        session.flush()
        if known.tag is not None and not is_tagged:
            _move_tag(session, known.project_id, known.id, known.tag)
        return known.id
    if commit.tag is not None:
        _move_tag(session, project_id, created, commit.tag)
    return created


def adds_to(known: Any, commit: wire.Commit) -> bool:
    """Tell whether a run says something of its commit that was not known before."""
    return any(
        value and not getattr(known, name)
        for name, value in _description(commit).items()
    )


def _move_tag(session: Session, project_id: int, commit_id: int, tag: str) -> None:
    """Leave its tag to this commit alone, so that a tag means one of them."""
    session.execute(
        update(tables.Commit)
        .where(
            tables.Commit.project_id == project_id,
            tables.Commit.tag == tag,
            tables.Commit.id != commit_id,
        )
        .values(tag=None)
    )


def _description(commit: wire.Commit) -> dict[str, Any]:
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name in _DESCRIPTION
        for value in (getattr(commit, name),)
    }
