from pathlib import Path

import pytest
from sqlalchemy import event

from scalewatch.storage.database.session import write_back

LARGE = 16 * 2**20
"""Bytes: four times what SQLite would let the one who commits write back."""


@pytest.mark.parametrize("dialect", ["sqlite"])
def test_log_is_written_back_when_asked_not_by_whoever_commits(engine, sessions):
    database = Path(engine.url.database)
    with sessions.writing.begin() as session:
        connection = session.connection()
        connection.exec_driver_sql("CREATE TABLE large (content BLOB)")
        connection.exec_driver_sql("INSERT INTO large VALUES (zeroblob(?))", (LARGE,))
    assert database.stat().st_size < LARGE

    write_back(sessions)

    assert database.stat().st_size > LARGE


@pytest.mark.parametrize("dialect", ["postgresql"])
def test_postgresql_is_not_asked(engine, sessions):
    asked = []

    def note(*told):
        asked.append(told)

    event.listen(engine, "before_cursor_execute", note)
    write_back(sessions)
    event.remove(engine, "before_cursor_execute", note)

    assert not asked
