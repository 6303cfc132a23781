"""Which tests are run, in which turn, and by how many processes."""

import gc
import os
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings

THOROUGH = "--thorough"
TESTS = Path(__file__).parent
FIXTURES = ("clients", "databases", "environment")
"""Modules of `support.fixtures`."""

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
    if config.getoption("dist", "no") == "no":
        _bring_fixtures(config.pluginmanager)


def _bring_fixtures(plugins: pytest.PytestPluginManager) -> None:
    """Load what most tests need; who only hands them out does without the product."""
    names = [f"support.fixtures.{each}" for each in FIXTURES]
    pytest.register_assert_rewrite(*names)
    for name in names:
        plugins.import_plugin(name)


def pytest_collection_finish() -> None:
    gc.freeze()  # modules and tests live on: the collector passes over them


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
    """Return how many processes `--numprocesses=auto` takes: one more than cores.

    While one waits for servers, browsers or MPI the others have the cores. Each process
    imports the product and collects all tests, which a further one would not win back.
    """
    return min(len(os.sched_getaffinity(0)) + 1, MOST_WORKERS)


@pytest.fixture(scope="session")
def thorough(request: pytest.FixtureRequest) -> bool:
    """Whether tests are to be thorough rather than quick."""
    return bool(request.config.getoption(THOROUGH))
