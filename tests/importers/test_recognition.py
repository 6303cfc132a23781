import json

import pytest

from scalewatch.importers import read_files
from scalewatch.importers.source import LONGEST_LOG_LINE
from scalewatch.importers.tables.commented import MOST_COLUMNS

CHATTER = "what a job says before its results, line by line\n" * 2_000
LAMMPS = """LAMMPS (2 Aug 2023)
Loop time of 1.5 on 4 procs for 100 steps with 32000 atoms

99.9% CPU use with 4 MPI tasks x 1 OpenMP threads

Pair    | 1.0 | 1.1 | 1.2 | 0.0 | 80.0
"""
TABLE = "# nodes  time\n1  8.5\n2  4.5\n"


def test_log_is_found_by_its_title_beyond_the_head(write) -> None:
    reading = read_files([write(CHATTER + LAMMPS)])

    assert [series.region for series in reading.series] == ["loop", "Pair"]


def test_title_that_jobs_print_before_is_passed_over(write) -> None:
    reading = read_files([write(f"{CHATTER}HPCG-Benchmark\n{LAMMPS}")])

    assert [series.region for series in reading.series] == ["loop", "Pair"]


def test_table_beyond_the_head_is_of_no_known_format(write) -> None:
    [error] = read_files([write(CHATTER + TABLE)]).unreadable

    assert "is of no known format" in str(error)
    assert not read_files([write(CHATTER + TABLE)], "commented-table").unreadable


@pytest.mark.parametrize(
    "text",
    [
        "HPCG-Benchmark\n" * 100_000,
        "LAMMPS (\n" * 100_000,
        " " * 1_000_000 + "x\n",
        "\t" * 1_000_000 + "x",
        "mpirun -n " * 100_000,
        "x\n" * 30_000 + "{",
        f"#{'  a' * 30_000}\n{'1  ' * 30_000}\n",
    ],
    ids=lambda text: text.strip()[:20],
)
@pytest.mark.parametrize("file_format", ["auto", "hpcg", "osu", "json"])
def test_text_that_is_made_to_take_long_is_refused(write, text, file_format) -> None:
    [error] = read_files([write(text)], file_format).unreadable

    assert error.reason


def test_longer_line_of_a_log_is_refused_by_its_number(write) -> None:
    line = "x" * LONGEST_LOG_LINE

    [error] = read_files([write(f"{LAMMPS}{line}\n")]).unreadable

    assert str(error).endswith(
        "line 7: expected lines of at most 100,000 bytes, found a longer one"
    )


def test_document_may_stand_on_a_longer_line(write) -> None:
    values = [1.5] * LONGEST_LOG_LINE
    document = {"params": {"p": 4}, "callpath": "solve", "value": values}

    [series] = read_files([write(json.dumps(document))]).series

    assert series.values.shape == (1, LONGEST_LOG_LINE)


def test_table_of_more_columns_than_anybody_writes_is_refused(write) -> None:
    names = "  ".join(f"n{column}" for column in range(MOST_COLUMNS + 1))
    row = "  ".join(["1.5"] * (MOST_COLUMNS + 1))

    assert read_files([write(f"# {names}\n{row}\n")], "commented-table").unreadable
