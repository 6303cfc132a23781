"""What a connection is set to."""

from sqlalchemy import text

from scalewatch.storage.database.session import connect, sessions_of

FULL = 2


def test_what_is_committed_to_sqlite_outlives_a_power_cut(tmp_path):
    engine = connect(f"sqlite:///{tmp_path}/scalewatch.db")
    with sessions_of(engine).writing() as session:
        assert session.scalar(text("PRAGMA synchronous")) == FULL
        assert session.scalar(text("PRAGMA journal_mode")) == "wal"
    engine.dispose()
