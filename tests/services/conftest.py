import pytest

from scalewatch.storage.database.session import Sessions
from support.recorded import record_project


@pytest.fixture(params=["sqlite", "postgresql"])
def dialect(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


@pytest.fixture
def reading(sessions: Sessions):
    """A session on two releases of a project, measured on two platforms."""
    record_project(sessions)
    with sessions.reading() as session:
        yield session
