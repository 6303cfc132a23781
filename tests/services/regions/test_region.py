from math import log2

import numpy as np
import pytest

from scalewatch.errors import NotMeasured
from scalewatch.modelling import Verdict, parse_growth
from scalewatch.services.regions.region import region_at, timed_region
from scalewatch.services.selection.view import View
from scalewatch.services.series.scans import scaling_of
from scalewatch.services.series.snapshots import repetitions_of
from support.builders import sweep_reports
from support.recorded import PROCESSES, record

NEWEST = View("openmpi")


def test_region_has_a_scan_for_each_machine(reading):
    region = region_at(reading, NEWEST, "MPI_Bcast")

    assert region.machines == ("node-shm", "node-tcp")
    assert [scan.machine for scan in region.scans] == ["node-shm", "node-tcp"]
    assert region.unit == "s"


def test_machine_limits_the_scans_but_not_the_choice(reading):
    region = region_at(reading, View("openmpi", machine="node-tcp"), "MPI_Bcast")

    assert [scan.machine for scan in region.scans] == ["node-tcp"]
    assert region.machines == ("node-shm", "node-tcp")


def test_a_machine_keeps_its_slot_whatever_is_shown(reading):
    region = region_at(reading, View("openmpi", machine="node-tcp"), "MPI_Bcast")

    assert region.scans[0].slot == 1


def test_measurements_are_ordered_along_the_scan(sessions):
    record(sessions, reversed(sweep_reports(PROCESSES)))

    with sessions.reading() as session:
        (scan,) = region_at(session, View("mpich"), "MPI_Bcast").scans
    assert [taken.x for taken in scan.measurements] == list(PROCESSES)
    assert scan.parameter == "p"


def test_quartiles_enclose_the_median(reading):
    for scan in region_at(reading, NEWEST, "MPI_Reduce").scans:
        for taken in scan.measurements:
            assert taken.minimum <= taken.low <= taken.middle
            assert taken.middle <= taken.high <= taken.q95
            assert taken.count == 40


def test_expectation_carries_who_declared_it(reading):
    expectation = region_at(reading, NEWEST, "MPI_Reduce").expectation

    assert expectation.growth == parse_growth("log p")
    assert expectation.deviation_limit == parse_growth("p^(1/2)")
    assert expectation.author == "scalewatch"


def test_approximate_growth_is_worse_than_expected_within_the_limit(reading):
    region = region_at(reading, View("openmpi", machine="node-tcp"), "MPI_Reduce")
    standing = region.scans[0].standing

    assert standing.verdict is Verdict.APPROXIMATE
    assert standing.direction == "worse"


def test_scan_over_another_parameter_than_p_is_recognised(sessions):
    reports = [
        sweep_reports((n,), coordinate={"n": n, "threads": 4})[0]
        for n in (10, 100, 1000, 10000, 100000)
    ]
    record(sessions, reports)

    with sessions.reading() as session:
        (scan,) = region_at(session, View("mpich"), "MPI_Bcast").scans
    assert scan.parameter == "n"
    assert scan.measurements[-1].x == 100000


@pytest.mark.parametrize(
    ("view", "region"),
    [
        (NEWEST, "MPI_Scan"),
        (View("openmpi", machine="node-tcp"), "MPI_Gather"),
        (View("openmpi", configuration={"transport": "ib"}), "MPI_Bcast"),
    ],
    ids=str,
)
def test_what_was_not_measured_is_named(reading, view, region):
    with pytest.raises(NotMeasured):
        region_at(reading, view, region)


def test_drawn_scan_holds_all_repetitions_with_the_stored_quartiles(reading):
    scan = region_at(reading, NEWEST, "MPI_Bcast").scans[0]
    scaling = scaling_of(scan, repetitions_of(reading, [scan]))

    assert scaling.x.tolist() == list(PROCESSES)
    for median, values in zip(scaling.middle, scaling.repetitions, strict=True):
        assert values.size == 40
        assert np.median(values) == pytest.approx(median)


def test_repetitions_belong_to_the_metric_and_region_of_the_scan(reading):
    machine = View("openmpi", machine="node-shm")
    for name in ("MPI_Barrier", "MPI_Gather"):
        (scan,) = region_at(reading, machine, name).scans
        for taken in scan.measurements:
            values = repetitions_of(reading, [scan])[taken.run]
            assert values.min() == pytest.approx(taken.minimum)


def test_scans_of_one_machine_are_told_apart_by_their_settings(sessions):
    for size in (256, 4096):
        settings = {"message_bytes": size, "compiler": "gcc"}
        record(sessions, sweep_reports(configuration=settings))

    with sessions.reading() as session:
        region = region_at(session, View("mpich"), "MPI_Bcast")
    distinctions = [region.distinction(scan) for scan in region.scans]
    assert distinctions == [{"message_bytes": 256}, {"message_bytes": 4096}]


def test_only_scan_of_a_machine_needs_no_distinction(reading):
    region = region_at(reading, NEWEST, "MPI_Bcast")

    assert [region.distinction(scan) for scan in region.scans] == [{}, {}]


def test_scan_tells_all_that_varies_along_it(sessions):
    for n in (100, 200):
        reports = sweep_reports(PROCESSES, seed=n)
        record(
            sessions,
            [
                report.model_copy(update={"coordinate": {**report.coordinate, "n": n}})
                for report in reports
            ],
        )

    with sessions.reading() as session:
        (scan,) = region_at(session, View("mpich"), "MPI_Bcast").scans
    assert scan.parameters == ("p", "n")


@pytest.mark.parametrize(
    ("reduce", "shown"),
    [(lambda p: 9e-6 + 4e-6 * p, "MPI_Reduce"), (log2, "MPI_Bcast")],
    ids=["unlike expected", "as expected"],
)
def test_most_telling_region_is_shown_unless_one_is_named(sessions, reduce, shown):
    regions = {"Bcast (binary tree)": log2, "MPI_Bcast": log2, "MPI_Reduce": reduce}
    record(sessions, sweep_reports(PROCESSES, regions, repetitions=40, noise=0.002))

    with sessions.reading() as session:
        region, _ = timed_region(session, View("mpich"), None)
        named, _ = timed_region(session, View("mpich"), "Bcast (binary tree)")
    assert (region.region, named.region) == (shown, "Bcast (binary tree)")
