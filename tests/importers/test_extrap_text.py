import math

import numpy as np
import pytest

from scalewatch.errors import MalformedFile
from scalewatch.importers import read_files
from scalewatch.importers.extrap_text import read
from scalewatch.importers.source import Source

HEADER = "PARAMETER p\nPOINTS ( 4 ) ( 8 )\n"


def lines(text: str) -> Source:
    return Source("sweep.txt", text.encode().splitlines(keepends=True))


def refusal(text: str) -> MalformedFile:
    with pytest.raises(MalformedFile) as refused:
        list(read(lines(text)))
    return refused.value


def test_data_lines_belong_to_the_points_in_their_order(write) -> None:
    path = write(
        "# two regions, two metrics\n"
        "PARAMETER p\n\n"
        "POINTS ( 4 )\nPOINTS ( 8 )\n\n"
        "METRIC time\n"
        "REGION main->solve\nDATA 1.0 1.5\nDATA 2.0 2.5\n"
        "REGION main->exchange\nDATA 3\nDATA 4\n"
        "METRIC bytes\n"
        "REGION main->solve\nDATA 5\nDATA 6\n"
    )

    series = read_files([path]).series

    assert [(one.region, one.metric) for one in series] == [
        ("main->solve", "time"),
        ("main->exchange", "time"),
        ("main->solve", "bytes"),
    ]
    assert series[0].parameters == ("p",)
    assert series[0].settings.tolist() == [[4], [8]]
    assert series[0].values.tolist() == [[1.0, 1.5], [2.0, 2.5]]


@pytest.mark.parametrize(
    "points",
    [
        "PARAMETER p\nPARAMETER n\nPOINTS ( 4 10 ) ( 4 20 ) ( 8 10 ) ( 8 20 )",
        "PARAMETER p n\nPOINTS (4 10)(4 20)\nPOINTS (8 10)(8 20)",
        "PARAMETER p n\nPOINTS ((4)(10)) ( ( 4 ) ( 20 ) ) ((8) (10)) ((8) (20))",
    ],
    ids=["one by one", "together", "nested"],
)
def test_points_of_several_parameters_are_read_in_every_spelling(write, points) -> None:
    path = write(f"{points}\nREGION solve\nDATA 1\nDATA 2\nDATA 3\nDATA 4\n")

    [series] = read_files([path]).series

    assert series.parameters == ("p", "n")
    assert series.settings.tolist() == [[4, 10], [4, 20], [8, 10], [8, 20]]


def test_points_of_one_parameter_need_no_braces(write) -> None:
    path = write("PARAMETER p\nPOINTS 4 8\nREGION solve\nDATA 1\nDATA 2\n")

    [series] = read_files([path]).series

    assert series.settings.tolist() == [[4], [8]]


def test_fewer_repetitions_at_one_point_are_missing_ones(write) -> None:
    path = write(f"{HEADER}REGION solve\nDATA 1 2 3\nDATA nan 5\n")

    [series] = read_files([path]).series

    np.testing.assert_array_equal(series.values, [[1, 2, 3], [math.nan, 5, math.nan]])


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("PARAMETER\n", 1, "a name behind PARAMETER"),
        ("PARAMETER p p\n", 1, "each parameter once"),
        ("POINTS ( 4 )\n", 1, "PARAMETER before POINTS"),
        (f"{HEADER}PARAMETER n\n", 3, "PARAMETER lines before POINTS"),
        ("PARAMETER p\nPOINTS ( 4 8 )\n", 2, "points ( p )"),
        ("PARAMETER p\nPOINTS ( 4\n", 2, "')'"),
        ("PARAMETER p\nPOINTS 4 )\n", 2, "'(' before ')'"),
        ("PARAMETER p\nPOINTS ( inf )\n", 2, "finite settings"),
        ("PARAMETER p\nDATA 1\n", 2, "POINTS before DATA"),
        (f"{HEADER}DATA 1\nPOINTS ( 16 )\n", 4, "POINTS before DATA"),
        (f"{HEADER}DATA 1 fast\n", 3, "a number"),
        (f"{HEADER}DATA 1e999\n", 3, "finite numbers"),
        (f"{HEADER}DATA\n", 3, "finite numbers"),
        (f"{HEADER}DATA 1\n", 3, "2 DATA lines, as many as points"),
        (f"{HEADER}DATA 1\nREGION solve\n", 4, "2 DATA lines, as many as points"),
        (
            f"{HEADER}DATA 1\nDATA 2\nDATA 3\n",
            5,
            "2 DATA lines, as many as points",
        ),
        (f"{HEADER}VALUES 1\n", 3, "one of PARAMETER, POINTS, METRIC, REGION, DATA"),
    ],
)
def test_broken_line_is_named_with_what_was_expected(text, line, expected) -> None:
    error = refusal(text)

    assert (error.source, error.place) == ("sweep.txt", f"line {line}")
    assert error.expected == expected
