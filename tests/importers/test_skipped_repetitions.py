import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from scalewatch.importers import read_files
from scalewatch.importers.formats import AUTO
from scalewatch.importers.settings import SettingRules

SKIPPED = {AUTO: SettingRules(skip_first=1)}
ROWS = [
    (p, rep, 9.0 if rep == 0 else 1.0 + rep / 100) for p in (2, 4) for rep in range(3)
]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    file = tmp_path / "times.csv"
    file.write_text("p,rep,time\n" + "".join(f"{p},{r},{t}\n" for p, r, t in ROWS))
    return file


def test_first_repetition_of_each_setting_is_left_out(table: Path) -> None:
    reading = read_files([str(table)], rules=SKIPPED)

    (series,) = reading.series
    assert series.values.tolist() == [[1.01, 1.02]] * 2


def test_first_repetition_is_that_of_the_column_wherever_its_row_stands(
    table: Path,
) -> None:
    header, *rows = table.read_text().splitlines()
    table.write_text("\n".join([header, *reversed(rows)]))

    (series,) = read_files([str(table)], rules=SKIPPED).series

    assert series.values.tolist() == [[1.01, 1.02]] * 2


def test_skipping_all_of_a_setting_is_refused_by_its_name(table: Path) -> None:
    table.write_text(f"{table.read_text()}8,0,9.0\n")

    reading = read_files([str(table)], rules=SKIPPED)

    assert not reading.series
    (error,) = reading.unreadable
    assert "p = 8" in str(error)


def test_what_nobody_repeated_stays_whole_beside_what_was(tmp_path: Path) -> None:
    file = tmp_path / "both.csv"
    rows = ["solve,2,9", "solve,2,1", "solve,4,9", "solve,4,1", "once,2,5", "once,4,6"]
    file.write_text("region,p,time\n" + "\n".join(rows))

    reading = read_files([str(file)], rules=SKIPPED)

    values = {each.region: each.values.tolist() for each in reading.series}
    assert values == {"solve": [[1.0], [1.0]], "once": [[5.0], [6.0]]}
    assert any("once" in note for note in reading.left_out)


def test_file_without_repetitions_has_nothing_to_skip(tmp_path: Path) -> None:
    file = tmp_path / "single.csv"
    file.write_text("p,time\n1,5\n2,3\n")

    assert read_files([str(file)], rules=SKIPPED).unreadable


def test_project_file_states_how_many_are_skipped(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (table.parent / "scalewatch.toml").write_text("[import.csv]\nskip_first = 1\n")
    monkeypatch.chdir(table.parent)

    answer = CliRunner().invoke(main, ["model", str(table), "--json"])

    assert json.loads(answer.stdout)["repetitions"] == 2


def test_model_names_a_warm_up_until_it_is_skipped(tmp_path: Path) -> None:
    file = tmp_path / "warm.csv"
    rows = [
        f"{p},{9 * p if rep == 0 else p + rep / 100}"
        for p in (1, 2, 4, 8, 16)
        for rep in range(3)
    ]
    file.write_text("p,time\n" + "\n".join(rows))

    whole = CliRunner().invoke(main, ["model", str(file), "--json"])
    rest = CliRunner().invoke(main, ["model", str(file), "--json", "--skip-first", "1"])

    assert json.loads(whole.stdout)["warm_up"]["repetitions"] == 1
    assert json.loads(rest.stdout)["warm_up"] is None
    assert json.loads(rest.stdout)["growth"] == "p"


@pytest.mark.parametrize("meaning", ["ignore", "configuration"])
def test_column_called_like_an_outcome_may_be_said_to_be_none(
    tmp_path: Path, meaning: str
) -> None:
    file = tmp_path / "phases.csv"
    file.write_text(
        "p,time,status\n" + "".join(f"{2**k},{k + 1},warm\n" for k in range(5))
    )

    refused = CliRunner().invoke(main, ["model", str(file)])
    taken = CliRunner().invoke(
        main, ["model", str(file), "--json", "--column", f"{meaning}=status"]
    )

    assert refused.exit_code == 3
    for named in ("'status warm'", "--column ignore=status"):
        assert named in refused.stderr
    assert json.loads(taken.stdout)["points"] == 5
