import gc
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import FrameType
from zlib import crc32

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import settings
from sqlalchemy import Engine, text
from sqlalchemy.orm import Session

from scalewatch.app import create_app
from scalewatch.jobs import perform_next
from scalewatch.settings import get_settings
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import Sessions, connect, sessions_of
from scalewatch.storage.tables import Table
from support.database_contents import FILLED
from support.fillings import filled_anew
from support.large_database import large_database
from support.servers.postgres import PostgreSQL
from support.servers.programs import NoProgram
from support.servers.redis import Redis

THOROUGH = "--thorough"
TESTS = Path(__file__).parent
LONGEST = frozenset({"agent", "browser", "cli", "faults"})
"""Folders of tests that start servers, browsers or MPI, and wait for them."""

SPREAD = 0.8
"""The part of a run over which they are spread."""

DIALECTS = ("sqlite", "postgresql")

MOST_WORKERS = 8
"""Each has a browser, a PostgreSQL and a Redis of its own."""

RARELY = (20_000, 20, 50)
"""When Python looks for cycles: each time it goes through all that was imported.

By its usual thresholds that is a sixth of the time of tests that render pages.
"""

# A loaded machine is slow, and that is no failure.
settings.register_profile("usual", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("thorough", deadline=None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        THOROUGH,
        action="store_true",
        help="the long form of tests that draw samples or break things",
    )


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(*RARELY)
    settings.load_profile("thorough" if config.getoption(THOROUGH) else "usual")


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Put tests in turn, and leave out what the long form is for."""
    places = _places([*dict.fromkeys(item.path for item in items)])
    items.sort(key=lambda item: places[item.path])
    if config.getoption(THOROUGH):
        return
    chosen = [item for item in items if _is_usual(item)]
    left_out = set(items) - set(chosen)
    config.hook.pytest_deselected(items=[*left_out])
    items[:] = chosen


def _places(files: list[Path]) -> dict[Path, float]:
    """Spread the files that wait for processes over most of the run, from 0 to 1.

    What computes has the cores while they wait. The end is without them: who gets the
    longest last would work alone.
    """
    waiting = [file for file in files if file.relative_to(TESTS).parts[0] in LONGEST]
    others = [file for file in files if file not in set(waiting)]
    return {
        file: share * number / len(group)
        for group, share in ((waiting, SPREAD), (others, 1.0))
        for number, file in enumerate(group)
    }


def _is_usual(item: pytest.Item) -> bool:
    """Tell whether a test belongs to the short form, too.

    Of tests for both databases half are run on the one and half on the other.
    """
    if item.get_closest_marker("thorough"):
        return False
    callspec = getattr(item, "callspec", None)
    dialect = callspec and callspec.params.get("dialect")
    if dialect is None:
        return True
    name = item.nodeid.replace(dialect, "")
    return dialect == DIALECTS[crc32(name.encode()) % len(DIALECTS)]


def pytest_xdist_auto_num_workers() -> int:
    """Return how many processes `--numprocesses=auto` takes: two for each core.

    Tests that start servers, browsers or MPI wait for them half of their time.
    """
    return min(2 * len(os.sched_getaffinity(0)), MOST_WORKERS)


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether tests are to be thorough rather than quick."""
    return bool(request.config.getoption(THOROUGH))


@pytest.fixture(scope="session", autouse=True)
def interruptible_children() -> Iterator[None]:
    """Let commands that tests start hear SIGINT and SIGHUP, however tests were started.

    A shell without job control starts what runs in its background with SIGINT
    ignored, and `nohup` ignores SIGHUP, which every child inherits. A handler is not
    inherited: children get the default action.
    """
    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGHUP: _unmoved}
    ignored = [each for each in handlers if signal.getsignal(each) is signal.SIG_IGN]
    for each in ignored:
        signal.signal(each, handlers[each])
    yield
    for each in ignored:
        signal.signal(each, signal.SIG_IGN)


@pytest.fixture(autouse=True)
def settings_are_read_anew() -> Iterator[None]:
    """Let each test have the environment it sets, whatever a test before has read."""
    get_settings.cache_clear()
    yield
    get_settings.cache_clear()


@pytest.fixture(autouse=True)
def patched_code_fills_databases(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fill databases anew in tests that may replace parts of the product."""
    is_patched = "monkeypatch" in request.fixturenames
    with filled_anew() if is_patched else nullcontext():
        yield


@pytest.fixture
def environment_variables() -> Iterator[pytest.MonkeyPatch]:
    """Variables of the environment during a test.

    Unlike `monkeypatch` this is not for parts of the product: databases of a test are
    what they always are.
    """
    with pytest.MonkeyPatch.context() as environment_variables:
        yield environment_variables


def _unmoved(_number: int, _frame: FrameType | None) -> None:
    """Go on, as whoever started the tests wishes."""


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A PostgreSQL of our own; one for each process that runs tests."""
    try:
        server = PostgreSQL()
    except NoProgram as missing:
        pytest.skip(str(missing))
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def broker_server() -> Iterator[Redis]:
    """A Redis of our own; one for each process that runs tests."""
    try:
        server = Redis()
    except NoProgram as missing:
        pytest.skip(str(missing))
    server.start()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def migrated(postgresql: PostgreSQL) -> str:
    """The address of a database with the schema, which tests use in turn."""
    url = postgresql.create("tests")
    engine = connect(url)
    schema.upgrade(engine)
    engine.dispose()
    return url


@pytest.fixture(scope="session")
def empty_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the schema, to be copied."""
    path = tmp_path_factory.mktemp("empty") / "scalewatch.db"
    engine = connect(f"sqlite:///{path}")
    Table.metadata.create_all(engine)
    engine.dispose()
    return path


@pytest.fixture
def dialect() -> str:
    """The database of a test; where both matter, a conftest asks for both."""
    return "sqlite"


@pytest.fixture(scope="session")
def copied_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the file of each test lies in turn."""
    return tmp_path_factory.mktemp("copied") / "scalewatch.db"


@pytest.fixture
def database_url(dialect: str, request: pytest.FixtureRequest) -> str:
    """The address of an empty database with the schema."""
    if dialect == "postgresql":
        return str(request.getfixturevalue("migrated"))
    copied: Path = request.getfixturevalue("copied_sqlite")
    for old in copied.parent.glob(f"{copied.name}*"):
        old.unlink()  # or whoever has it open still would see the new one
    shutil.copy(request.getfixturevalue("empty_sqlite"), copied)
    return f"sqlite:///{copied}"


@pytest.fixture
def blank(
    dialect: str, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Engine]:
    """A database without a schema."""
    if dialect == "postgresql":
        server: PostgreSQL = request.getfixturevalue("postgresql")
        engine = connect(server.create("blank"))
        yield engine
        engine.dispose()
        server.drop("blank")
    else:
        engine = connect(f"sqlite:///{tmp_path}/blank.db")
        yield engine
        engine.dispose()


RESTART = (
    "SELECT setval(CAST(sequencename AS regclass), 1, false) FROM pg_sequences "
    "WHERE last_value IS NOT NULL"
)


@pytest.fixture(scope="session")
def engine_of() -> Iterator[Callable[[str], Engine]]:
    """Connect once to each address: an engine knows the statements it has compiled."""
    engines: dict[str, Engine] = {}

    def engine_of(url: str) -> Engine:
        return engines.get(url) or engines.setdefault(url, connect(url))

    yield engine_of
    for engine in engines.values():
        engine.dispose()


@pytest.fixture
def engine(database_url: str, engine_of: Callable[[str], Engine]) -> Iterator[Engine]:
    engine = engine_of(database_url)
    yield engine
    if engine.dialect.name == "postgresql":
        empty(engine)  # its connections go on: a new one reads all catalogues anew
    else:
        engine.dispose()


def empty(engine: Engine) -> None:
    """Delete all rows; a test that left a transaction open fails instead of hanging."""
    tables = Table.metadata.tables
    names = ", ".join(f'"{name}"' for name in tables)
    with engine.begin() as connection:
        connection.execute(text("SET LOCAL lock_timeout = '10s'"))
        connection.execute(text("SET LOCAL session_replication_role = replica"))
        connection.execute(text(f"LOCK TABLE {names}"))
        for name in connection.scalars(FILLED).all():
            connection.execute(tables[name].delete())
        connection.execute(text(RESTART))


@pytest.fixture(scope="session")
def large_engine() -> Iterator[Engine]:
    """A database with the project of real size, for reading only."""
    engine = connect(f"sqlite:///{large_database()}")
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def portal() -> Iterator[BlockingPortal]:
    """The event loop of all clients: with its own, each request would start threads."""
    with start_blocking_portal() as portal:
        yield portal


@pytest.fixture(scope="session")
def client_of(portal: BlockingPortal) -> Callable[[FastAPI], TestClient]:
    """Make a client of an application."""

    def client_of(app: FastAPI) -> TestClient:
        client = TestClient(app)
        client.portal = portal
        return client

    return client_of


@pytest.fixture(scope="session")
def large_client(
    large_engine: Engine, client_of: Callable[[FastAPI], TestClient]
) -> TestClient:
    """The application on the project of real size, `large_project.PROJECT`."""
    return client_of(create_app(large_engine, embedded_worker=False))


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
def client(app: FastAPI, client_of: Callable[[FastAPI], TestClient]) -> TestClient:
    return client_of(app)


@pytest.fixture
def work_off(sessions: Sessions) -> Callable[[], None]:
    """Do all jobs that are due."""

    def work_off() -> None:
        while perform_next(sessions, "test"):
            pass

    return work_off
