from scalewatch.modelling import Mark
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.projects.home import all_projects
from scalewatch.services.projects.news import Condition, condition_of
from scalewatch.services.projects.overviews import MOST
from support.builders import sweep_reports
from support.recorded import (
    PROCESSES,
    failed_result,
    record,
    record_project,
    record_runs,
)


def test_without_runs_there_are_no_projects(session):
    assert all_projects(session) == ()


def test_project_is_shown_at_its_newest_commit(reading):
    (project,) = all_projects(reading)

    assert project.commit.label == "v5.0.11"
    assert project.commit.subject == "Release v5.0.11"
    assert (project.commits, project.regions) == (2, 4)
    assert project.counts[Mark.MISMATCH] == 1


def test_a_commit_that_measures_more_is_compared_anew(sessions):
    record_project(sessions)
    with sessions.reading() as session:
        (first,), (second,) = all_projects(session), all_projects(session)
    assert first.changes == second.changes

    made = {"sha": first.commit.sha, "committed_at": "2026-09-02T12:00:00Z"}
    growths = {"MPI_Scan": lambda p: 1e-6 * p}
    record(sessions, sweep_reports(PROCESSES, growths, project="openmpi", commit=made))

    with sessions.reading() as session:
        (third,) = all_projects(session)
    before = first.changes.get(ChangeKind.NEW, 0)
    assert third.changes.get(ChangeKind.NEW, 0) == before + 1


def test_machines_are_listed_with_their_runs(reading):
    (project,) = all_projects(reading)

    assert [(seen.machine, seen.slot, seen.runs) for seen in project.machines] == [
        ("node-shm", 0, 10),
        ("node-tcp", 1, 10),
    ]


def test_mismatches_need_attention(reading):
    (project,) = all_projects(reading)

    assert [(c.region, c.machine) for c in project.concerns] == [
        ("MPI_Barrier", "node-tcp")
    ]


def test_measured_series_without_model_are_pending(sessions):
    with sessions.writing.begin() as session:
        record_runs(session, sweep_reports())

    with sessions.reading() as session:
        (project,) = all_projects(session)
    assert project.pending == 2
    assert sum(project.counts.values()) == 0


def test_concerns_are_limited_and_the_rest_is_counted(sessions):
    growths = {f"kernel {number}": lambda p: 1e-6 * p**2 for number in range(12)}
    record(sessions, sweep_reports(PROCESSES, growths))
    results = [failed_result(f"kernel {number}") for number in range(20, 33)]
    record(sessions, sweep_reports((2,), results=results, seed=2))

    with sessions.reading() as session:
        (project,) = all_projects(session)
    assert len(project.concerns) == MOST
    assert project.more == 13 - MOST


def test_region_that_fares_alike_on_several_machines_is_one_concern(sessions):
    for name in ("jureca", "hazel", "mira"):
        machine = {"name": name, "fingerprint": {"cores": 128}}
        results = [failed_result("transpose"), failed_result(f"only on {name}")]
        record(sessions, sweep_reports((2,), results=results, machine=machine))

    with sessions.reading() as session:
        (project,) = all_projects(session)
    concerns = {each.region: each for each in project.concerns}
    assert len(concerns) == 4
    assert concerns["transpose"].machine == "hazel"
    assert concerns["transpose"].others == ("jureca", "mira")


def test_better_than_promised_is_counted_by_itself_and_no_concern(sessions):
    machine = {"name": "mira", "fingerprint": {"cores": 128}}
    gather = {"MPI_Gather": lambda p: 1e-6 + 0 * p}
    record(
        sessions,
        sweep_reports(PROCESSES, gather, machine=machine, suite="mpi-collectives"),
    )

    with sessions.reading() as session:
        (project,) = all_projects(session)
        condition, counts = condition_of(session, project.name)
    assert project.counts[Mark.BETTER] == counts[Mark.BETTER] == 1
    assert project.counts[Mark.MISMATCH] == counts[Mark.MISMATCH] == 0
    assert project.concerns == ()
    assert condition is Condition.FINE


def test_projects_are_listed_by_name(sessions):
    record_project(sessions, "openmpi")
    record(sessions, sweep_reports(project="mpich"))

    with sessions.reading() as session:
        assert [project.name for project in all_projects(session)] == [
            "mpich",
            "openmpi",
        ]
