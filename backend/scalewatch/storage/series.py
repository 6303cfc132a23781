"""Queries on series and on the configurations that they hold fixed."""

from collections.abc import Iterable, Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.errors import UnitChanged
from scalewatch.storage import tables
from scalewatch.storage.digests import canonical, digest_of
from scalewatch.storage.inserts import insert_missing
from scalewatch.wire import UNITS, Fact, Result

Measured = tuple[str, str]
"""Region and metric."""


def configuration_id(
    session: Session, project_id: int, settings: dict[str, Fact]
) -> int:
    """Return the id of a configuration, new or not."""
    digest = digest_of(canonical(settings))
    wanted = select(tables.Configuration.id).where(
        tables.Configuration.project_id == project_id,
        tables.Configuration.digest == digest,
    )
    found = session.scalar(wanted)
    if found is None:
        row = {"project_id": project_id, "digest": digest, "settings": settings}
        insert_missing(session, tables.Configuration, [row])
        found = session.scalars(wanted).one()
    return found


def find_or_create(
    session: Session,
    machine_id: int,
    configuration_id: int,
    results: Iterable[Result],
) -> Mapping[Measured, tables.Series]:
    """Return the series that the results belong to, new or not.

    Raises
    ------
    UnitChanged
        If a series was recorded in another unit than its new result.
    """
    wanted = {(result.region, result.metric): result for result in results}
    known = _known(session, machine_id, configuration_id)
    missing = sorted(wanted.keys() - known.keys())
    insert_missing(
        session,
        tables.Series,
        [
            {
                "machine_id": machine_id,
                "configuration_id": configuration_id,
                "region": region,
                "metric": metric,
                "unit": canonical_unit(wanted[region, metric]),
                "better": wanted[region, metric].better,
            }
            for region, metric in missing
        ],
    )
    if missing:
        known = _known(session, machine_id, configuration_id)
    for key, result in wanted.items():
        if known[key].unit != canonical_unit(result):
            raise UnitChanged(*key, recorded=known[key].unit, posted=result.unit)
        known[key].better = result.better
    return {key: known[key] for key in wanted}


def canonical_unit(result: Result) -> str:
    """Return the unit that a result is stored in: that of its metric, if known."""
    return next(iter(UNITS.get(result.metric, {result.unit: 1.0})))


def _known(
    session: Session, machine_id: int, configuration_id: int
) -> dict[Measured, tables.Series]:
    rows = session.scalars(
        select(tables.Series).where(
            tables.Series.machine_id == machine_id,
            tables.Series.configuration_id == configuration_id,
        )
    )
    return {(row.region, row.metric): row for row in rows}
