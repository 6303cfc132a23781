"""Whole compositions of plain processes, and agents that post to them."""

from collections.abc import Iterator

import pytest

from support.servers.composition import Composition
from support.servers.programs import NoProgram


@pytest.fixture(scope="module", params=["distributed", "embedded"])
def started(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Composition]:
    """The server on PostgreSQL, Redis and Celery, and that of a single user."""
    try:
        composition = Composition(
            tmp_path_factory.mktemp("composition"),
            is_distributed=request.param == "distributed",
        )
    except NoProgram as missing:
        pytest.skip(str(missing))
    try:
        composition.start()
        yield composition
    finally:
        composition.remove()


@pytest.fixture
def composition(started: Composition) -> Composition:
    """A composition that works, whatever the tests before have left of it."""
    started.mend()
    return started
