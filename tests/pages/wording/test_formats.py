from datetime import UTC, datetime, timedelta

import pytest

from scalewatch.pages.wording import formats
from scalewatch.texts.numbers import SPACE, significant

NOW = datetime(2026, 11, 3, 14, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1234.5, "1,230"),
        (12.345, "12.3"),
        (0.0123456, "0.0123"),
        (-4.5, "−4.50"),
        (9.996, "10.0"),
        (1.23456e-7, "1.23 × 10⁻⁷"),
        (-4.02e-13, "−4.02 × 10⁻¹³"),
        (2e12, "2.00 × 10¹²"),
        (None, "–"),
        (float("nan"), "–"),
        (float("inf"), "–"),
    ],
)
def test_numbers_have_three_significant_digits(value, text):
    assert significant(value).replace(SPACE, " ") == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1.23456e-5, "s", "12.3 µs"),
        (0.25, "s", "250 ms"),
        (4000, "s", "4,000 s"),
        (9.997e-4, "s", "1.00 ms"),
        (8588, "B", "8.59 kB"),
        (12, "B", "12.0 B"),
        (0.0, "s", "0 s"),
        (-1.65e-5, "s", "−16.5 µs"),
        (42.123, "widgets", "42.1 widgets"),
        (0.5, "", "0.500"),
        (2147450880, "1", "2,147,450,880"),
        (-3, "1", "−3"),
        (0.5, "1", "0.500"),
        (2.5e17, "1", "2.50 × 10¹⁷"),
        (None, "s", "–"),
    ],
)
def test_quantities_carry_their_unit_with_a_fitting_prefix(value, unit, text):
    assert formats.quantity(value, unit).replace(SPACE, " ") == text


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        (0.934, "93 %"),
        (0.9999, "> 99 %"),
        (1.0, "> 99 %"),
        (0.001, "< 1 %"),
        (0, "0 %"),
    ],
)
def test_certainty_is_never_claimed(probability, text):
    assert formats.percent(probability).replace(SPACE, " ") == text


@pytest.mark.parametrize(
    ("adjusted_r2", "text"),
    [(0.987, "0.99"), (0.99983, "0.9998"), (0.9999999, "0.9999"), (1.0, "1.00")],
)
def test_only_a_perfect_fit_has_a_determination_of_one(adjusted_r2, text):
    assert formats.determination(adjusted_r2) == text


@pytest.mark.parametrize(
    ("passed", "text"),
    [
        (timedelta(seconds=3), "just now"),
        (timedelta(seconds=59), "59 seconds ago"),
        (timedelta(seconds=61), "1 minute ago"),
        (timedelta(hours=5), "5 hours ago"),
        (timedelta(days=44), "44 days ago"),
        (timedelta(days=100), "3 months ago"),
        (timedelta(days=1000), "2 years ago"),
    ],
)
def test_ages_are_told_in_the_largest_fitting_unit(passed, text):
    assert formats.age(NOW - passed, NOW) == text


def test_settings_are_listed_as_name_and_value():
    settings = {
        "p": 65536,
        "message_bytes": 1048576,
        "pinned": True,
        "flags": "-O3",
        "load": 0.25,
    }

    assert formats.settings(settings).replace(SPACE, " ") == (
        "p = 65,536 · message_bytes = 1048576 · pinned = yes · "
        "flags = -O3 · load = 0.25"
    )


def test_names_of_more_than_sixty_letters_are_long():
    short, long = "x" * 60, "x" * 61

    assert not formats.is_long(short)
    assert formats.is_long(long)
    assert formats.named(short) == f"<bdi>{short}</bdi>"
    assert f'title="{long}"' in formats.named(long)
    assert formats.breakable(short) == short
    assert formats.breakable(long) == f'<span class="name" title="{long}">{long}</span>'


def test_long_names_may_break_but_stay_text():
    assert formats.breakable("MPI_<b>") == "MPI_<wbr>&lt;b&gt;"


@pytest.mark.parametrize(("number", "text"), [(1, "1 series"), (3, "3 series")])
def test_a_noun_without_plural_keeps_its_form(number, text):
    assert formats.plural(number, "series") == text


def test_settings_are_not_rounded():
    assert formats.setting(0.12345) == "0.12345"
    assert formats.setting(2.5) == "2.5"


@pytest.mark.parametrize(
    ("value", "text"), [(512, "512×"), (8192, "8,192×"), (1.28, "1.3×"), (0.5, "0.50×")]
)
def test_multiples_are_exact_where_they_are_whole(value, text):
    assert formats.multiple(value) == text


def test_a_short_setting_is_one_word_and_a_long_one_breaks():
    told = formats.whole_settings({"compiler": "gcc-14", "flags": "-O3 " * 9})

    short, long = told.split(" · ")
    assert short == '<span class="option">compiler\u202f=\u202fgcc-14</span>'
    assert long.startswith('flags\u202f=\u202f<span class="option">-O3</span> <span')


def test_what_a_setting_is_called_is_escaped():
    assert "<b>" not in formats.whole_settings({"<b>": "<b>"})
