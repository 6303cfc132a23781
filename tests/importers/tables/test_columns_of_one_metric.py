"""Columns of one metric, columns of repetitions, and what stands beside results."""

import pytest

from scalewatch.importers import read_files

SETTINGS = (1, 2, 4, 8, 16)


def _measured(write, header, cells):
    rows = [",".join(map(str, (p, *cells(p)))) for p in SETTINGS]
    reading = read_files([write("\n".join([header, *rows, ""]), "t.csv")])
    held: dict[tuple[str, float], list[float]] = {}
    for each in reading.scans.measurements():
        key = each.subject.metric, each.coordinate[0]
        held.setdefault(key, []).extend(each.values)
    return held


@pytest.mark.parametrize(
    ("header", "metrics"),
    [
        ("ranks,elapsed,Elapsed", {"time", "Elapsed"}),
        ("cores,t [s],t [ms]", {"t", "t (2)"}),
        ("p,runtime,walltime", {"time", "walltime"}),
        ("p,time (s),time (s)", {"time", "time (2)"}),
    ],
)
def test_two_columns_of_one_metric_are_no_repetitions(write, header, metrics) -> None:
    held = _measured(write, header, lambda p: (100.5 / p, 120.25 / p))

    assert {metric for metric, _ in held} == metrics
    assert all(len(values) == 1 for values in held.values())


@pytest.mark.parametrize(
    ("header", "metric"),
    [
        ("ranks,run1,run2,run3", "value"),
        ("p,trial 1 (s),trial 2 (s),trial 3 (s)", "time"),
        ("cores,rep_1,rep_2,rep_3", "value"),
    ],
)
def test_numbered_runs_are_repetitions(write, header, metric) -> None:
    held = _measured(write, header, lambda p: (100.5 / p, 101.5 / p, 99.5 / p))

    assert {metric for metric, _ in held} == {metric}
    assert held[metric, 1] == [100.5, 101.5, 99.5]


@pytest.mark.parametrize("column", ["cv", "iqr", "MAD", "ntimes", "queue time"])
def test_spread_or_count_beside_a_time_is_no_result(write, column) -> None:
    held = _measured(write, f"p,time,{column}", lambda p: (100.5 / p, 0.5 + p / 8))

    assert {metric for metric, _ in held} == {"time"}
