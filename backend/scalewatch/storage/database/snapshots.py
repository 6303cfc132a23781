"""Snapshot reads: a reading transaction sees one state and asks each thing once."""

from collections.abc import Callable, Hashable
from typing import Final, TypeVar

from sqlalchemy import Engine
from sqlalchemy.orm import Session

Outcome = TypeVar("Outcome")

IS_SNAPSHOT: Final = "is_snapshot"
"""In the `info` of sessions whose transactions see one state, and write nothing."""

_ANSWERS: Final = "answers"


def reading_engine(engine: Engine) -> Engine:
    """Return `engine` with repeatable reads.

    Those of SQLite do anyway.
    """
    if engine.dialect.name == "sqlite":
        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ")


def once(session: Session, question: Hashable, ask: Callable[[], Outcome]) -> Outcome:
    """Return a query's answer, kept for the rest of a reading transaction."""
    if not session.info.get(IS_SNAPSHOT):
        return ask()
    transaction, answers = session.info.get(_ANSWERS, (None, {}))
    if transaction is None or transaction is not session.get_transaction():
        answers = {}
    if question not in answers:
        answers[question] = ask()
        session.info[_ANSWERS] = session.get_transaction(), answers
    answer: Outcome = answers[question]
    return answer


def forget(session: Session) -> None:
    """Give back the memory of what a transaction has asked so far."""
    session.info.pop(_ANSWERS, None)
