from pathlib import Path

import pytest

from scalewatch_agent.errors import ExperimentInvalid
from scalewatch_agent.experiments.loading import load_experiment

HEAD = """\
name: sweep
project: code
"""
TAIL = """\
execute: ./program
results:
  - {pattern: "(.+) s", region: all, unit: s}
"""
EXAMPLE = Path(__file__).parents[3] / "examples/ring.yaml"


def written(folder, text):
    path = folder / "sweep.yaml"
    path.write_text(text)
    return path


def combinations(folder, parameters, tail=TAIL):
    path = written(folder, HEAD + parameters + tail)
    return [dict(one.combination) for one in load_experiment(path).configured]


def flaws(folder, text):
    path = written(folder, text)
    with pytest.raises(ExperimentInvalid) as error:
        load_experiment(path)
    assert error.value.path == path
    assert str(path) in str(error.value)
    return [(flaw.line, flaw.key, flaw.message) for flaw in error.value.flaws]


def test_lists_are_combined_and_the_last_varies_fastest(tmp_path):
    found = combinations(tmp_path, "parameters: {p: [2, 4], n: [10, 20]}\n")

    assert [(one["p"], one["n"]) for one in found] == [
        (2, 10),
        (2, 20),
        (4, 10),
        (4, 20),
    ]


def test_zipped_parameters_move_together(tmp_path):
    parameters = (
        "parameters: {p: [2, 4], kind: [a, b], n: [10, 20]}\nzipped: [[p, n]]\n"
    )

    found = combinations(tmp_path, parameters)

    assert [(one["p"], one["n"], one["kind"]) for one in found] == [
        (2, 10, "a"),
        (2, 10, "b"),
        (4, 20, "a"),
        (4, 20, "b"),
    ]


@pytest.mark.parametrize(
    ("written_range", "values"),
    [
        ("{from: 2, to: 32, factor: 2}", [2, 4, 8, 16, 32]),
        ("{from: 1, to: 8, step: 3}", [1, 4, 7]),
        ("{from: 8, to: 2, step: -3}", [8, 5, 2]),
        ("{from: 8, to: 1, factor: 0.5}", [8, 4, 2, 1]),
        ("{from: 3, to: 3, step: 1}", [3]),
    ],
)
def test_ranges_hold_both_ends(written_range, values, tmp_path):
    found = combinations(tmp_path, f"parameters: {{p: {written_range}}}\n")

    assert [one["p"] for one in found] == values


def test_decimal_steps_reach_their_end(tmp_path):
    parameters = "parameters: {p: 2, x: {from: 0.1, to: 0.7, step: 0.1}}\n"

    assert len(combinations(tmp_path, parameters)) == 7


def test_derived_parameters_follow_in_any_order(tmp_path):
    parameters = (
        "parameters: {m: {expression: n + 1}, n: {expression: 10 * p}, p: [2, 4]}\n"
    )

    found = combinations(tmp_path, parameters)

    assert [(one["n"], one["m"]) for one in found] == [(20, 21), (40, 41)]


def test_where_leaves_the_wanted_combinations(tmp_path):
    parameters = "parameters: {p: [2, 4], n: [10, 20]}\nwhere: p * n <= 40\n"

    assert len(combinations(tmp_path, parameters)) == 3


def test_scalars_are_read_as_in_yaml_1_2(tmp_path):
    parameters = "parameters: {p: 2, a: no, b: 1e-3, c: 2020-01-01, d: true, e: 010}\n"

    (found,) = combinations(tmp_path, parameters)

    assert found == {
        "p": 2,
        "a": "no",
        "b": 1e-3,
        "c": "2020-01-01",
        "d": True,
        "e": 10,
    }


def test_example_is_in_order():
    loaded = load_experiment(EXAMPLE)

    assert loaded.coordinate == ("p",)
    assert {one.processes for one in loaded.configured} == {2, 3, 4}


@pytest.mark.parametrize(
    ("text", "line", "key", "message"),
    [
        (HEAD + "parameters: {p: 2\n" + TAIL, 4, "", "no YAML"),
        (HEAD + "name: again\n" + TAIL, 3, "name", "twice"),
        (HEAD + TAIL, 1, "parameters", "missing"),
        (HEAD + "parametres: {p: 2}\nparameters: {p: 2}\n" + TAIL, 3, "parametres", ""),
        (HEAD + "parameters:\n  p: [2]\n  n: []\n" + TAIL, 5, "parameters.n", "empty"),
        (
            HEAD + "parameters:\n  p:\n    from: 2\n    to: 8\n    factor: 1\n" + TAIL,
            4,
            "parameters.p",
            "never comes from 2 to 8",
        ),
        (
            HEAD + "parameters:\n  p: 2\n  n: {expression: import os}\n" + TAIL,
            5,
            "parameters.n.expression",
            "no arithmetic",
        ),
        (
            HEAD + "parameters:\n  p: 2\n  n: {expression: 2 * q}\n" + TAIL,
            5,
            "parameters.n.expression",
            "no parameter 'q'",
        ),
        (
            HEAD + "parameters:\n  p: {expression: n}\n  n: {expression: p}\n" + TAIL,
            4,
            "parameters.p.expression",
            "follows from itself",
        ),
        (
            HEAD + "parameters: {p: [2, 4], n: [1]}\nzipped:\n  - [p, n]\n" + TAIL,
            5,
            "zipped.0",
            "unequal",
        ),
        (HEAD + "parameters: {p: 2}\nwhere: p > 3\n" + TAIL, 4, "where", "no combina"),
        (
            HEAD + "parameters: {p: 2}\nexecute:\n  run: ./a {m}\nresults: []\n",
            6,
            "results",
            "at least 1",
        ),
        (
            HEAD + "parameters: {p: 2}\n" + TAIL.replace("./program", "./a {m}"),
            4,
            "execute",
            "no parameter 'm'",
        ),
        (
            HEAD + "parameters: {p: 2}\nprepare: touch {job}\n" + TAIL,
            4,
            "prepare",
            "means nothing",
        ),
        (
            HEAD
            + "parameters: {p: [2, 0.5]}\nexecute:\n  run: a\n  processes: p\n"
            + "results: [{json: a}]\n",
            6,
            "execute.processes",
            "no whole number",
        ),
        (
            HEAD + "parameters: {p: [2, -4]}\n" + TAIL,
            3,
            "parameters.p",
            "no coordinate",
        ),
        (HEAD + "parameters: {q: 2}\n" + TAIL, 1, "coordinate", "span the scan"),
        (
            HEAD + "parameters: {p: 2}\nconfiguration: [q]\n" + TAIL,
            4,
            "configuration",
            "no parameter 'q'",
        ),
        (
            HEAD + "parameters: {p: 2}\n" + TAIL.replace("(.+)", ".+"),
            6,
            None,
            "parenth",
        ),
        (HEAD + "parameters: {p: 2}\n" + TAIL.replace("(.+)", "("), 6, None, "regular"),
        (
            HEAD + "parameters: {p: 2}\n" + TAIL.replace("unit: s", "unit: B"),
            6,
            None,
            "'B' is no unit of 'time'",
        ),
        (HEAD + "parameters: {p: 2}\nrepeats: ten\n" + TAIL, 4, "repeats", "integer"),
        (
            HEAD + "parameters: {p: 2}\nlauncher: {mpi: openmpi}\n" + TAIL,
            4,
            None,
            "NAME",
        ),
        (HEAD + "parameters: &a {p: *a}\n" + TAIL, 3, "parameters.p", "endless"),
        (HEAD + "parameters: {source: 2, p: 2}\n" + TAIL, 3, None, "meaning already"),
        ("", 1, "", "empty"),
        ("- name\n", 1, "", ""),
    ],
)
def test_whatever_is_wrong_is_named_with_line_and_key(
    text, line, key, message, tmp_path
):
    found = flaws(tmp_path, text)

    assert any(
        found_line == line and key in (None, found_key) and message in found_message
        for found_line, found_key, found_message in found
    ), found


def test_missing_file_is_named(tmp_path):
    with pytest.raises(ExperimentInvalid, match="No such file"):
        load_experiment(tmp_path / "none.yaml")


@pytest.mark.parametrize("scale", ["p", "threads", "nodes", "gpus"])
def test_every_parallel_scale_is_a_coordinate(tmp_path, scale):
    text = f"{HEAD}parameters: {{{scale}: [2, 4, 8], kind: [a, b]}}\n{TAIL}"

    assert load_experiment(written(tmp_path, text)).coordinate == (scale,)
