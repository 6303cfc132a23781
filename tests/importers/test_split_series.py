from pathlib import Path

import pytest

from scalewatch.importers import read_files


@pytest.mark.parametrize(
    ("modes", "is_noted"), [("abaab", True), ("aaaaa", False), ("", False)]
)
def test_column_that_splits_series_over_settings_is_named(
    tmp_path: Path, modes: str, *, is_noted: bool
) -> None:
    file = tmp_path / "modes.csv"
    rows = [f"{2**k},{10.5 / (k + 1)},{mode}" for k, mode in enumerate(modes)]
    if not modes:
        rows = [f"{2**k},{10.5 / (k + 1)},{m}" for k in range(5) for m in "ab"]
    file.write_text("p,time,mode\n" + "\n".join(rows))

    notes = read_files([str(file)]).left_out

    assert any("mode" in note for note in notes) is is_noted


def test_second_column_of_a_name_keeps_its_number(tmp_path: Path) -> None:
    file = tmp_path / "twins.csv"
    file.write_text(
        "p,time,time\n" + "".join(f"{2**k},{k + 1},{9 - k}\n" for k in range(5))
    )

    metrics = [series.metric for series in read_files([str(file)]).series]

    assert metrics == ["time", "time (2)"]


def test_names_that_end_in_a_number_lead_to_the_pattern_that_reads_them(
    tmp_path: Path,
) -> None:
    file = tmp_path / "bench.json"
    runs = [
        f'{{"name": "sort<int, 3>/{2**k}", "run_type": "iteration", "iterations": 1, '
        f'"real_time": {k + 1}.5, "cpu_time": 1.5, "time_unit": "ns"}}'
        for k in range(5)
    ]
    file.write_text(
        '{"context": {"num_cpus": 8}, "benchmarks": [' + ", ".join(runs) + "]}"
    )

    (error,) = read_files([str(file)]).unreadable

    assert "--name '{region}/{n}'" in str(error)
