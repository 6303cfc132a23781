"""Pairs of units, as tools and people write them, and how many of one the other is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.importers import ImportedSeries, Scans
from scalewatch.importers.series import measurement
from scalewatch.quantities import parse_unit
from scalewatch.services.analysis.versions import in_units_of, unlike_units
from scalewatch.services.runs.record import in_recorded_units, prepare
from support.builders import result, run_report
from support.units import EQUAL_DIMENSIONS, OTHER_DIMENSIONS, PREFIXED


def series(unit, value):
    return ImportedSeries(
        region="step",
        metric="work",
        unit=unit,
        configuration={},
        parameters=("p",),
        settings=np.array([[1.0]]),
        values=np.array([[value]]),
    )


@pytest.mark.parametrize(("unit", "other", "factor"), EQUAL_DIMENSIONS)
def test_equal_dimensions_have_a_factor(unit, other, factor):
    assert parse_unit(unit).in_units_of(parse_unit(other)) == pytest.approx(factor)
    assert parse_unit(other).in_units_of(parse_unit(unit)) == pytest.approx(1 / factor)


@pytest.mark.parametrize(("unit", "other"), OTHER_DIMENSIONS)
def test_other_dimensions_have_none(unit, other):
    assert parse_unit(unit).in_units_of(parse_unit(other)) is None
    assert parse_unit(other).in_units_of(parse_unit(unit)) is None


@pytest.mark.parametrize(("unit", "other", "factor"), [*EQUAL_DIMENSIONS, *PREFIXED])
def test_versions_in_units_of_equal_dimension_are_compared(unit, other, factor):
    before, now = series(unit, 1.0), series(other, factor)

    (converted,) = in_units_of([before], [now])

    assert converted.values == pytest.approx(now.values)
    assert converted.unit == other
    assert unlike_units(converted, now) is None


@pytest.mark.parametrize(("unit", "other"), [*OTHER_DIMENSIONS, ("s", None)])
def test_versions_in_units_of_other_dimensions_are_not(unit, other):
    before, now = series(unit, 1.0), series(other, 1.0)

    assert in_units_of([before], [now]) == [before]
    words = unlike_units(before, now)
    assert unit in words
    assert (other or "no unit") in words


@pytest.mark.parametrize(("unit", "other", "factor"), [*EQUAL_DIMENSIONS, *PREFIXED])
def test_posted_results_are_recorded_in_the_unit_of_their_series(unit, other, factor):
    posted = prepare(
        run_report(results=[result(metric="step", unit=unit, values=[2.0])])
    )
    region = posted.report.results[0].region

    recorded = in_recorded_units(posted, {(region, "step"): other})

    assert recorded.points[0]["q50"] == pytest.approx(2.0 * factor)
    assert recorded.payload == posted.payload
    assert recorded.digest == posted.digest


@pytest.mark.parametrize(("unit", "other", "factor"), [*EQUAL_DIMENSIONS, *PREFIXED])
def test_rows_of_units_of_equal_dimension_are_one_series(unit, other, factor):
    scans = Scans(
        measurement("step", "work", written, 1.0, {"p": p})
        for p, written in ((2, other), (4, unit))
    )

    (one,) = scans.series()

    assert (one.values[1, 0] / one.values[0, 0]) == pytest.approx(factor)


@given(st.text(max_size=80))
def test_every_text_is_itself(text):
    unit = parse_unit(text)

    assert unit.in_units_of(unit) == 1.0


@given(
    st.sampled_from(["s", "B", "flop", "cells", "J", "Hz", "op/s", "B/s", "atoms/day"]),
    st.sampled_from(["", "k", "M", "G", "T"]),
    st.sampled_from(["", "k", "M", "G", "T"]),
)
def test_prefixes_are_powers_of_a_thousand(unit, prefix, other):
    factor = parse_unit(prefix + unit).in_units_of(parse_unit(other + unit))

    exponents = {"": 0, "k": 1, "M": 2, "G": 3, "T": 4}
    assert factor == pytest.approx(1000.0 ** (exponents[prefix] - exponents[other]))


@pytest.mark.parametrize(("unit", "other", "factor"), PREFIXED)
def test_every_prefix_has_its_size(unit, other, factor):
    assert parse_unit(unit).in_units_of(parse_unit(other)) == pytest.approx(factor)
    assert parse_unit(other).in_units_of(parse_unit(unit)) == pytest.approx(1 / factor)


@pytest.mark.parametrize("unit", ["B/s", "ns/day", "it/s", "1/s", "GFLOPS", "SYPD"])
def test_work_in_a_time_is_a_rate(unit):
    assert parse_unit(unit).is_rate


@pytest.mark.parametrize("unit", ["s", "ns/op", "B", "flop", "J", "%", "°C", "frobs"])
def test_others_are_none(unit):
    assert not parse_unit(unit).is_rate
