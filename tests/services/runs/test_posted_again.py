"""Runs that are posted again, to the same or to a later release."""

from functools import reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, get_args, get_origin

import pytest
from pydantic import create_model

from scalewatch.errors import RunAlreadyRecorded
from scalewatch.services.runs.record import prepare
from scalewatch.storage.database import schema
from scalewatch.storage.database.session import sessions_of
from scalewatch.wire import RunReport
from scalewatch.wire.reports import Report
from support import release_0_1_0
from support.builders import result, run_report
from support.recorded import record_runs

EVERYTHING = {
    "commit": {"sha": "1", "author": "Ada", "committed_at": "2026-01-01T00:00:00Z"},
    "machine": {"name": "jureca", "provenance": "simulated"},
    "job": {"scheduler": "slurm", "nodes": 2},
    "results": [
        result(procedure={"late": 1}, location={"file": "sweep.c", "line": 3}),
        result(region="MPI_Scan", status="failed", reason="killed", values=[]),
    ],
    "profile": {"functions": [{"region": "f", "seconds": 1.0}]},
}
"""A run that states something in each part of the wire."""


@pytest.fixture
def of_0_1_0(blank):
    """How to write to a database of release 0.1.0 that was migrated."""
    release_0_1_0.fill(blank)
    schema.upgrade(blank)
    with sessions_of(blank).writing() as session:
        yield session


@pytest.mark.parametrize("posted", [release_0_1_0.RUN, release_0_1_0.OLDER])
def test_run_of_an_earlier_release_is_known(of_0_1_0, posted):
    (receipt,) = record_runs(of_0_1_0, [run_report(**posted)])

    assert (receipt.is_new, receipt.job) == (False, 1)


@pytest.mark.parametrize(
    "posted",
    [release_0_1_0.RUN | {"coordinate": {"p": 5}}, release_0_1_0.FORGOTTEN],
    ids=["of other content", "of forgotten content"],
)
def test_run_of_an_earlier_release_is_not_taken_for_another(of_0_1_0, posted):
    with pytest.raises(RunAlreadyRecorded):
        record_runs(of_0_1_0, [run_report(**posted)])


@pytest.mark.parametrize("fields", [{}, EVERYTHING], ids=["little", "everything"])
@pytest.mark.parametrize("default", [None, False, 0, "", (), {}], ids=repr)
def test_field_that_a_later_release_adds_changes_no_digest(fields, default):
    report = run_report(**fields)
    later = later_wire(RunReport, default).model_validate_json(
        report.model_dump_json(by_alias=True)
    )

    assert later.commit.added == later.results[0].added == default
    assert prepare(later).digest == prepare(report).digest


def test_default_that_is_stated_changes_no_digest():
    stated = run_report(
        job=None, results=[result(status="ok", reason=None, exact=False)]
    )

    assert prepare(stated).digest == prepare(run_report()).digest


@pytest.mark.parametrize(
    ("first", "again", "is_same"),
    [
        ({"p": 4}, {"p": 4.0}, True),
        ({"p": 4.0}, {"p": 4}, True),
        ({"p": 4, "h": 4}, {"p": 4, "h": 4.5}, False),
        ({"p": 1e300}, {"p": 1e300}, True),
    ],
)
def test_whole_number_is_the_same_with_a_point(session, first, again, is_same):
    record_runs(session, [run_report(coordinate=first)])

    if not is_same:
        with pytest.raises(RunAlreadyRecorded):
            record_runs(session, [run_report(coordinate=again)])
        return
    (receipt,) = record_runs(session, [run_report(coordinate=again)])
    assert not receipt.is_new


def test_true_is_not_one(session):
    record_runs(session, [run_report(configuration={"pinned": True})])

    with pytest.raises(RunAlreadyRecorded):
        record_runs(session, [run_report(configuration={"pinned": 1})])


def later_wire(part: Any, default: object) -> Any:
    """Return a type of the wire whose models have an optional field more."""
    if isinstance(part, type) and issubclass(part, Report):
        fields = {
            name: (later_wire(field.annotation, default), field)
            for name, field in part.model_fields.items()
        }
        return create_model(
            part.__name__, __base__=part, added=(type(default), default), **fields
        )
    if not get_args(part):
        return part
    inner = [later_wire(each, default) for each in get_args(part)]
    if isinstance(part, UnionType):
        return reduce(or_, inner)
    if get_origin(part) is Annotated:
        return Annotated[tuple(inner)]
    return get_origin(part)[tuple(inner)]
