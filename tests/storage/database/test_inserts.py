from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from scalewatch.services.runs.record import prepare, record_prepared
from scalewatch.storage import tables
from scalewatch.storage.database import inserts
from support.builders import run_report

KEYS = ("commit_id", "series_id")


def _put(session: Session, **changes: object) -> tables.Model:
    """Put the model of a series, as it is and with changes; return what is stored."""
    if session.scalar(select(tables.Series.id)) is None:
        record_prepared(session, [prepare(run_report())])
    row = {
        "series_id": session.scalars(select(tables.Series.id)).first(),
        "commit_id": session.scalars(select(tables.Commit.id)).one(),
        "rule": "evidence",
        "points": 6,
        "repetitions": 5,
        "constant": 1 / 3,
        "terms": [[0.1, "p'\"\\{,"]],
        "growth": "p^(1/2)",
        "adjusted_r2": None,
        "smape": 5e-324,
        "reason": 'it isn\'t "one",\n{ü} \\ \t',
        "modelled_at": datetime(2026, 3, 1, 12, 30, 1, 5, tzinfo=UTC),
    }
    inserts.put(session, tables.Model, [row | changes], KEYS)
    session.expire_all()
    return session.scalars(select(tables.Model)).one()


def test_what_is_put_comes_back_as_it_was(session):
    stored = _put(session)
    assert stored.constant == 1 / 3
    assert stored.terms == [[0.1, "p'\"\\{,"]]
    assert stored.adjusted_r2 is None
    assert stored.smape == 5e-324
    assert stored.reason == 'it isn\'t "one",\n{ü} \\ \t'
    assert stored.modelled_at == datetime(2026, 3, 1, 12, 30, 1, 5, tzinfo=UTC)


def test_what_is_put_again_is_replaced(session):
    _put(session)
    there = datetime(2026, 3, 2, tzinfo=timezone(timedelta(hours=2)))
    stored = _put(session, constant=None, growth=None, points=7, modelled_at=there)
    assert (stored.constant, stored.growth, stored.points) == (None, None, 7)
    assert stored.modelled_at == there


def test_bytes_and_marks_come_back_as_they_were(session):
    record_prepared(session, [prepare(run_report())])
    keys = {
        "commit_id": session.scalars(select(tables.Commit.id)).one(),
        "machine_id": session.scalars(select(tables.Machine.id)).one(),
    }
    blob, mark = bytes(range(256)), UUID(int=5)

    for content in (b"", blob):
        row = keys | {"blob": content}
        inserts.put(session, tables.Probabilities, [row], tuple(keys))
    inserts.put(session, tables.Edition, [keys | {"mark": mark}], tuple(keys))

    assert session.scalars(select(tables.Probabilities.blob)).one() == blob
    assert session.scalars(select(tables.Edition.mark)).one() == mark


def test_what_is_copied_comes_back_as_it_was(session):
    grids = [
        {"digest": f"{n}", "parameters": ["p", 'a"\\'], "settings": [[4.0, n], [0.1]]}
        for n in range(inserts.FEW + 1)
    ]
    inserts.add(session, tables.Grid, grids)
    stored = session.scalars(select(tables.Grid).order_by(tables.Grid.id)).all()
    assert [grid.settings for grid in stored] == [row["settings"] for row in grids]
    assert stored[0].parameters == ["p", 'a"\\']
