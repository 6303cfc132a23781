"""`scalewatch model --split`: the best split of cores, in words and in JSON."""

import json

import pytest
from click.testing import CliRunner

from scalewatch.cli import main

ROWS = [
    *("p,threads,region,value,unit", "1,1,cg,8,s", "1,2,cg,4.2,s", "2,1,cg,4.6,s"),
    *("1,4,cg,3,s", "2,2,cg,2,s", "4,1,cg,2.5,s", "1,1,io,1,s"),
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "splits.csv"
    path.write_text("\n".join(ROWS) + "\n")
    return str(path)


def model(*words):
    return CliRunner().invoke(main, ["model", *words])


def test_best_split_of_each_total_is_named(file):
    done = model(file, "--split", "p*threads")

    assert done.exit_code == 0, done.output
    assert "cg: best split" in done.stdout
    assert "at 4: p = 2, threads = 2, 2 s" in done.stdout
    assert "at 2: p = 1, threads = 2" in done.stdout
    assert "io: best" not in done.stdout


def test_splits_of_one_total_for_programs(file):
    done = model(file, "--split", "p*threads=4", "--json")

    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    (cg,) = (line for line in lines if line["region"] == "cg")
    (choice,) = cg["splits"]
    assert choice["total"] == 4
    assert [split["at"]["p"] for split in choice["splits"]] == [2, 4, 1]


def test_model_tells_of_a_total_that_nobody_measured(tmp_path):
    path = tmp_path / "grid.csv"
    rows = [
        f"{p},{threads},cg,{1e-3 * p + 1e-4 * threads**2},s"
        for p in (1, 2, 4, 8, 16)
        for threads in (1, 2, 4, 8, 16)
    ]
    path.write_text("\n".join(["p,threads,region,value,unit", *rows]) + "\n")

    done = model(str(path), "--split", "p*threads=1024")

    assert done.exit_code == 0, done.output
    assert "at 1024: p = " in done.stdout
    assert "the model" in done.stdout


@pytest.mark.parametrize(
    ("split", "words"),
    [
        ("p*ranks", "no series is measured over all of these"),
        ("p", "is not like 'p*threads'"),
        ("p*p", "is not like 'p*threads'"),
        ("p*threads=x", "no whole number"),
        ("p*threads=0", "no whole number"),
    ],
)
def test_split_that_nothing_tells_about_is_wrong_usage(file, split, words):
    done = model(file, "--split", split)

    assert done.exit_code == 2
    assert words in done.stderr


def test_total_that_neither_measurements_nor_a_model_tell_of_is_refused(tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("\n".join(ROWS[:5]) + "\n")

    done = model(str(path), "--split", "p*threads=64")

    assert done.exit_code == 2
    assert "splits of 64" in done.stderr
