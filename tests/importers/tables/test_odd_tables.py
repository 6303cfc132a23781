"""Tables from public reports of other tools, made anew."""

import codecs

import numpy as np
import pytest

from scalewatch.importers import AUTO, SettingRules, read_files
from scalewatch.texts.patterns import pattern_of


def test_speedups_alone_are_relative_times(write) -> None:
    reading = read_files([write("cores,speed-up\n1,1.00×\n2,1.60×\n4,**2.50**\n")])

    [series] = reading.series
    assert (series.metric, series.parameters) == ("relative time", ("p",))
    np.testing.assert_allclose(series.values[:, 0], [1, 1 / 1.6, 1 / 2.5])
    assert any("1 / speed-up" in note for note in reading.left_out)


def test_speedup_beside_a_time_is_no_series(write) -> None:
    [series] = read_files([write("cores,time,speedup\n1,8.5,1\n2,4.5,1.9\n")]).series

    assert series.metric == "time"


def test_durations_have_any_form(write) -> None:
    path = write("| cores | fft |\n|---|---|\n| 32 | 2d 3h07m |\n| 64 | 58m12.40s |\n")

    [series] = read_files([path]).series

    assert series.unit == "s"
    assert series.values[:, 0].tolist() == [2 * 86400 + 3 * 3600 + 7 * 60, 3492.4]


def test_error_with_a_unit_is_a_deviation_and_no_failure(write) -> None:
    path = write("| Threads | Mean | Error |\n|--|--|--|\n| 1 | 2.5 us | 0.1 us |\n")

    [series] = read_files([path]).series

    np.testing.assert_allclose(series.values, [[2.5e-6]])


def test_row_that_is_too_short_is_named_though_it_is_the_first(write) -> None:
    path = write("size,iterations,low,mean\n8,Final: 2000,0.1\n16,Final: 2000,0.2\n")

    [error] = read_files([path]).unreadable

    assert str(error).endswith("line 2: expected 4 cells, one per column, found 3")


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [(codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")],
)
def test_text_in_utf_16_is_read_by_its_mark(tmp_path, mark, encoding) -> None:
    path = tmp_path / "times.csv"
    path.write_bytes(mark + "p,time\n2,1.5\n4,2.5\n".encode(encoding))

    [series] = read_files([str(path)]).series

    assert series.values[:, 0].tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("name", "size"), [("sort size=2,500", 2500), ("sort size=12,345,678", 12345678)]
)
def test_number_with_separators_in_a_name_is_one_number(write, name, size) -> None:
    path = write(f'[{{"name": "{name}", "value": 1.5, "unit": "s"}}]')

    [series] = read_files([path], rules={AUTO: SettingRules(at={"p": 4})}).series

    assert series.region == "sort"
    assert size in {*series.settings.ravel(), *series.configuration.values()}


def test_number_in_a_pattern_may_have_separators() -> None:
    assert pattern_of("sort {n}").match("sort 2,500").settings == {"n": 2500}
    assert pattern_of("sort {n}").match("sort 2,5").settings == {"n": 2.5}
