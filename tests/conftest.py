from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import settings
from sqlalchemy import Engine
from sqlalchemy.orm import Session

from scalewatch.app import create_app
from scalewatch.jobs import perform_next
from scalewatch.storage.session import Sessions, connect, sessions_of
from scalewatch.storage.tables import Table

# A loaded machine is slow, and that is no failure.
settings.register_profile("scalewatch", deadline=None)
settings.load_profile("scalewatch")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = connect(f"sqlite:///{tmp_path}/scalewatch.db")
    Table.metadata.create_all(engine)
    yield engine
    engine.dispose()


@pytest.fixture
def sessions(engine: Engine) -> Sessions:
    return sessions_of(engine)


@pytest.fixture
def session(sessions: Sessions) -> Iterator[Session]:
    """A writing session whose transaction is open during the test."""
    with sessions.writing() as session:
        yield session


@pytest.fixture
def app(engine: Engine) -> FastAPI:
    """The application without a worker: jobs wait until `work_off` is called."""
    return create_app(engine, embedded_worker=False)


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    return TestClient(app)


@pytest.fixture
def work_off(sessions: Sessions) -> Callable[[], None]:
    """Do all jobs that are due."""

    def work_off() -> None:
        while perform_next(sessions, "test"):
            pass

    return work_off
