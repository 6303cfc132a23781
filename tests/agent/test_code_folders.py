"""Folders of code that the agent runs: nobody else may write into them."""

import os

import pytest

from scalewatch_agent.folders import code_folder


@pytest.fixture(autouse=True)
def umask_of_all():
    before = os.umask(0)
    yield
    os.umask(before)


def mode_of(folder):
    return oct(folder.stat().st_mode & 0o777)


def test_folder_that_is_made_is_its_owners_alone_with_all_above_it(tmp_path):
    folder = code_folder(tmp_path / "home" / "agent" / "loops")

    made = (folder, folder.parent, folder.parent.parent)
    assert [mode_of(each) for each in made] == ["0o700"] * 3


@pytest.mark.parametrize(
    ("before", "after"), [(0o777, "0o755"), (0o770, "0o750"), (0o700, "0o700")]
)
def test_folder_that_is_there_is_written_by_nobody_else(tmp_path, before, after):
    folder = tmp_path / "loops"
    folder.mkdir(before)

    assert mode_of(code_folder(folder)) == after
