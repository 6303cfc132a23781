from math import log2

import orjson
import pytest
from sqlalchemy import select

from scalewatch.services.analysis import analysis
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.storage import tables
from support.builders import result, run_report, sweep_reports
from support.recorded import record_runs

SUBJECT = AnalysedCommit(commit_id=1, machine_id=1)


def found(session, reports):
    """Record and analyse runs; return growth, verdict and reason by region."""
    record_runs(session, reports)
    analysis.record(session, analysis.analyse(session, SUBJECT))
    rows = session.execute(
        select(tables.Series.region, tables.Model, tables.Verdict)
        .join(tables.Model, tables.Model.series_id == tables.Series.id)
        .outerjoin(tables.Verdict, tables.Verdict.series_id == tables.Series.id)
    )
    return {
        region: (
            model.growth,
            verdict and verdict.verdict,
            (verdict and verdict.reason) or model.reason,
        )
        for region, model, verdict in rows
    }


def test_growths_are_recovered_and_judged_by_the_published_expectations(session):
    growths = {
        "MPI_Bcast": lambda p: 1e-6 + 2e-6 * log2(p),
        "MPI_Allgather": lambda p: 1e-6 + 2e-6 * p,
        "MPI_Reduce": lambda p: 1e-6 + 2e-6 * p,
    }

    outcome = found(session, sweep_reports(growths=growths, noise=1e-3))

    assert outcome["MPI_Bcast"][:2] == ("log p", "match")
    assert outcome["MPI_Allgather"][:2] == ("p", "match")
    assert outcome["MPI_Reduce"][:2] == ("p", "mismatch")


def test_region_without_expectation_is_modelled_and_not_judged(session):
    growths = {"solve": lambda p: 1e-6 + 2e-6 * p}

    outcome = found(session, sweep_reports(growths=growths, noise=1e-3))

    assert outcome["solve"] == ("p", None, None)


def test_too_few_coordinates_are_undecided_with_the_reason(session):
    outcome = found(session, sweep_reports((2, 4)))

    growth, verdict, reason = outcome["MPI_Bcast"]
    assert (growth, verdict) == (None, "undecided")
    assert "p = 1, 8 and 16" in reason


def test_repetitions_of_several_runs_at_one_coordinate_are_pooled(session):
    found(session, sweep_reports() + sweep_reports(seed=2))

    model = session.scalars(select(tables.Model)).first()
    assert (model.points, model.repetitions) == (6, 20)


def grid(seconds, processes=(2, 4, 8, 16, 32), sizes=(100, 200, 400, 800, 1600)):
    """Return runs of a region that takes `seconds(p, n)`."""
    return [
        report
        for p in processes
        for n in sizes
        for report in sweep_reports(
            (p,),
            {"solve": lambda p, n=n: seconds(p, n)},
            noise=1e-3,
            coordinate={"p": p, "n": n},
        )
    ]


def test_a_grid_of_two_parameters_is_modelled_over_both(session):
    outcome = found(session, grid(lambda p, n: 1e-3 + 1e-6 * n * log2(p)))

    assert outcome["solve"][0] == "n log p"
    (model,) = session.scalars(select(tables.Model))
    assert [growth for _, growth in model.terms] == ["n log p"]


def test_what_grows_along_with_p_is_a_scan_over_p(session):
    reports = [
        report.model_copy(
            update={
                "coordinate": {**report.coordinate, "n": 10 * report.coordinate["p"]}
            }
        )
        for report in sweep_reports(noise=1e-3)
    ]

    assert found(session, reports)["MPI_Bcast"][:2] == ("log p", "match")


def test_a_parameter_that_some_runs_do_not_name_is_named(session):
    first, *others = sweep_reports()
    first = first.model_copy(update={"coordinate": {"p": 2, "n": 10}})

    growth, verdict, reason = found(session, [first, *others])["MPI_Bcast"]

    assert (growth, verdict) == (None, "undecided")
    assert "lack n" in reason


def test_expectation_in_p_is_not_applied_to_a_scan_over_n(session):
    reports = [
        report.model_copy(update={"coordinate": {"p": 4, "n": report.coordinate["p"]}})
        for report in sweep_reports(noise=1e-3)
    ]

    growth, verdict, reason = found(session, reports)["MPI_Bcast"]

    assert (growth, verdict) == ("log n", "undecided")
    assert "log p" in reason


def test_coordinate_where_all_failed_is_left_out(session):
    *reports, last = sweep_reports()
    failed = [result(status="failed", reason="timeout", values=[])]

    outcome = found(session, [*reports, run_report(id=last.id, results=failed)])

    model = session.scalars(select(tables.Model)).first()
    assert model.points == 5
    assert outcome["MPI_Bcast"][0] == "log p"


def test_series_that_always_failed_says_why(session):
    failed = result(region="solve", status="failed", reason="no memory", values=[])

    outcome = found(session, [run_report(results=[failed])])

    *found_nothing, reason = outcome["solve"]
    assert found_nothing == [None, None]
    assert reason.endswith("no memory")


@pytest.mark.parametrize("table", [tables.Model, tables.Verdict])
def test_analysing_twice_gives_the_same_rows(session, table):
    def rows():
        ignored = {"modelled_at", "judged_at"}
        columns = [c for c in table.__table__.columns if c.name not in ignored]
        return session.execute(select(*columns)).all()

    found(session, sweep_reports())
    first = rows()
    analysis.record(session, analysis.analyse(session, SUBJECT))

    assert first
    assert rows() == first


def stored_models(session):
    """Return the stored models by region."""
    rows = session.execute(
        select(tables.Series.region, tables.Model).join(
            tables.Model, tables.Model.series_id == tables.Series.id
        )
    )
    return dict(map(tuple, rows))


def messages(*, exact):
    """Return runs that count the messages of an exchange once each."""
    counted = [
        result(region="exchange", metric="messages", unit="1", values=[p - 1])
        | {"exact": exact}
        for p in (4, 8, 16, 32, 64)
    ]
    return [
        report
        for p, one in zip((4, 8, 16, 32, 64), counted, strict=True)
        for report in sweep_reports((p,), results=[one])
    ]


@pytest.mark.parametrize(("exact", "rule"), [(True, "exact"), (False, "evidence")])
def test_counts_that_are_declared_exact_need_no_repetitions(session, exact, rule):
    found(session, messages(exact=exact))

    assert stored_models(session)["exchange"].rule == rule


def test_a_model_of_exact_counts_keeps_its_formula_and_what_is_known_of_it(session):
    found(session, messages(exact=True))

    model = stored_models(session)["exchange"]
    assert (model.constant, model.terms) == (-1, [[1.0, "p"]])
    assert orjson.loads(model.fit)["outcome"] == "exact"
