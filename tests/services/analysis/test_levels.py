"""How much an expectation of growth expects, and which commit says so."""

from math import log2

import numpy as np
import pytest
from sqlalchemy import delete

from scalewatch.services import jobs
from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.services.operations import removals
from scalewatch.services.regions.region import region_at
from scalewatch.services.selection.view import View
from scalewatch.storage import tables
from support.builders import sweep_reports
from support.histories import LINEAR, commit, sha
from support.recorded import record

REGION = "halo"


def tree(factor):
    return lambda p: factor * (1e-6 + 2e-6 * log2(p))


def measure(sessions, *truths, first=1, **fields):
    """Record a commit for each truth."""
    for number, truth in enumerate(truths, first):
        of_commit = commit(number, tag=f"v{number}", **fields)
        runs = sweep_reports(
            growths={REGION: truth}, noise=1e-3, seed=number, commit=of_commit
        )
        record(sessions, runs)


def declare(sessions, growth):
    with sessions.writing.begin() as session:
        declared = [Declaration(REGION, "time", growth)]
        declarations.declare(session, "mpich", declared, author="me", reason=None)
    record(sessions, [])


def levels(sessions, number):
    """Return the level that the page of a commit shows."""
    with sessions.reading() as session:
        (scan,) = region_at(session, View("mpich", sha(number)), REGION).scans
    return scan.taken_level


def test_the_level_is_that_of_the_last_commit_that_matched_at_all_of_them(sessions):
    measure(sessions, tree(1), tree(2))
    declare(sessions, "log p")
    measure(sessions, tree(3), LINEAR, LINEAR, first=3)

    at_each = [levels(sessions, number) for number in range(1, 6)]

    assert at_each == at_each[:1] * 5
    assert (at_each[0].commit, at_each[0].is_matched) == ("v3", True)
    assert at_each[0].at == {"p": 2.0}
    assert at_each[0].value == pytest.approx(9e-6, rel=0.01)
    assert at_each[0].kept == pytest.approx(3e-6, rel=0.05)


def test_where_none_matched_it_is_the_first_measured_after_the_declaration(sessions):
    measure(sessions, LINEAR, LINEAR)
    declare(sessions, "log p")
    assert levels(sessions, 2) is None

    measure(sessions, lambda p: 3 * LINEAR(p), lambda p: 5 * LINEAR(p), first=3)

    level = levels(sessions, 1)
    assert level == levels(sessions, 4)
    assert (level.commit, level.is_matched) == ("v3", False)
    assert (level.at, level.kept) == ({"p": 2.0}, 0.0)
    assert level.value == pytest.approx(3 * LINEAR(2), rel=0.01)


def test_another_version_has_a_level_of_its_own(sessions):
    measure(sessions, tree(1), tree(2))
    declare(sessions, "log p")
    declare(sessions, "p")

    assert levels(sessions, 2) is None

    declare(sessions, "log p")
    assert levels(sessions, 1).commit == "v2"


def test_a_branch_of_its_own_sets_no_level_where_main_has_one(sessions):
    measure(sessions, tree(1))
    declare(sessions, "log p")
    measure(sessions, tree(9), first=2, branch="feature/slow")

    assert levels(sessions, 2).commit == "v1"


def test_without_the_commit_of_a_level_the_one_before_says_it(sessions):
    measure(sessions, tree(1), tree(2), LINEAR)
    declare(sessions, "log p")
    assert levels(sessions, 3).commit == "v2"

    with sessions.writing.begin() as session:
        removals.remove_commit(session, "mpich", sha(2))

    assert levels(sessions, 3).commit == "v1"


def test_a_commit_that_no_longer_matches_gives_its_level_up(sessions):
    measure(sessions, tree(1), tree(2))
    declare(sessions, "log p")
    again = commit(2, tag="v2")
    many = {"growths": {REGION: LINEAR}, "noise": 1e-3, "repetitions": 400}
    record(sessions, sweep_reports(seed=9, commit=again, **many))

    assert levels(sessions, 2).commit == "v1"


def test_an_expectation_over_two_parameters_has_one_level_for_both(sessions):
    grid = [
        report.model_copy(update={"coordinate": {"p": p, "n": n}})
        for n in (10, 20, 40, 80, 160)
        for p in (2, 4, 8, 16, 32)
        for report in sweep_reports(
            (p,),
            {REGION: lambda p, n=n: 1e-6 + 1e-8 * n * log2(p)},
            noise=1e-3,
            seed=p * n,
            commit=commit(1),
        )
    ]
    record(sessions, grid)
    declare(sessions, "n log p")

    level = levels(sessions, 1)

    assert dict(level.at) == {"p": 2.0, "n": 10.0}
    assert np.isclose(level.value, 1e-6 + 1e-7, rtol=0.05)


def test_levels_of_what_was_judged_before_there_were_any_are_taken_by_a_job(sessions):
    measure(sessions, tree(1), LINEAR)
    declare(sessions, "log p")
    with sessions.writing.begin() as session:
        session.execute(delete(tables.ExpectedLevel))
        jobs.enqueue(session, jobs.JobKind.REJUDGE, 1)

    record(sessions, [])

    assert levels(sessions, 2).commit == "v1"
