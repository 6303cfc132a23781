"""What all tables share: names of constraints, and types."""

from datetime import UTC, datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, DateTime, Dialect, Double, MetaData, TypeDecorator
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

    def process_result_value(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> datetime | None:
        """Return every moment with its time zone."""
        return value and (value if value.tzinfo else value.replace(tzinfo=UTC))


def now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


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
