"""The base of all tables: names of constraints, and column types."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from sqlalchemy import JSON, DateTime, Dialect, Double, MetaData, String, TypeDecorator
from sqlalchemy.orm import DeclarativeBase


class Instant(TypeDecorator[datetime]):
    """A moment in UTC; SQLite forgets time zones, so they are put back here."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> datetime | None:
        """Store every moment in UTC."""
        return value and value.astimezone(UTC)

    def result_processor(
        self,
        dialect: Dialect,
        coltype: object,  # noqa: ARG002
    ) -> Callable[[Any], datetime | None] | None:
        """Return how a column is read; pages list hundreds of moments."""
        return _moment if dialect.name == "sqlite" else None


def _moment(stored: str | None) -> datetime | None:
    return None if stored is None else datetime.fromisoformat(f"{stored}+00:00")


class Remark(TypeDecorator[str]):
    """Text that most rows have none of, stored as empty text.

    A null costs a row of PostgreSQL eight bytes. Rows that go past this type, by
    `storage.bulk`, have to bring the empty text themselves.
    """

    impl = String
    cache_ok = True

    def process_bind_param(
        self,
        value: str | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> str:
        """Store nothing as empty text."""
        return value or ""

    def process_result_value(
        self,
        value: str | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> str | None:
        """Return nothing for empty text."""
        return value or None


_MOMENT: Final[ContextVar[datetime | None]] = ContextVar("moment", default=None)


def now() -> datetime:
    """Return the present moment in UTC, or the one that is told anew."""
    return _MOMENT.get() or datetime.now(UTC)


@contextmanager
def as_of(moment: datetime) -> Iterator[None]:
    """Write rows as if it were an earlier moment: a database made of old reports."""
    token = _MOMENT.set(moment)
    try:
        yield
    finally:
        _MOMENT.reset(token)


class Table(DeclarativeBase):
    """Base of all tables; constraint names are stable across databases."""

    metadata = MetaData(
        naming_convention={
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        }
    )
    type_annotation_map: ClassVar = {
        datetime: Instant,
        dict[str, Any]: JSON(none_as_null=True),
        float: Double,
        list[Any]: JSON(none_as_null=True),
    }
