import os
import shutil

import pytest

from scalewatch_agent.compilers import build_loops

needs_compiler = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))),
    reason="no C compiler: apt-get install gcc",
)


@needs_compiler
def test_loops_are_compiled_once(tmp_path):
    first = build_loops(tmp_path)
    made = first.stat().st_mtime_ns

    assert build_loops(tmp_path) == first
    assert first.stat().st_mtime_ns == made
    assert list(tmp_path.iterdir()) == [first]


def test_without_a_compiler_there_are_none(tmp_path):
    assert build_loops(tmp_path, {"PATH": str(tmp_path)}) is None


@pytest.mark.parametrize("compiler", ["/bin/false", "/no/such/compiler --flag"])
def test_compiler_that_fails_leaves_nothing_behind(tmp_path, compiler):
    assert build_loops(tmp_path, os.environ | {"CC": compiler}) is None
    assert list(tmp_path.iterdir()) == []
