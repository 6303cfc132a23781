from math import log2

import pytest

from scalewatch.errors import BadExpression
from scalewatch.services.guidelines import GuidelineState, declare, guidelines_at
from scalewatch.services.selection.view import View
from support.builders import sweep_reports
from support.recorded import PROCESSES, record, record_runs
from support.service_sentences import SAID

GROWTHS = {
    "MPI_Allreduce": lambda p: 9e-6 * log2(p),
    "MPI_Reduce": lambda p: 1e-6 * log2(p),
    "MPI_Bcast": lambda p: 2e-6 * log2(p),
}


@pytest.fixture
def _measured(sessions):
    record(sessions, sweep_reports(PROCESSES, GROWTHS, repetitions=20, noise=0.002))


def checks(sessions, **fields):
    with sessions.reading() as session:
        report = guidelines_at(session, View("mpich", **fields))
    return {str(each.guideline): each for each in report.checks}


def declare_rules(sessions, *rules):
    with sessions.writing.begin() as session:
        return declare(session, "mpich", rules, author="ada", reason=None)


@pytest.mark.usefixtures("_measured")
def test_published_guidelines_are_checked_where_all_their_regions_were_measured(
    sessions,
):
    found = checks(sessions)

    assert {rule: each.state for rule, each in found.items()} == {
        "MPI_Allreduce ⪯ MPI_Reduce + MPI_Bcast": GuidelineState.BROKEN,
        "MPI_Reduce ⪯ MPI_Allreduce": GuidelineState.HOLDS,
        "MPI_Bcast ⪯ MPI_Allreduce": GuidelineState.HOLDS,
    }
    broken = next(iter(found.values()))
    assert broken.check.violated_at == tuple(map(float, PROCESSES))


@pytest.mark.usefixtures("_measured")
def test_declared_guidelines_replace_the_published_ones(sessions):
    version = declare_rules(sessions, "MPI_Bcast <= MPI_Reduce", "MPI_Bcast ⪯ nothing")

    assert version == 1
    assert declare_rules(sessions, "MPI_Bcast <= MPI_Reduce") == 2
    (each,) = checks(sessions).values()
    assert each.state is GuidelineState.BROKEN


def test_models_tell_where_a_guideline_will_break(sessions):
    growths = {
        "MPI_Bcast": lambda p: 1e-6 * p,
        "MPI_Reduce": lambda p: 2e-4 + 1e-7 * log2(p),
    }
    record(sessions, sweep_reports(PROCESSES, growths, repetitions=20, noise=0.001))
    declare_rules(sessions, "MPI_Bcast <= MPI_Reduce")

    (each,) = checks(sessions).values()

    assert each.state is GuidelineState.THREATENED
    assert each.check.violated_from == pytest.approx(210, rel=0.1)


@pytest.mark.usefixtures("_measured")
def test_a_guideline_that_cannot_be_read_is_refused(sessions):
    with pytest.raises(BadExpression, match="and the parts"):
        declare_rules(sessions, "MPI_Bcast")


def test_a_guideline_without_models_says_what_is_missing(session):
    record_runs(session, sweep_reports(PROCESSES, GROWTHS))

    report = guidelines_at(session, View("mpich"))

    assert {each.state for each in report.checks} == {GuidelineState.UNKNOWN}
    assert report.checks[0].reason == SAID["guideline without models"]


@pytest.mark.parametrize(
    ("constant", "state", "predicted"),
    [
        (2e-4, GuidelineState.THREATENED, pytest.approx(210, rel=0.1)),
        (2e-2, GuidelineState.HOLDS, None),  # at 20,000 processes, of 32 measured
        (1e-6, GuidelineState.BROKEN, None),  # at 32 already, as was measured
    ],
)
def test_breaks_are_predicted_beyond_what_was_measured_and_not_beyond_the_target(
    sessions, constant, state, predicted
):
    growths = {
        "MPI_Bcast": lambda p: 1e-6 * p,
        "MPI_Reduce": lambda p: constant + 1e-7 * log2(p),
    }
    record(sessions, sweep_reports(PROCESSES, growths, repetitions=20, noise=0.001))
    declare_rules(sessions, "MPI_Bcast <= MPI_Reduce")

    (each,) = checks(sessions).values()

    assert (each.state, each.predicted_from) == (state, predicted)
