"""Queries on series and on the configurations that they hold fixed."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, bindparam, or_, select, update
from sqlalchemy.orm import Session

from scalewatch.errors import DirectionChanged, UnitChanged
from scalewatch.quantities import factor_between
from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from scalewatch.storage.database.inserts import canonical, digest_of, insert_or_find
from scalewatch.storage.database.lists import among, is_among
from scalewatch.wire import Fact, Result, kept_unit
from scalewatch.wire.fields import Direction, better_direction

_SERIES: Final = tables.Series.__table__.c

# Built once: SQLAlchemy needs longer to build a statement than SQLite to run it.
_KNOWN: Final = select(
    _SERIES.region,
    _SERIES.metric,
    _SERIES.id,
    _SERIES.unit,
    _SERIES.better,
    _SERIES.is_exact,
).where(
    _SERIES.machine_id == bindparam("machine_id"),
    _SERIES.configuration_id == bindparam("configuration_id"),
)
_EXACT: Final = select(_SERIES.id).where(is_among(_SERIES.id, "ids"), _SERIES.is_exact)

Measured = tuple[str, str]
"""Region and metric."""


@dataclass(frozen=True, slots=True)
class Known:
    """A series as far as its next result must agree with it."""

    id: int
    unit: str
    better: str
    is_exact: bool


def configuration_id(
    session: Session, project_id: int, settings: dict[str, Fact]
) -> int:
    """Return the id of a configuration, new or not."""
    keys = {"project_id": project_id, "digest": digest_of(canonical(settings))}
    return insert_or_find(session, tables.Configuration, keys, {"settings": settings})


def known_of(
    session: Session,
    machine_id: int,
    configuration_id: int,
    results: Iterable[Result],
) -> Mapping[Measured, Known]:
    """Return the series that the results belong to, new or not.

    Raises
    ------
    UnitChanged, DirectionChanged
        If no factor converts the unit of a result into that of its series, or if it
        was recorded with the other direction as the better one.
    """
    wanted = {(result.region, result.metric): result for result in results}
    known = _known(session, machine_id, configuration_id)
    missing = sorted(wanted.keys() - known.keys())
    inserts.add_missing(
        session,
        tables.Series,
        [
            {
                "machine_id": machine_id,
                "configuration_id": configuration_id,
                "region": region,
                "metric": metric,
                "unit": canonical_unit(wanted[region, metric]),
                "better": _direction(wanted[region, metric]),
                "is_exact": wanted[region, metric].exact,
            }
            for region, metric in missing
        ],
    )
    if missing:
        known = _known(session, machine_id, configuration_id)
    for key, result in wanted.items():
        if factor_between(canonical_unit(result), known[key].unit) is None:
            raise UnitChanged(*key, recorded=known[key].unit, posted=result.unit)
        if result.better not in {known[key].better, None}:
            raise DirectionChanged(*key, recorded=known[key].better)
    declared = [
        known[key].id
        for key, result in wanted.items()
        if result.exact and not known[key].is_exact
    ]
    if declared:
        of_them = tables.Series.id.in_(declared)
        session.execute(update(tables.Series).where(of_them).values(is_exact=True))
    return {key: known[key] for key in wanted}


def exact_in(session: Session, ids: Collection[int]) -> set[int]:
    """Return those of series whose values are declared to be exact."""
    return set(session.scalars(_EXACT, {"ids": [*ids]}))


def existing(session: Session, ids: Collection[int]) -> set[int]:
    """Return the ids of series that are there, of some."""
    return {
        *session.scalars(select(tables.Series.id).where(among(tables.Series.id, ids)))
    }


def described(
    session: Session, ids: Collection[int]
) -> dict[int, tuple[str, dict[str, Any]]]:
    """Return unit and configuration of series by id."""
    rows = session.execute(
        select(tables.Series.id, tables.Series.unit, tables.Configuration.settings)
        .join(
            tables.Configuration,
            tables.Configuration.id == tables.Series.configuration_id,
        )
        .where(tables.Series.id.in_(ids))
    )
    return {series_id: (unit, settings) for series_id, unit, settings in rows}


def measured_in(
    session: Session, ids: Collection[int], units: Collection[str]
) -> Sequence[int]:
    """Return those of series that were really measured and timed.

    What has one of the units of time is, and what is better higher: rates, overlaps.
    """
    return session.scalars(
        select(tables.Series.id)
        .join(tables.Machine, tables.Machine.id == tables.Series.machine_id)
        .where(
            tables.Series.id.in_(ids),
            is_timed(units),
            tables.Machine.provenance.is_(None),
        )
    ).all()


def is_timed(units: Collection[str]) -> ColumnElement[bool]:
    """Return the condition that a series is one of times, or of what a time yields."""
    return or_(tables.Series.unit.in_(units), tables.Series.better == "higher")


def _direction(result: Result) -> Direction:
    return result.better or better_direction(canonical_unit(result))


def canonical_unit(result: Result) -> str:
    """Return the unit that a result is stored in: that of its metric, if known."""
    return kept_unit(result.metric, result.unit)[0]


def _known(
    session: Session, machine_id: int, configuration_id: int
) -> dict[Measured, Known]:
    rows = session.connection().execute(
        _KNOWN, {"machine_id": machine_id, "configuration_id": configuration_id}
    )
    return {
        (region, metric): Known(series_id, unit, better, is_exact)
        for region, metric, series_id, unit, better, is_exact in rows.all()
    }
