import pytest
from sqlalchemy import func, select

from scalewatch.errors import BadExpression, FallingLimit, NotFound
from scalewatch.modelling import Growth, parse_growth
from scalewatch.services.analysis import analysis
from scalewatch.services.expectations import built_in, declarations, in_force
from scalewatch.services.expectations.declarations import Declaration, declare
from scalewatch.services.jobs import AnalysedCommit, JobKind
from scalewatch.storage import tables
from scalewatch.storage.judgements import expectations as stored_expectations
from support.builders import run_report, sweep_reports
from support.recorded import record_runs
from support.reference_tables import read

AUTHOR = {"author": "ada", "reason": "measured by hand"}


def expected(session):
    """Return growth and version by region."""
    return {
        each.region: (str(each.growth), each.version)
        for each in in_force.in_force(session, project_id=1).values()
    }


def test_published_expectations_are_those_of_the_paper():
    paper = {
        row["region"].replace(" litmus test", ""): Growth.of("p", **row["expectation"])
        for row in read("table2_mpi_runtime.json")["rows"]
    }

    ours = {
        region.removeprefix("MPI_"): parse_growth(growth)
        for (region, _), growth in built_in.GROWTHS["mpi-collectives"].items()
    }

    assert ours == paper


def test_published_expectations_of_memory_are_those_of_the_paper():
    paper = {
        (row["region"], row["metric"]): Growth.of("p", **row["expectation"])
        for row in read("table3_mpi_memory.json")["rows"]
    }

    ours = {
        (region.removeprefix("MPI_"), metric): parse_growth(growth)
        for (region, metric), growth in built_in.GROWTHS["mpi-memory"].items()
    }

    assert ours == paper


def test_first_run_of_the_suite_brings_the_published_expectations(session):
    record_runs(session, sweep_reports((2,)))

    assert expected(session) == {"MPI_Allgather": ("p", 1), "MPI_Bcast": ("log p", 1)}
    (first, _) = in_force.in_force(session, project_id=1).values()
    assert (first.author, str(first.deviation_limit)) == ("scalewatch", "p^(1/2)")
    assert "Exascaling Your Library" in first.reason


def test_another_suite_brings_no_expectation(session):
    record_runs(session, [run_report(suite="solver")])

    assert expected(session) == {}


def test_own_expectation_is_not_replaced_by_the_published_one(session):
    record_runs(session, [run_report(suite="solver")])
    declare(session, "mpich", [Declaration("MPI_Bcast", "time", "O(p)")], **AUTHOR)

    record_runs(session, sweep_reports((2,)))

    assert expected(session)["MPI_Bcast"] == ("p", 1)


def test_changed_expectation_is_a_new_version(session):
    record_runs(session, [run_report()])

    job = declare(
        session, "mpich", [Declaration("MPI_Bcast", "time", "O(√p log p)")], **AUTHOR
    )

    assert expected(session) == {"MPI_Bcast": ("p^(1/2) log p", 2)}
    assert session.get_one(tables.Job, job).kind == JobKind.REJUDGE


def test_unchanged_expectation_keeps_its_version(session):
    record_runs(session, [run_report()])
    again = Declaration("MPI_Bcast", "time", "O(log2(p))", "O(p^0.5)")

    assert declare(session, "mpich", [again], **AUTHOR) is None
    assert expected(session) == {"MPI_Bcast": ("log p", 1)}


def test_withdrawn_expectation_is_gone_and_can_return(session):
    record_runs(session, [run_report()])

    declare(session, "mpich", [Declaration("MPI_Bcast", "time", None)], **AUTHOR)
    assert expected(session) == {}

    record_runs(session, sweep_reports((2,), {"MPI_Bcast": float}))
    assert expected(session) == {}

    declare(session, "mpich", [Declaration("MPI_Bcast", "time", "log p")], **AUTHOR)
    assert expected(session) == {"MPI_Bcast": ("log p", 3)}


@pytest.mark.parametrize(
    ("growth", "limit", "error"),
    [
        ("O(p log)", None, BadExpression),
        ("O(p)", "1 / p", FallingLimit),
    ],
)
def test_bad_declaration_is_refused_and_nothing_is_declared(
    session, growth, limit, error
):
    record_runs(session, [run_report()])
    good = Declaration("MPI_Bcast", "time", "O(p)")
    bad = Declaration("MPI_Reduce", "time", growth, limit)

    with pytest.raises(error):
        declare(session, "mpich", [good, bad], **AUTHOR)

    assert expected(session) == {"MPI_Bcast": ("log p", 1)}


def test_project_without_runs_cannot_expect_anything(session):
    with pytest.raises(NotFound):
        declare(session, "nonesuch", [], **AUTHOR)


def test_only_what_a_change_concerns_is_queued_for_analysis(session):
    for sha, growths in (
        ("v1", {"MPI_Bcast": float}),
        ("v2", {"MPI_Allgather": float}),
    ):
        record_runs(session, sweep_reports(growths=growths, commit={"sha": sha}))
    for commit_id in (1, 2):
        subject = AnalysedCommit(commit_id, machine_id=1)
        analysis.record(session, analysis.analyse(session, subject))
    session.execute(tables.Job.__table__.delete())

    declare(session, "mpich", [Declaration("MPI_Bcast", "time", "O(p)")], **AUTHOR)
    declarations.queue_unjudged(session, project_id=1)

    queued = select(tables.Job.subject).where(tables.Job.kind == JobKind.ANALYSE)
    assert session.scalars(queued).all() == ["1/1"]


def test_newest_commits_are_judged_anew_first(session):
    for sha, day in (("v1", 2), ("v3", 3), ("v2", 1)):
        commit = {"sha": sha, "committed_at": f"2026-09-0{day}T12:00:00Z"}
        record_runs(session, sweep_reports(commit=commit))
    for commit_id in (1, 2, 3):
        subject = AnalysedCommit(commit_id, machine_id=1)
        analysis.record(session, analysis.analyse(session, subject))
    declare(session, "mpich", [Declaration("MPI_Bcast", "time", "O(p)")], **AUTHOR)

    found = stored_expectations.unjudged(session, project_id=1)

    assert found == [(2, 1), (1, 1), (3, 1)]


def test_each_version_keeps_its_verdicts(session):
    record_runs(session, sweep_reports())
    subject = AnalysedCommit(1, 1)
    analysis.record(session, analysis.analyse(session, subject))
    declare(session, "mpich", [Declaration("MPI_Bcast", "time", "O(p^2)")], **AUTHOR)
    analysis.record(session, analysis.analyse(session, subject))

    verdicts = select(tables.Expectation.version, tables.Verdict.verdict).join(
        tables.Verdict, tables.Verdict.expectation_id == tables.Expectation.id
    )
    bcast = verdicts.where(tables.Expectation.region == "MPI_Bcast")
    assert dict(session.execute(bcast).all()) == {1: "match", 2: "mismatch"}
    models = select(func.count()).select_from(tables.Model)
    assert session.scalar(models) == 2
