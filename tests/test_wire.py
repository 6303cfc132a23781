import json

import pytest
from pydantic import ValidationError

from scalewatch.wire import RunReport, faults
from support.builders import result, run, run_report

REFUSED = {
    "negative p": ({"coordinate": {"p": -1}}, "coordinate.p"),
    "zero p": ({"coordinate": {"p": 0}}, "coordinate.p"),
    "boolean p": ({"coordinate": {"p": True}}, "coordinate.p"),
    "broken p": ({"coordinate": {"p": 2.5}}, "coordinate.p"),
    "NaN p": ({"coordinate": {"p": float("nan")}}, "coordinate.p"),
    "infinite n": ({"coordinate": {"p": 2, "n": float("inf")}}, "coordinate.n"),
    "textual p": ({"coordinate": {"p": "4"}}, "coordinate.p"),
    "huge p": ({"coordinate": {"p": 10**30}}, "coordinate.p"),
    "no coordinate": ({"coordinate": {}}, "coordinate"),
    "no result": ({"results": []}, "results"),
    "no repetition": ({"results": [result(values=[])]}, "results.0.values"),
    "NaN value": ({"results": [result(values=[float("nan")])]}, "results.0.values.0"),
    "negative time": ({"results": [result(values=[-1.0])]}, "results.0.values"),
    "textual value": ({"results": [result(values=[1, "1"])]}, "results.0.values.1"),
    "unknown unit": ({"results": [result(unit="J")]}, "results.0.unit"),
    "same region twice": ({"results": [result(), result()]}, "results.1.region"),
    "failed without reason": (
        {"results": [result(status="failed")]},
        "results.0.reason",
    ),
    "unknown field": ({"colour": "red"}, "colour"),
    "name with a slash": ({"project": "a/b"}, "project"),
    "name of two lines": ({"project": "a\nb"}, "project"),
    "name that browsers take for a folder": ({"project": ".."}, "project"),
    "name that nobody can see": ({"project": " "}, "project"),
    "time without zone": (
        {"commit": {"sha": "1", "committed_at": "2026-01-01T00:00:00"}},
        "commit.committed_at",
    ),
    "NaN fact": ({"configuration": {"flag": float("nan")}}, "configuration.flag"),
    "no uuid": ({"id": "1"}, "id"),
    "other schema": ({"schema": 2}, "schema"),
}


@pytest.mark.parametrize(("fields", "field"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_report_names_the_field(fields, field):
    with pytest.raises(ValidationError) as refused:
        RunReport.model_validate_json(json.dumps(run(**fields)))

    assert [fault.field for fault in faults(refused.value)] == [field]


def test_a_million_faults_are_reported_as_one():
    body = json.dumps(run(results=[result(values=["fast"] * 1_000_000)]))

    with pytest.raises(ValidationError) as refused:
        RunReport.model_validate_json(body)

    assert len(faults(refused.value)) == 1


def test_report_survives_its_own_json():
    report = run_report()

    assert (
        RunReport.model_validate_json(report.model_dump_json(by_alias=True)) == report
    )


def profile(*functions, **fields):
    return run(results=[], profile={"functions": list(functions)} | fields)


def test_profiled_run_needs_no_result():
    report = RunReport.model_validate(
        profile({"region": "fluxes", "seconds": 1.5}), strict=False
    )

    assert report.profile.seconds == {"fluxes": 1.5}


def test_proportions_are_of_the_total():
    report = RunReport.model_validate(
        profile({"region": "fluxes", "proportion": 0.87}, total_seconds=200.0),
        strict=False,
    )

    assert report.profile.seconds == {"fluxes": pytest.approx(174)}


@pytest.mark.parametrize(
    ("bad", "field", "message"),
    [
        (run(results=[]), "results", "at least one result"),
        (profile(), "profile.functions", "no function took any time"),
        (
            profile({"region": "a", "seconds": -1.0}),
            "profile.functions.0.seconds",
            "greater than or equal to 0",
        ),
        (
            profile({"region": "a", "seconds": 0.0}),
            "profile.functions",
            "no function took any time",
        ),
        (
            profile({"region": "a", "proportion": 0.5}),
            "profile.functions.0.seconds",
            "a proportion of total_seconds",
        ),
        (
            profile({"region": "a", "seconds": 1.0}, {"region": "a", "seconds": 2.0}),
            "profile.functions.1.region",
            "more than once",
        ),
        (
            profile(
                {"region": "main", "seconds": 10.0},
                {"region": "solve", "seconds": 9.0},
                total_seconds=10.0,
            ),
            "profile.functions",
            "exclusive times are expected",
        ),
    ],
)
def test_profile_that_makes_no_sense_is_refused(bad, field, message):
    with pytest.raises(ValidationError) as caught:
        RunReport.model_validate(bad, strict=False)

    (fault,) = faults(caught.value)
    assert fault.field == field
    assert message in fault.message
