import gc
import subprocess
import sys

import pytest

from scalewatch.cli.deferred import Deferred
from scalewatch.loading import without_collections
from scalewatch.web.process import Config

MODULE = """
import gc

command = app = gc.isenabled()
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The name of a module that keeps whether the collector was there."""
    (tmp_path / "loaded").mkdir()
    (tmp_path / "loaded" / "here.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield "loaded.here"
    for name in ("loaded", "loaded.here"):
        sys.modules.pop(name, None)


def test_collector_comes_back_whatever_happens():
    with without_collections():
        inside = gc.isenabled()
    with pytest.raises(KeyError), without_collections():
        raise KeyError

    assert not inside
    assert gc.isenabled()


def test_commands_are_loaded_without_collections_and_passed_over_by_later_ones(module):
    package, _, name = module.rpartition(".")
    command = Deferred(name, name, "Loads.", package=package)
    frozen = gc.get_freeze_count()

    assert command.load() is False
    assert gc.isenabled()
    assert gc.get_freeze_count() > frozen

    meanwhile = ["what may become garbage"]
    command.load()
    assert any(each is meanwhile for each in gc.get_objects())


def test_applications_are_loaded_without_collections(module):
    config = Config(
        f"{module}:app", interface="asgi3", proxy_headers=False, log_config=None
    )

    config.load()

    assert config.loaded_app is False
    assert gc.isenabled()


def test_commands_of_the_agent_keep_the_collector_from_what_they_load():
    code = """
import gc
from click import Context
from scalewatch_agent.cli import main
looked = []
gc.callbacks.append(lambda phase, _: looked.append(phase))
main.resolve_command(Context(main), ["run"])
assert looked == [], looked
assert gc.isenabled()
assert gc.get_freeze_count() > 10_000
"""

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, text=True
    )

    assert done.returncode == 0, done.stderr


def loaded_by(module):
    """Return the names of all modules that are there once one is imported."""
    names = f"import gc, sys; gc.disable(); import {module}; print(*sys.modules)"
    return subprocess.run(
        [sys.executable, "-c", names], capture_output=True, text=True, check=True
    ).stdout.split()


def test_server_starts_without_what_only_analyses_and_its_description_need():
    names = loaded_by("scalewatch.app")

    assert {"scipy.special", "scalewatch.api.http.answers"} <= set(names)
    assert "scalewatch.api.http.described" not in names
    assert {"scipy.linalg", "scipy.optimize", "scipy.sparse"}.isdisjoint(names)


def test_sweeps_start_without_what_only_traces_need():
    assert "numpy" not in loaded_by("scalewatch_agent.cli.run")
