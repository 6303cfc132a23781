"""The scoreboard of the benchmarks, put together in a copy of their folder."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MEASURED = """
from benchmarks.goals import Goal
from benchmarks.results import Results

results = Results("delivery", "How long it takes.")
results.table("runs", "seconds")(1000, {seconds})
goal = Goal("1,000 spooled runs delivered", "{{:.0f}} s", most=10, reason="slow disk")
results.figure(goal, {seconds})
results.end()
results.write()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(BENCHMARKS, tmp_path / "benchmarks", ignore=ignored)


def run(folder: Path, *arguments: str) -> None:
    command = [sys.executable, *arguments]
    subprocess.run(command, cwd=folder.parent, check=True, capture_output=True)


def scoreboard(folder: Path) -> str:
    run(folder, "-m", "benchmarks", "scoreboard")
    return (folder / "README.md").read_text("utf-8")


def row_of(figure: str, text: str) -> list[str]:
    (line,) = (line for line in text.splitlines() if line.startswith(f"| {figure} |"))
    return line.strip("| ").split(" | ")


def of_others(text: str) -> list[str]:
    rows = (line for line in text.splitlines() if line.startswith("| "))
    return [row for row in rows if "delivery" not in row]


def test_the_scoreboard_says_what_the_results_files_say(folder: Path) -> None:
    before = (folder / "README.md").read_text("utf-8")

    assert scoreboard(folder) == before


def test_a_new_results_file_replaces_the_figures_of_its_script(folder: Path) -> None:
    before = (folder / "README.md").read_text("utf-8")
    run(folder, "-c", MEASURED.format(seconds=12))

    after = scoreboard(folder)

    row = row_of("1,000 spooled runs delivered", after)
    assert (row[2], row[3], row[-1]) == ("≤ 10 s", "12 s", "**no**")
    assert "- 1,000 spooled runs delivered: slow disk." in after
    assert of_others(after) == of_others(before)


def test_a_figure_that_is_reached_again_is_no_longer_listed(folder: Path) -> None:
    run(folder, "-c", MEASURED.format(seconds=12))
    scoreboard(folder)
    run(folder, "-c", MEASURED.format(seconds=3))

    after = scoreboard(folder)

    assert row_of("1,000 spooled runs delivered", after)[-1] == "yes"
    assert "slow disk" not in after
