from functools import partial

import pytest

from scalewatch_agent.experiments import results as read
from scalewatch_agent.experiments.matching import matches
from scalewatch_agent.experiments.results import read_results
from scalewatch_agent.experiments.schema import ResultRule
from support.agent_sentences import EXPERIMENTS as SAID


def results(folder, *rules, **files):
    for name, text in files.items():
        (folder / name).write_text(text)
    made = [ResultRule.model_validate(rule) for rule in rules]
    return read_results(made, folder, "program")


def only(found):
    (result,) = found
    return result


SOLVE = {"pattern": r"solve: ([-0-9.eD+]+) s", "region": "solve", "unit": "s"}


def test_each_match_is_a_repetition(tmp_path):
    text = "start\nsolve: 1.5 s\nsolve: 2e-3 s\nsolve: 1.5D-03 s\n"

    result = only(results(tmp_path, SOLVE, stdout=text))

    assert result.values == (1.5, 2e-3, 1.5e-3)
    assert (result.region, result.metric, result.unit) == ("solve", "time", "s")


def test_pattern_names_regions_and_units_itself(tmp_path):
    pattern = r"^(?P<region>\w+) +(?P<value>\S+) +(?P<unit>\w+)$"

    found = results(
        tmp_path, {"pattern": pattern}, stdout="read 1 ms\nsolve 2 s\nread 3 ms\n"
    )

    assert [(one.region, one.unit, one.values) for one in found] == [
        ("read", "ms", (1.0, 3.0)),
        ("solve", "s", (2.0,)),
    ]


def test_line_names_metric_unit_and_region(tmp_path):
    rule = {"line": "{region} : {wall_time} WALL", "take": "last"}
    text = "  solve :  1m1.5s WALL\n  solve : 62.5s WALL\n  io : 2s WALL\nend\n"

    found = results(tmp_path, rule, stdout=text)

    assert [(each.region, each.metric, each.unit, each.values) for each in found] == [
        ("solve", "wall_time", "s", (62.5,)),
        ("io", "wall_time", "s", (2.0,)),
    ]


def test_line_that_nothing_is_like_is_a_reason(tmp_path):
    rule = {"line": "took {time} s", "region": "solve"}

    failed = only(results(tmp_path, rule, stdout="nothing\n"))

    assert (failed.status, failed.unit) == ("failed", "s")
    assert "'took {time} s'" in failed.reason


@pytest.mark.parametrize(
    "rule",
    [
        {"line": "took {time} s"},
        {"line": "on {p} ranks {time} s", "region": "solve"},
        {"line": "took {time} s {rate}", "region": "solve"},
        {"line": "took {time:last} s", "region": "solve"},
        {"line": "{time}", "region": "solve"},
        {"line": "took {time} s", "pattern": "(.)", "region": "solve", "unit": "s"},
    ],
)
def test_line_that_says_too_little_or_too_much_is_refused(rule):
    with pytest.raises(ValueError, match=r"line|region|pattern"):
        ResultRule.model_validate(rule)


def test_pattern_that_never_ends_fails_its_result_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(read, "matches", partial(matches, seconds=2))
    endless = {"pattern": "^(a+)+(?P<value>1)$", "region": "never", "unit": "s"}
    text = f"{'a' * 60}\nsolve: 1.5 s\n"

    failed, solved = results(tmp_path, endless, SOLVE, stdout=text)

    assert (failed.region, failed.status, failed.values) == ("never", "failed", ())
    assert SAID["endless pattern"] in failed.reason
    assert solved.values == (1.5,)


def test_pattern_finds_all_of_a_large_file(tmp_path):
    text = "solve: 1.5 s\n" * 200_000 + "gelöst\r\n\x00solve: 2 s"

    result = only(results(tmp_path, SOLVE, stdout=text))

    assert len(result.values) == 200_001
    assert result.values[-1] == 2.0


def test_json_file_holds_one_object_or_several(tmp_path):
    found = results(
        tmp_path,
        {"json": "out", "unit": "s"},
        out='[{"region": "a", "values": [1, 2], "ignored": {}}, '
        '{"region": "a", "metric": "memory", "unit": "kB", "value": 3}]',
    )

    assert [(one.metric, one.values) for one in found] == [
        ("time", (1.0, 2.0)),
        ("memory", (3.0,)),
    ]


def test_json_lines_are_repetitions(tmp_path):
    lines = '{"region": "a", "value": 1}\n\n{"region": "a", "value": 2}\n'

    result = only(results(tmp_path, {"json_lines": "out", "unit": "s"}, out=lines))

    assert result.values == (1.0, 2.0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nothing", "nothing in stdout matches"),
        ("solve: - s", "'-' of solve is no number"),
        ("solve: 1e999 s", "a value of solve is inf"),
        ("solve: -1 s", "a time is negative"),
    ],
)
def test_output_without_a_result_is_a_reason(text, reason, tmp_path):
    result = only(results(tmp_path, SOLVE, stdout=text))

    assert (result.region, result.status) == ("solve", "failed")
    assert reason in result.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"value": 1', "out is no JSON: "),
        ("[" * 100_000, "out is no JSON"),
        ("3", "holds 3 where an object is expected"),
        ('{"region": "a"}', "without value and values"),
        ('{"region": "a", "value": "x"}', "'x' of a is no number"),
        ('{"region": "a", "value": true}', "True of a is no number"),
        ('{"region": "a", "value": NaN}', "a value of a is nan"),
        ('{"region": "a", "values": 1}', "the values of a are no list"),
        ('{"region": "a", "values": []}', "needs a value"),
        ('{"region": "a", "unit": "B", "value": 1}', "'B' is no unit of 'time'"),
        ('{"region": "a/b", "value": 1}', "'a/b' is no name of a region"),
        ('{"region": "a", "better": "more", "value": 1}', "lower"),
        ('{"region": "a", "exact": 1, "value": 1}', "neither true nor false"),
        ("[]", "out holds no result"),
        (
            '[{"region": "a", "value": 1}, {"region": "a", "value": 1, "unit": "ms"}]',
            "a is given in s and in ms",
        ),
        ('{"region": "a", "value": 1' + "0" * 400 + "}", "too large"),
    ],
)
def test_json_that_cannot_be_used_is_a_reason(text, reason, tmp_path):
    result = only(results(tmp_path, {"json": "out", "unit": "s"}, out=text))

    assert (result.region, result.status) == ("program", "failed")
    assert reason in result.reason


def test_missing_file_is_a_reason(tmp_path):
    result = only(results(tmp_path, {"json": "out.json"}))

    assert result.reason == SAID["no file"]


def test_rule_that_fails_leaves_the_others_alone(tmp_path):
    found = results(tmp_path, SOLVE, {"json": "none"}, stdout="solve: 1 s")

    assert [one.status for one in found] == ["ok", "failed"]


def test_line_of_malformed_json_is_named(tmp_path):
    lines = '{"region": "a", "value": 1}\n{"region"\n'

    result = only(results(tmp_path, {"json_lines": "out", "unit": "s"}, out=lines))

    assert result.reason.startswith(SAID["bad line"])


@pytest.mark.parametrize(
    ("keys", "values", "warm_ups"),
    [
        ({"skip": 1}, (2.0, 3.0), 1),
        ({"take": "last"}, (3.0,), None),
        ({"skip": 2, "take": "last"}, (3.0,), 2),
    ],
)
def test_warm_ups_and_earlier_values_are_left_out(keys, values, warm_ups, tmp_path):
    text = "".join(f"solve: {value} s\n" for value in (1, 2, 3))

    result = only(results(tmp_path, SOLVE | keys, stdout=text))

    assert result.values == values
    assert (result.procedure and result.procedure.warm_ups) == warm_ups


def test_skipping_counts_in_each_region_alone(tmp_path):
    lines = "".join(f'{{"region": "{of}", "value": 1}}\n' for of in "aabbb")

    found = results(tmp_path, {"json_lines": "out", "unit": "s", "skip": 1}, out=lines)

    assert [len(each.values) for each in found] == [1, 2]


def test_skipping_all_values_fails_the_result(tmp_path):
    text = "solve: 1.5 s\nsolve: 2 s\n"

    result = only(results(tmp_path, SOLVE | {"skip": 2}, stdout=text))

    assert (result.status, result.values) == ("failed", ())
    assert result.reason.startswith("solve has 2 values")


def test_keys_that_are_not_stated_do_not_tell_jobs_apart():
    plain = ResultRule.model_validate(SOLVE)
    skipping = ResultRule.model_validate(SOLVE | {"skip": 1})

    assert not {"skip", "take"} & plain.identity.keys()
    assert skipping.identity == plain.identity | {"skip": 1}


def test_two_rules_may_add_to_one_result(tmp_path):
    other = {"json": "out", "region": "solve", "unit": "s"}

    result = only(
        results(tmp_path, SOLVE, other, stdout="solve: 1 s", out='{"value": 2}')
    )

    assert result.values == (1.0, 2.0)


@pytest.mark.parametrize("path", ["/etc/passwd", "../stdout", "a/../../b"])
def test_results_lie_in_the_folder_of_the_job(path):
    with pytest.raises(ValueError, match="folder of the job"):
        ResultRule.model_validate({"json": path})


def test_program_says_which_of_its_values_are_exact(tmp_path):
    text = (
        '[{"region": "a", "metric": "bytes", "unit": "B", "exact": true, "value": 7},'
        ' {"region": "b", "value": 1.5}]'
    )

    found = results(tmp_path, {"json": "out", "unit": "s"}, out=text)

    assert [(each.region, each.exact) for each in found] == [("a", True), ("b", False)]
