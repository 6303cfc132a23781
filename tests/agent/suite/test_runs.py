from datetime import UTC, datetime

import pytest

from scalewatch.wire import Commit, Machine, RunReport
from scalewatch_agent.activity import TURNS, WAITED
from scalewatch_agent.machine import fingerprint, machine_name
from scalewatch_agent.mpi.mpiexec import TRANSPORTS
from scalewatch_agent.plan import Plan
from scalewatch_agent.suite.jobs import JobOutcome
from scalewatch_agent.suite.sweep import MeasuredSubject, run_reports
from support.agent_sentences import SUITE as SAID

NOW = datetime(2026, 11, 21, tzinfo=UTC)
SUBJECT = MeasuredSubject(
    project="openmpi",
    commit=Commit(sha="v5.0.11"),
    machine=Machine(name="here-shm"),
    settings={"thread_level": "single", "transport": "shm"},
)
BCAST = {
    "region": "MPI_Bcast",
    "message_bytes": 256,
    "metric": "time",
    "unit": "s",
    "values": [1.5e-6, 2.1e-8],
    "procedure": {
        "synchronisation": "round-time",
        "repetitions_asked": 400,
        "warm_ups": 8,
        "late": 3,
        "clock_error": 6.4e-7,
        "caveats": ["clock"],
    },
}
KEY = ("MPI_Bcast", "time", 256)


def plan(**fields):
    defaults = {
        "suite": "runtime",
        "regions": ("MPI_Bcast", "MPI_Barrier"),
        "message_bytes": (256,),
        "repetitions": 400,
        "warm_ups": 8,
        "budget": 1.0,
        "thread_level": "single",
        "oversubscribed": False,
        "time_limit": 60,
    }
    return Plan(**defaults | fields)


def outcome(**fields):
    return JobOutcome(**{"started_at": NOW, "ended_at": NOW} | fields)


def report_of(subject, of_plan, processes, made):
    (report,) = run_reports(subject, of_plan, processes, made)
    return report


def test_plan_survives_its_way_to_the_processes():
    assert Plan.from_json(plan().to_json()) == plan()


def test_run_tells_how_each_result_was_taken():
    made = outcome(measured={KEY: BCAST})

    report = report_of(SUBJECT, plan(oversubscribed=True), 4, made)

    result = report.results[0]
    assert report.coordinate == {"p": 4}
    assert result.values == (1.5e-6, 2.1e-8)
    assert result.procedure is not None
    assert result.procedure.model_dump(exclude_none=True) == {
        "synchronisation": "round-time",
        "oversubscribed": True,
        "disturbed": False,
        "repetitions_asked": 400,
        "warm_ups": 8,
        "late": 3,
        "clock_error": 6.4e-7,
        "caveats": ("clock",),
    }


def test_what_a_job_left_out_has_failed_for_its_reason():
    made = outcome(measured={KEY: BCAST}, failure="time limit of 9 s reached")

    bcast, barrier = report_of(SUBJECT, plan(), 4, made).results

    assert (bcast.status, bcast.reason) == ("ok", None)
    assert (barrier.status, barrier.reason) == (
        "failed",
        SAID["time limit"].format(9, ""),
    )
    assert barrier.values == ()


def test_region_that_failed_alone_says_why():
    made = outcome(failed={"MPI_Bcast": "no memory"})

    bcast, _ = report_of(SUBJECT, plan(), 4, made).results

    assert (bcast.status, bcast.reason) == ("failed", "no memory")


def test_each_message_size_is_a_run_of_its_own():
    large = BCAST | {"message_bytes": 1024, "values": [0.5]}
    made = outcome(measured={KEY: BCAST, ("MPI_Bcast", "time", 1024): large})
    sizes = plan(regions=("MPI_Bcast",), message_bytes=(256, 1024))

    reports = run_reports(SUBJECT, sizes, 4, made)

    assert [report.configuration["message_bytes"] for report in reports] == [256, 1024]
    assert [report.results[0].values for report in reports] == [
        (1.5e-6, 2.1e-8),
        (0.5,),
    ]
    assert len({report.id for report in reports}) == 2


def test_region_can_bring_several_metrics():
    first = {
        "region": "MPI_Comm_dup",
        "metric": "first-object memory",
        "unit": "B",
        "values": [9000],
        "procedure": {},
    }
    later = first | {"metric": "memory", "values": [8596, 8596]}
    made = outcome(
        measured={(one["region"], one["metric"], None): one for one in (first, later)}
    )
    memory = plan(suite="memory", regions=("MPI_Comm_dup", "MPI memory"))

    report = report_of(SUBJECT, memory, 2, made)

    assert report.suite == "mpi-memory"
    assert [(one.metric, one.status) for one in report.results] == [
        ("first-object memory", "ok"),
        ("memory", "ok"),
        ("memory", "failed"),
    ]


def test_region_that_a_proper_job_does_not_mention_has_failed():
    results = report_of(SUBJECT, plan(), 4, outcome()).results

    assert {result.reason for result in results} == {SAID["left out"]}


def test_configuration_holds_nothing_that_follows_from_the_coordinate():
    few, many = (report_of(SUBJECT, plan(), p, outcome()) for p in (2, 64))

    assert few.configuration == many.configuration
    assert few.configuration == {
        "loop": "interpreted",
        "message_bytes": 256,
        "thread_level": "single",
        "transport": "shm",
    }


def test_each_run_has_an_id_of_its_own():
    assert report_of(SUBJECT, plan(), 4, outcome()).id != (
        report_of(SUBJECT, plan(), 4, outcome()).id
    )


def test_run_reads_the_same_on_the_other_side():
    report = report_of(SUBJECT, plan(), 4, outcome(measured={KEY: BCAST}))

    text = report.model_dump_json(by_alias=True, exclude_none=True)

    assert RunReport.model_validate_json(text) == report


@pytest.mark.parametrize("transport", ["shm", "tcp"])
def test_fingerprint_does_not_name_the_host(transport):
    facts = fingerprint(TRANSPORTS[transport])

    host = machine_name(transport).rpartition("-")[0]
    assert host not in map(str, facts.values())
    assert set(facts) == {"cpu", "cores", "memory_bytes", "interconnect", "kernel"}
    assert facts["cores"] >= 1
    assert facts["memory_bytes"] > 0


@pytest.mark.parametrize(("crowded", "disturbed"), [(False, True), (True, False)])
def test_times_of_a_job_that_waited_are_disturbed_unless_it_shared_cores(
    crowded, disturbed
):
    activity = {WAITED: 0.4, TURNS: 1e6}
    made = outcome(measured={KEY: BCAST}, activity=activity)

    report = report_of(SUBJECT, plan(oversubscribed=crowded), 4, made)

    assert report.results[0].procedure.disturbed is disturbed
    assert report.job.environment[WAITED] == 0.4
