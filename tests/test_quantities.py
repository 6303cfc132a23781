"""Pairs of units, as tools and people write them, and how many of one the other is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.importers import ImportedSeries, Scans
from scalewatch.importers.series import measurement
from scalewatch.quantities import parse_unit
from scalewatch.services.analysis.versions import in_units_of, unlike_units
from scalewatch.services.runs.prepare import in_recorded_units, prepare
from support.builders import result, run_report


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


EQUAL_DIMENSIONS = [
    # time
    ("ms", "s", 1e-3),
    ("us", "ms", 1e-3),
    ("µs", "us", 1.0),
    ("μs", "µs", 1.0),
    ("ns", "s", 1e-9),
    ("ps", "ns", 1e-3),
    ("usec", "s", 1e-6),
    ("milliseconds", "sec", 1e-3),
    ("min", "s", 60.0),
    ("h", "min", 60.0),
    ("hours", "s", 3600.0),
    ("days", "h", 24.0),
    # bytes, decimal and binary, and bits
    ("kB", "B", 1e3),
    ("KB", "kB", 1.0),
    ("MB", "kB", 1e3),
    ("GB", "MB", 1e3),
    ("KiB", "B", 2.0**10),
    ("MiB", "KiB", 2.0**10),
    ("GiB", "B", 2.0**30),
    ("GiB", "GB", 2.0**30 / 1e9),
    ("TiB", "TB", 2.0**40 / 1e12),
    ("Mbytes", "MB", 1.0),
    ("Gbit", "MB", 125.0),
    # rates of bytes
    ("GB/s", "MB/s", 1e3),
    ("GiB/s", "MB/s", 2.0**30 / 1e6),
    ("MB s^-1", "MB/s", 1.0),
    ("Mbytes/sec", "MB/s", 1.0),
    ("Gbit/s", "GB/s", 0.125),
    ("Gbps", "Gb/s", 1.0),
    ("GBps", "GB/s", 1.0),
    ("GB/min", "MB/s", 1e3 / 60),
    # operations
    ("GFLOP/s", "MFLOP/s", 1e3),
    ("TFLOP/s", "GFLOP/s", 1e3),
    ("GFLOPS", "Gflop/s", 1.0),
    ("GFlops/s", "GFLOPS", 1.0),
    ("GF", "GFLOP/s", 1.0),
    ("Gflop", "flop", 1e9),
    ("Mop/s", "op/s", 1e6),
    ("ns/op", "us/op", 1e-3),
    ("us/call", "s/call", 1e-6),
    ("Mcycles", "cycles", 1e6),
    ("Ginstructions", "instr", 1e9),
    # anything else that is counted
    ("Mcells/s", "cells/s", 1e6),
    ("kcells/s", "Mcell/s", 1e-3),
    ("Melem/s", "elements/s", 1e6),
    ("MLUPS", "LUP/s", 1e6),
    ("MLUP/s", "GLUPS", 1e-3),
    ("MDOF/s", "DOF/s", 1e6),
    ("it/s", "iterations/s", 1.0),
    ("steps/day", "steps/h", 1 / 24),
    ("ns/day", "us/day", 1e-3),
    ("SYPD", "days/day", 365.0),
    ("Mfrob/s", "frobs/s", 1e6),
    ("Mfrobs", "kfrobs", 1e3),
    ("1/s", "s^-1", 1.0),
    ("kHz", "Hz", 1e3),
    # energy, power, shares
    ("kJ", "J", 1e3),
    ("kWh", "J", 3.6e6),
    ("W", "J/s", 1.0),
    ("kW", "W", 1e3),
    ("%", "", 0.01),
    ("node-hours", "node h", 1.0),
]

OTHER_DIMENSIONS = [
    ("s", "B"),
    ("B", "B/s"),
    ("cells/s", "atoms/s"),
    ("op", "flop"),
    ("J", "W"),
    ("K", "°C"),
    ("mb", "MB"),
    ("gb/s", "GB/s"),
    ("mflop/s", "Mflop/s"),
    ("ns/day", "1"),
    ("s/op", "s/call"),
    ("ms", "Ms^-1"),
    ("frobs/s", "frobs"),
    ("Mesh", "mesh"),
    ("wall (s)", "s"),
    ("B/s/node", "B/s"),
]


@pytest.mark.parametrize(("unit", "other", "factor"), EQUAL_DIMENSIONS)
def test_equal_dimensions_have_a_factor(unit, other, factor):
    assert parse_unit(unit).in_units_of(parse_unit(other)) == pytest.approx(factor)
    assert parse_unit(other).in_units_of(parse_unit(unit)) == pytest.approx(1 / factor)


@pytest.mark.parametrize(("unit", "other"), OTHER_DIMENSIONS)
def test_other_dimensions_have_none(unit, other):
    assert parse_unit(unit).in_units_of(parse_unit(other)) is None
    assert parse_unit(other).in_units_of(parse_unit(unit)) is None


@pytest.mark.parametrize(("unit", "other", "factor"), EQUAL_DIMENSIONS)
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


@pytest.mark.parametrize(("unit", "other", "factor"), EQUAL_DIMENSIONS)
def test_posted_results_are_recorded_in_the_unit_of_their_series(unit, other, factor):
    posted = prepare(
        run_report(results=[result(metric="step", unit=unit, values=[2.0])])
    )
    region = posted.report.results[0].region

    recorded = in_recorded_units(posted, {(region, "step"): other})

    assert recorded.points[0]["q50"] == pytest.approx(2.0 * factor)
    assert recorded.payload == posted.payload
    assert recorded.digest == posted.digest


@pytest.mark.parametrize(("unit", "other", "factor"), EQUAL_DIMENSIONS)
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


SI = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
IEC = {f"{prefix}i": 1024.0**power for power, prefix in enumerate("KMGTP", 1)}
SMALL = {"m": 1e-3, "u": 1e-6, "µ": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15}
PREFIXED = [
    *((f"{prefix}s", "s", size) for prefix, size in SMALL.items()),
    *(
        (f"{prefix}{unit}", unit, size)
        for unit in ("B", "B/s", "B/min")
        for prefix, size in {**SI, **IEC}.items()
    ),
    *(
        (f"{prefix}{unit}", unit, size)
        for unit in ("flop/s", "FLOP/s", "cells/s", "op/s", "cycles", "J", "W")
        for prefix, size in SI.items()
    ),
    *(
        (f"{prefix}{unit}", unit, size)
        for unit in "JW"
        for prefix, size in SMALL.items()
    ),
]
"""All prefixes of time, bytes in both systems, their rates, work, energy and power."""


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
