import io
import sys
from pathlib import Path

import pytest

from scalewatch.importers import read_files

TABLE = "region,p,time\nsolve,4,1\nsolve,8,2\n"
TEXT = "PARAMETER p\nPOINTS 4 8\nREGION solve\nMETRIC time\nDATA 1\nDATA 2\n"
LINES = (
    '{"params": {"p": 4}, "callpath": "solve", "metric": "time", "value": 1}\n'
    '{"params": {"p": 8}, "callpath": "solve", "metric": "time", "value": 2}\n'
)


@pytest.mark.parametrize("content", [TABLE, TEXT, LINES])
@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.json", "a"])
def test_format_is_known_by_the_content_whatever_the_name(write, content, name) -> None:
    [series] = read_files([write(content, name)]).series

    assert (series.region, series.metric) == ("solve", "time")
    assert series.values.tolist() == [[1], [2]]


def test_told_format_is_not_guessed(write) -> None:
    [error] = read_files([write(TABLE)], file_format="json").unreadable

    assert "line 1: expected JSON, found 'region,p,time'" in str(error)


def test_files_stand_for_themselves_and_are_told_apart(write) -> None:
    first, second = write(TABLE, "first.csv"), write(TABLE, "second.csv")

    series = read_files([first, second]).series

    assert [one.configuration for one in series] == [{"file": first}, {"file": second}]


def test_unreadable_file_does_not_stop_the_others(write) -> None:
    reading = read_files([write("PARAMETER\n", "broken"), write(TABLE, "sound")])

    assert len(reading.series) == len(reading.unreadable) == 1


def test_standard_input_is_a_file_called_dash(monkeypatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(TABLE.encode()))
    monkeypatch.setattr(sys, "stdin", stream)

    [series] = read_files(["-"]).series

    assert series.region == "solve"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "it holds no measurements"),
        ("\n  \n# nothing but a comment\n", "it holds no measurements"),
        (TEXT.partition("REGION")[0], "it holds no measurements"),
        ("{", "line 1: expected JSON"),
        (b"\x7fELF\x02\x01\x01\x00\x00", "line 1: expected text, found a binary file"),
        (b"p,time\n4,\xff\n", "line 2: expected text in UTF-8, found byte 0xff"),
        (
            "It was a dark and stormy night.",
            "line 1, 'It was a dark and stormy night.', is of",
        ),
    ],
    ids=["empty", "blank", "no data", "brace", "binary", "latin", "prose"],
)
def test_file_without_measurements_says_why(write, content, complaint) -> None:
    path = write(content)

    reading = read_files([path])

    assert not reading.series
    assert str(reading.unreadable[0]).startswith(f"cannot read {path}: {complaint}")


def test_missing_file_and_empty_folder_are_named(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")

    reading = read_files([missing, str(tmp_path), "nul\0byte"])

    assert [str(error) for error in reading.unreadable] == [
        f"cannot read {missing}: no such file or directory",
        f"cannot read {tmp_path}: it is empty",
        "cannot read nul\\x00byte: embedded null byte",
    ]
