import pytest
from sqlalchemy import func, select

from scalewatch.api.runs import rehearsal
from scalewatch.app import create_app
from scalewatch.storage import tables
from scalewatch.storage.database.session import connect


@pytest.fixture(params=["sqlite", "postgresql"])
def dialect(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


def test_what_is_rehearsed_leaves_nothing_behind(sessions):
    rehearsal.post(sessions)
    with sessions.reading() as session:
        for table in tables.Table.metadata.sorted_tables:
            assert session.scalar(select(func.count()).select_from(table)) == 0, table


def test_what_is_rehearsed_could_be_posted(client):
    headers = {"Content-Type": "application/json"}
    answer = client.post("/api/v1/runs", content=rehearsal.BODY, headers=headers)
    assert answer.status_code == 202


def test_rehearsal_without_tables_is_called_off(tmp_path, caplog):
    engine = connect(f"sqlite:///{tmp_path}/empty.db")
    app = create_app(engine, embedded_worker=False)
    rehearsal.rehearse(app, app.state.sessions)
    engine.dispose()
    assert "no rehearsal" in caplog.text
