import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from uuid import UUID

import numpy as np
import pytest
import zstandard
from sqlalchemy import func, select

from scalewatch.errors import DirectionChanged, RunAlreadyRecorded, UnitChanged
from scalewatch.storage import tables
from scalewatch.storage.database.session import transact
from scalewatch.storage.runs import procedures, samples
from scalewatch.storage.runs.points import Flag, flags_in
from support.builders import result, run_report, sweep_reports
from support.recorded import record_runs


def count(session, table):
    return session.scalar(select(func.count()).select_from(table))


def test_run_is_stored_with_its_points_samples_payload_and_job(session):
    report = run_report(
        results=[
            result(region="MPI_Bcast", values=[3.0, 1.0, 2.0]),
            result(region="MPI_Reduce", values=[5.0]),
        ]
    )

    (receipt,) = record_runs(session, [report])

    assert receipt.is_new
    assert session.get_one(tables.Job, receipt.job).state == "queued"
    points = session.scalars(select(tables.Point).order_by(tables.Point.start)).all()
    assert [(point.start, point.count) for point in points] == [(0, 3), (3, 1)]
    assert (points[0].minimum, points[0].q50, points[0].mean) == (1.0, 2.0, 2.0)
    assert (points[0].deviation, points[1].deviation) == (1.0, None)
    (blob,) = samples.of_runs(session, [points[0].run_id]).values()
    assert blob.tolist() == [3.0, 1.0, 2.0, 5.0]
    assert count(session, tables.Payload) == 1


@pytest.mark.parametrize(
    ("unit", "seconds"), [("s", 3.0), ("ms", 3e-3), ("us", 3e-6), ("ns", 3e-9)]
)
def test_time_is_stored_in_seconds(session, unit, seconds):
    record_runs(session, [run_report(results=[result(unit=unit, values=[3.0])])])

    assert session.scalar(select(tables.Series.unit)) == "s"
    assert session.scalar(select(tables.Point.q50)) == seconds


def test_failed_result_keeps_its_reason_and_has_no_numbers(session):
    failed = result(status="failed", reason="killed by signal 9", values=[])

    record_runs(session, [run_report(results=[failed])])

    point = session.scalars(select(tables.Point)).one()
    assert (point.count, point.q50, point.reason) == (0, None, "killed by signal 9")


def test_huge_values_have_no_infinite_summary(session):
    record_runs(session, [run_report(results=[result(values=[1e290, 3e200])])])

    assert session.scalar(select(tables.Point.mean)) is None
    assert session.scalar(select(tables.Point.minimum)) == 3e200


def test_same_run_is_stored_once(session):
    (first,) = record_runs(session, [run_report()])
    (second,) = record_runs(session, [run_report()])

    assert (first.is_new, second.is_new) == (True, False)
    assert first.job == second.job
    assert count(session, tables.Run) == count(session, tables.Job) == 1


def test_order_of_keys_does_not_matter(session):
    record_runs(session, [run_report(configuration={"a": 1, "b": 2})])
    (again,) = record_runs(session, [run_report(configuration={"b": 2, "a": 1})])

    assert not again.is_new


def test_same_id_with_other_content_is_a_conflict(session):
    record_runs(session, [run_report()])

    with pytest.raises(RunAlreadyRecorded):
        record_runs(session, [run_report(coordinate={"p": 8})])


def test_runs_of_a_sweep_share_one_job(session):
    receipts = record_runs(session, sweep_reports())

    assert len({receipt.job for receipt in receipts}) == 1
    assert count(session, tables.Series) == 2


def test_changed_fingerprint_is_a_new_state_of_the_same_machine(session):
    one, other = sweep_reports((2, 4))
    other = other.model_copy(
        update={"machine": other.machine.model_copy(update={"fingerprint": {"c": 2}})}
    )

    record_runs(session, [one, other])

    assert count(session, tables.Machine) == 1
    assert count(session, tables.Fingerprint) == 2


def test_later_run_completes_the_commit(session):
    one, other = sweep_reports((2, 4))
    other = other.model_copy(
        update={"commit": other.commit.model_copy(update={"branch": "main"})}
    )

    record_runs(session, [one, other])

    assert session.scalar(select(tables.Commit.branch)) == "main"


def test_unit_of_an_own_metric_cannot_change(session):
    def energy(unit, p):
        own = result(metric="energy", unit=unit)
        (report,) = sweep_reports((p,), {}, results=[own])
        return report

    record_runs(session, [energy("J", 2)])

    with pytest.raises(UnitChanged, match="'J', not in 'W'"):
        record_runs(session, [energy("W", 4)])


@pytest.mark.parametrize(
    ("recorded", "posted", "factor"),
    [("us", "ms", 1e3), ("MB/s", "GB/s", 1e3), ("Mcells/s", "cells/s", 1e-6)],
)
def test_result_is_recorded_in_the_unit_of_its_series(
    session, recorded, posted, factor
):
    for p, unit in ((2, recorded), (4, posted)):
        own = result(metric="step", unit=unit, values=[3.0])
        record_runs(session, sweep_reports((p,), {}, results=[own]))

    assert session.scalars(select(tables.Series.unit)).all() == [recorded]
    points = select(tables.Point.q50).order_by(tables.Point.run_id)
    assert session.scalars(points).all() == pytest.approx([3.0, 3.0 * factor])
    of_runs = select(tables.Payload.body).order_by(tables.Payload.run_id)
    payloads = session.scalars(of_runs).all()
    posted_units = [
        json.loads(zstandard.decompress(body))["results"][0]["unit"]
        for body in payloads
    ]
    assert posted_units == [recorded, posted]


def test_concurrent_posts_of_the_same_run_store_it_once(sessions, session):
    post = partial(record_runs, reports=[run_report()])

    with ThreadPoolExecutor(8) as agents:
        receipts = list(agents.map(lambda _: transact(sessions, post), range(8)))

    assert sum(receipt.is_new for (receipt,) in receipts) == 1
    assert count(session, tables.Run) == count(session, tables.Project) == 1


def test_agents_that_begin_a_project_at_once_share_it(sessions, session):
    reports = sweep_reports((2, 4, 8, 16, 32, 64, 128, 256))

    with ThreadPoolExecutor(8) as agents:
        list(
            agents.map(
                lambda report: transact(
                    sessions, partial(record_runs, reports=[report])
                ),
                reports,
            )
        )

    assert count(session, tables.Run) == 8
    for table in (tables.Project, tables.Commit, tables.Machine, tables.Configuration):
        assert count(session, table) == 1
    assert count(session, tables.Point) == 16


def test_numbers_survive_storage_bit_by_bit(session):
    values = np.random.default_rng(1).lognormal(-12, 1, 400).tolist()

    record_runs(session, [run_report(results=[result(values=values)])])

    (stored,) = samples.of_runs(session, [1]).values()
    assert stored.tolist() == values


def test_better_direction_cannot_change_unnoticed(session):
    def rate(better, p):
        flops = result(metric="rate", unit="1/s", better=better)
        return run_report(id=str(UUID(int=p)), coordinate={"p": p}, results=[flops])

    record_runs(session, [rate("higher", 2)])

    with pytest.raises(DirectionChanged, match="higher is recorded as better"):
        record_runs(session, [rate("lower", 4)])


@pytest.mark.parametrize(
    ("unit", "better"),
    [
        ("GB/s", "higher"),
        ("MiB/s", "higher"),
        ("GFlop/s", "higher"),
        ("it/s", "higher"),
        ("ns/day", "higher"),
        ("MB s^-1", "higher"),
        ("MFLOPS", "higher"),
        ("MLUPS", "higher"),
        ("MHz", "higher"),
        ("s", "lower"),
        ("s/step", "lower"),
        ("B", "lower"),
        ("flop", "lower"),
        ("1", "lower"),
        ("messages", "lower"),
        ("", "lower"),
    ],
)
def test_unit_says_which_way_a_metric_is_better(session, unit, better):
    record_runs(session, [run_report(results=[result(metric="figure", unit=unit)])])

    assert session.scalar(select(tables.Series.better)) == better


def test_direction_that_nobody_states_stays_as_recorded(session):
    stated = result(metric="load", unit="1/s", better="lower")
    silent = result(metric="load", unit="1/s")
    record_runs(session, [run_report(results=[stated])])

    other = {"id": str(UUID(int=2)), "coordinate": {"p": 4}}
    record_runs(session, [run_report(**other, results=[silent])])

    assert session.scalar(select(tables.Series.better)) == "lower"
    assert count(session, tables.Run) == 2


def test_many_results_come_back_as_they_were_posted(session):
    """So many rows are copied where the database can."""
    odd = {"region": "\\N \\t \\", "values": [3.5, 1.25]}
    procedure = {"synchronisation": "barrier", "late": 2}
    failed = {"values": [], "status": "failed", "reason": "it \\N\tdied"}
    results = [result(region=f"f{i}", values=[i + 0.5]) for i in range(40)]
    results += [result(**odd, procedure=procedure), result(region="g", **failed)]

    record_runs(session, [run_report(results=results)])

    found = {
        series.region: point
        for point, series in session.execute(
            select(tables.Point, tables.Series).join_from(tables.Point, tables.Series)
        )
    }
    run_id = found["f7"].run_id
    [told] = procedures.of_runs(session, [run_id])[run_id].values()
    assert found["f7"].q50 == 7.5
    assert (found["f7"].flags, flags_in(found[odd["region"]].flags)) == (
        0,
        (Flag.BARRIER,),
    )
    assert told["late"] == 2
    assert None not in told.values()
    assert (found["g"].count, found["g"].q50) == (0, None)
    assert found["g"].reason == failed["reason"]
