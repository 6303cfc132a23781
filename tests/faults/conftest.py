"""A whole composition of plain processes, and agents that post to it."""

from collections.abc import Iterator

import pytest

from support.servers.composition import Composition
from support.servers.programs import NoProgram


@pytest.fixture(params=["distributed", "embedded"])
def composition(request: pytest.FixtureRequest, tmp_path) -> Iterator[Composition]:
    """The server on PostgreSQL, Redis and Celery, and that of a single user."""
    try:
        composition = Composition(
            tmp_path, is_distributed=request.param == "distributed"
        )
    except NoProgram as missing:
        pytest.skip(str(missing))
    try:
        composition.start()
        yield composition
    finally:
        composition.remove()
