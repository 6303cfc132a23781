"""Logs read by patterns of their lines, the user's and those that are shipped."""

import math

import pytest

from scalewatch.errors import BadPattern
from scalewatch.importers import read_files
from scalewatch.importers.lines import program_of, shipped_programs
from scalewatch.importers.settings import SettingRules
from support.programs_output import OUTPUTS

NO_SETTING = {"gnu-time", "bash-time"}
ELSEWHERE = {False: {}, True: {"auto": SettingRules(at={"p": 4.0})}}


def stated(*lines, **keys):
    return {
        "auto": SettingRules(programs=[program_of("--line", {"lines": lines})], **keys)
    }


def values_of(reading):
    assert not reading.unreadable, reading.unreadable
    return {
        (measurement.subject.region, measurement.subject.metric): (
            dict(
                zip(measurement.subject.parameters, measurement.coordinate, strict=True)
            ),
            measurement.values,
            measurement.subject.unit,
        )
        for measurement in reversed([*reading.scans.measurements()])
    }


@pytest.mark.parametrize("name", OUTPUTS)
def test_output_of_a_program_is_known_and_read(write, name) -> None:
    text, expected = OUTPUTS[name]

    values = values_of(read_files([write(text)], rules=ELSEWHERE[name in NO_SETTING]))

    for key, (settings, first, unit) in expected.items():
        assert key in values
        known, numbers, its_unit = values[key]
        assert settings.items() <= known.items()
        assert numbers[0] == pytest.approx(first, nan_ok=True)
        assert its_unit == unit


def test_each_shipped_program_has_an_output_here() -> None:
    assert {program.name for program in shipped_programs()} == set(OUTPUTS)


@pytest.mark.parametrize("name", OUTPUTS)
def test_output_is_known_by_its_program_alone(name) -> None:
    text, _ = OUTPUTS[name]

    known = [each.name for each in shipped_programs() if each.recognises(text)]

    assert known == [name]


def test_stated_lines_make_one_scan_of_several_files(write) -> None:
    rules = stated("ExecutionTime = {time:last} s", "nProcs : {p}")
    paths = [
        write(
            f"nProcs : {p}\nExecutionTime = 1 s\nExecutionTime = {64 / p} s\n", str(p)
        )
        for p in (2, 4, 8)
    ]

    [series] = read_files(paths, rules=rules).series

    assert series.settings[:, 0].tolist() == [2, 4, 8]
    assert series.values[:, 0].tolist() == [32, 16, 8]


def test_setting_that_comes_again_begins_the_next_record(write) -> None:
    text = "nodes: 2\nranks: 4\ntook 8 s\ntook 9 s\nranks: 8\ntook 5 s\n"
    rules = stated("nodes: {nodes}", "ranks: {p}", "took {time} s")

    rows = [
        (each.coordinate, [*each.values])
        for each in read_files([write(text)], rules=rules).scans.measurements()
    ]

    assert rows == [((2, 4), [8, 9]), ((2, 8), [5])]


def test_setting_behind_its_value_is_of_the_record_before(write) -> None:
    text = "took 8 s\nranks: 4\ntook 5 s\nranks: 8\n"

    reading = read_files([write(text)], rules=stated("ranks: {p}", "took {time} s"))

    rows = [(each.coordinate, [*each.values]) for each in reading.scans.measurements()]
    assert rows == [((4,), [8]), ((8,), [5])]


def test_one_line_may_be_a_record(write) -> None:
    text = (
        "Elapsed time with   1 nodes:  80.5 s.\nElapsed time with  4 nodes: 23.1 s.\n"
    )

    [series] = read_files(
        [write(text)], rules=stated("time with {nodes} nodes: {time} s")
    ).series

    assert series.parameters == ("nodes",)
    assert series.values[:, 0].tolist() == [80.5, 23.1]


def test_unit_stands_behind_a_hole_in_it_or_in_the_cell(write) -> None:
    text = "n 4\nwait 5 ms\nrate 3.5\nspan 1m41.5s\n"
    rules = stated("n {p}", "wait {time} ms", "rate {rate:GB/s}", "span {span}")

    values = values_of(read_files([write(text)], rules=rules))

    assert values["program", "time"][1:] == ([0.005], "s")
    assert values["program", "rate"][1:] == ([3.5], "GB/s")
    assert values["program", "span"][1:] == ([101.5], "s")


def test_clock_that_runs_on_counts_with_its_last_value_and_a_note(write) -> None:
    text = "p 4\n" + "".join(f"time {step} s\n" for step in range(1, 9))

    reading = read_files([write(text)], rules=stated("p {p}", "time {time} s"))

    assert values_of(reading)["program", "time"][1] == [8]
    assert "clock that runs on" in reading.left_out[0]


def test_value_that_says_that_the_run_failed_is_missing(write) -> None:
    text = "p 4\ntime OOM\np 8\ntime 3 s\nexit code 137\n"
    rules = stated("p {p}", "time {time}", "exit code {exit_code}")

    rows = [
        (each.coordinate, each.values)
        for each in read_files([write(text)], rules=rules).scans.measurements()
    ]

    assert [coordinate for coordinate, _ in rows] == [(4,), (8,)]
    assert all(math.isnan(value) for _, values in rows for value in values)


def test_log_without_such_a_line_is_refused_by_the_pattern(write) -> None:
    [error] = read_files([write("nothing\n")], rules=stated("took {time} s")).unreadable

    assert str(error).endswith("no line is like 'took {time} s'")


def test_pattern_that_no_line_is_like_is_noted(write) -> None:
    reading = read_files(
        [write("p 4\ntook 3 s\n")],
        rules=stated("p {p}", "took {time} s", "mem {memory}"),
    )

    assert "no line is like 'mem {memory}'" in reading.left_out[0]


def test_settings_too_large_to_compute_with_are_refused_by_their_formula(write):
    text, _ = OUTPUTS["wrf"]
    mutated = text.replace("Ntasks in X            8 ", "Ntasks in X 1e308 ")
    assert mutated != text
    several = mutated.replace("ntasks in Y            4", "ntasks in Y 1e308")

    reading = read_files([write(several)])

    (refused,) = reading.unreadable
    assert "p = tasks_x * tasks_y" in str(refused)


def test_last_line_without_its_end_is_refused(write) -> None:
    [error] = read_files(
        [write("p 4\ntook 3")], rules=stated("p {p}", "took {time}")
    ).unreadable

    assert "the end of the line" in str(error)


def test_program_of_the_user_is_known_by_its_signature(write) -> None:
    mine = program_of(
        "mine",
        {
            "signature": ["MYCODE {**}"],
            "lines": ["on {p} ranks"],
            "sections": [
                {"begins": "phase wall", "lines": ["{region} {time:s}"], "ends": "--"}
            ],
        },
    )
    text = "MYCODE 2\non 4 ranks\nphase  wall\n--\nsolve  2.5\nio  1\n--\nx 3\n"

    values = values_of(
        read_files([write(text)], rules={"auto": SettingRules(programs=[mine])})
    )

    assert {key[0]: taken[1] for key, taken in values.items()} == {
        "solve": [2.5],
        "io": [1],
    }


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ({"lines": ["p {p}"]}, "no line with a value"),
        ({"lines": ["{time}"]}, "no word"),
        ({"lines": ["t {time}{p}"]}, "nothing between"),
        ({"lines": ["t {time"]}, "stray"),
        ({"lines": ["t {time:furlong}"]}, "no unit"),
        ({"lines": ["t {time} {time}"]}, "twice"),
        ({"lines": ["x" * 501]}, "501 characters"),
        ({"lines": 3}, "no list"),
        ({"line": ["t {time}"]}, "key 'line'"),
    ],
)
def test_patterns_that_mean_nothing_are_refused(table, fault) -> None:
    with pytest.raises(BadPattern, match=fault):
        program_of("x", table)


def test_lines_made_against_the_matcher_take_no_longer_than_others(write) -> None:
    holes = " ".join(f"{{**}} a{{v{number}}}" for number in range(8))
    text = ("a1 " * 300 + "\n") * 60

    [error] = read_files([write(text)], rules=stated(f"a {holes} end")).unreadable

    assert "no line" in str(error)
