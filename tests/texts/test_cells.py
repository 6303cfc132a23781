import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.texts.cells import read_cell, uses_decimal_comma


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("12,300", 12300, None),
        ("1 024", 1024, None),
        ("1'234.5", 1234.5, None),
        ("1,234.5", 1234.5, None),
        ("1.2e+03 s", 1200, "s"),
        ("88.41s", 88.41, "s"),
        ("1.95x", 1.95, "x"),
        ("1.95×", 1.95, "×"),
        ("**2.6**", 2.6, None),
        ("`7`", 7, None),
        ("99%", 99, "%"),
        ("98 %", 98, "%"),
        ("10.5 ± 0.2", 10.5, None),
        ("64 MB", 64, "MB"),
        ("1m41.71s", 101.71, "s"),
        ("0:16:03", 963, "s"),
        ("1-00:00:41", 86441, "s"),
        ("2d 3h07m", 2 * 86400 + 3 * 3600 + 7 * 60, "s"),
        ("1h 02m 10s", 3730, "s"),
        ("\x1b[32m4.5\x1b[0m", 4.5, None),
    ],
)
def test_number_is_read_as_people_write_it(text, number, unit):
    cell = read_cell(text)

    assert cell.number == pytest.approx(number)
    assert cell.unit == unit


def test_comma_between_semicolons_is_the_point():
    assert read_cell("139,10", has_decimal_comma=True).number == 139.1
    assert read_cell("1,00", has_decimal_comma=True).number == 1


@pytest.mark.parametrize(
    "text", ["", "-", "--", "—", "n/a", "OOM", "**killed**", "TIMEOUT", "nan"]
)
def test_what_was_not_measured_is_missing(text):
    cell = read_cell(text)

    assert cell.is_missing
    assert cell.number is None


@pytest.mark.parametrize("text", ["fast", "12 apples today", "1,2,3", "3 blobs"])
def test_other_texts_are_no_numbers(text):
    assert read_cell(text).number is None


@given(st.text(max_size=100))
def test_no_text_stops_the_reader(text):
    read_cell(text)


def test_a_comma_beside_points_is_no_decimal_one():
    assert not uses_decimal_comma(["1,2", "12,300", "12.5"], ",")
    assert not uses_decimal_comma(["98,4", "12.5"], ";")
    assert uses_decimal_comma(["98,4", "1.234", "1.234,5"], ";")
    assert uses_decimal_comma(["98,4", "12,300"], "\t")
