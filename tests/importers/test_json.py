import json

import numpy as np
import pytest

from scalewatch.errors import MalformedFile
from scalewatch.importers import read_files

NESTED = {
    "parameters": ["p"],
    "measurements": {
        "solve": {
            "time": [
                {"point": [4], "values": [1.0, 1.5]},
                {"point": [8], "values": [2.0, 2.5]},
            ]
        }
    },
}

LISTED = {
    "parameters": [{"id": 1, "name": "p"}],
    "callpaths": [{"id": 7, "name": "solve"}],
    "metrics": [{"id": 3, "name": "time"}],
    "coordinates": [
        {
            "id": 1,
            "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 4}],
        },
        {
            "id": 2,
            "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 8}],
        },
    ],
    "measurements": [
        {"coordinate_id": at, "callpath_id": 7, "metric_id": 3, "value": value}
        for at, value in [(1, 1.0), (1, 1.5), (2, 2.0), (2, 2.5)]
    ],
}

LINES = [
    {"params": {"p": 4}, "callpath": "solve", "metric": "time", "value": 1.0},
    {"params": {"p": 4}, "callpath": "solve", "metric": "time", "value": 1.5},
    {"params": {"p": 8}, "callpath": "solve", "metric": "time", "value": [2.0, 2.5]},
]


def as_lines(objects: list[dict]) -> str:
    return "\n\n".join(map(json.dumps, objects))


def refusal(path: str) -> MalformedFile:
    [error] = read_files([path]).unreadable
    assert isinstance(error, MalformedFile)
    return error


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(NESTED),
        json.dumps(NESTED, indent=2),
        json.dumps(LISTED),
        json.dumps(LISTED, indent=1),
        as_lines(LINES),
        json.dumps(LINES),
        "\n".join(json.dumps(line, indent=2) for line in LINES),
        "\ufeff" + as_lines(LINES),
    ],
    ids=[
        "nested",
        "nested, indented",
        "listed",
        "listed, indented",
        "lines",
        "array",
        "indented, one behind the other",
        "with byte order mark",
    ],
)
def test_every_layout_says_the_same(write, text) -> None:
    [series] = read_files([write(text)]).series

    assert (series.region, series.metric, series.unit) == ("solve", "time", None)
    assert series.parameters == ("p",)
    assert series.settings.tolist() == [[4], [8]]
    assert series.values.tolist() == [[1.0, 1.5], [2.0, 2.5]]


def test_line_without_call_path_and_metric_is_about_the_program(write) -> None:
    [series] = read_files([write('{"params": {"p": 4}, "value": 1}')]).series

    assert (series.region, series.metric) == ("program", "value")


def test_lines_may_tell_unit_and_configuration(write) -> None:
    text = as_lines(
        [
            line | {"unit": "s", "configuration": {"compiler": compiler}}
            for compiler in ("gcc", "clang")
            for line in LINES
        ]
    )

    series = read_files([write(text)]).series

    assert [one.configuration for one in series] == [
        {"compiler": "gcc"},
        {"compiler": "clang"},
    ]
    assert {one.unit for one in series} == {"s"}


def test_order_of_the_parameters_may_differ_between_lines(write) -> None:
    text = as_lines(
        [
            {"params": {"p": 4, "n": 10}, "value": 1},
            {"params": {"n": 20, "p": 4}, "value": 2},
            {"params": {"n": 10, "p": 8}, "value": 3},
        ]
    )

    [series] = read_files([write(text)]).series

    assert series.parameters == ("p", "n")
    assert series.settings.tolist() == [[4, 10], [4, 20], [8, 10]]


def test_null_is_a_missing_value(write) -> None:
    text = as_lines([{"params": {"p": 4}, "value": [1.0, None]}])

    [series] = read_files([write(text)]).series

    np.testing.assert_array_equal(series.values, [[1.0, np.nan]])


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ('{"params": {"p": 4}, "value": 1}\n{"params"', "line 2", "JSON"),
        ('{\n  "params": {"p": 4},\n  "value" 1\n}', "line 3", "JSON"),
        ("[" * 100_000, "line 1", "JSON"),
        ('{"params": {"p": 4}}', "line 1", "the key 'value'"),
        ('{"params": {}, "value": 1}', "line 1.params", "at least one parameter"),
        ('{"params": [4], "value": 1}', "line 1.params", "an object"),
        ('{"params": {"p": "4"}, "value": 1}', "line 1.params.p", "a finite number"),
        ('{"params": {"p": null}, "value": 1}', "line 1.params.p", "a finite number"),
        ('{"params": {"p": 4}, "value": true}', "line 1.value", "a finite number"),
        ('{"params": {"p": 4}, "value": Infinity}', "line 1.value", "a finite number"),
        (
            f'{{"params": {{"p": 4}}, "value": 1{"0" * 400}}}',
            "line 1.value",
            "a finite number",
        ),
        (
            '\n{"params": {"p": 4}, "value": 1, "callpath": ""}',
            "line 2.callpath",
            "a name",
        ),
        (
            '{"params": {"p": 4}, "value": 1, "configuration": {"a": []}}',
            "line 1.configuration.a",
            "a text or a number",
        ),
        (
            '{"pi": 3}',
            "line 1",
            (
                "an object with one of the keys 'params', 'measurements', 'results', "
                'or rows as {"p": 8, "time": 1.5}'
            ),
        ),
        ("[4]", "line 1[0]", "an object"),
        (
            (
                '{"parameters": ["p"], "measurements": {"a": {"b": [{"point": [1, 2],'
                ' "values": [1]}]}}}'
            ),
            "line 1.measurements.a.b[0].point",
            "1 settings, one per parameter",
        ),
        (
            json.dumps(LISTED).replace('"callpath_id": 7', '"callpath_id": 8'),
            "line 1.measurements[0].callpath_id",
            "the id of one of 1 callpaths",
        ),
        (
            json.dumps(LISTED).replace('"parameter_id": 1', '"parameter_id": 2'),
            "line 1.measurements[0].coordinate_id",
            "a point with settings of p",
        ),
    ],
)
def test_broken_part_is_named_with_what_was_expected(
    write, text, place, expected
) -> None:
    error = refusal(write(text))

    assert (error.place, error.expected) == (place, expected)
