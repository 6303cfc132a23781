import pytest

from scalewatch.errors import NotFound, NotMeasured
from scalewatch.modelling import ScalingKind
from scalewatch.services.configurations import (
    ConfigurationQuestion,
    Objective,
    search_configurations,
)
from scalewatch.services.selection.view import View
from support.builders import sweep_reports
from support.recorded import record, record_configurations
from support.service_sentences import SAID


def ask(sessions, question=None, region=None, **view):
    with sessions.reading() as session:
        return search_configurations(
            session,
            View(**({"project": "hybrid"} | view)),
            region,
            question or ConfigurationQuestion(),
        )


def test_best_configuration_and_what_matters_are_found(sessions):
    record_configurations(sessions)

    shown = ask(sessions)

    assert shown.best.settings["threads"] == 1
    assert shown.effects.main[0].setting == "threads"
    assert shown.effects.main[0].best.level == 1
    assert shown.space == {"compiler": ("clang", "gcc"), "threads": ("1", "2", "4")}
    assert not shown.missing


@pytest.mark.parametrize("objective", list(Objective))
def test_every_objective_has_a_value(sessions, objective):
    record_configurations(sessions)

    shown = ask(sessions, ConfigurationQuestion(objective=objective))

    values = [each.value for each in shown.tried]
    assert len(values) == 6
    assert None not in values
    assert values == sorted(values)


def test_time_is_measured_where_it_was_and_predicted_elsewhere(sessions):
    record_configurations(sessions)
    time = Objective.TIME

    measured = ask(sessions, ConfigurationQuestion(objective=time)).best.value
    predicted = ask(sessions, ConfigurationQuestion(objective=time, target=64)).best

    assert measured == pytest.approx(8 / 32 + 0.02 * 32, rel=0.01)
    assert predicted.value == pytest.approx(8 / 64 + 0.02 * 64, rel=0.3)


def test_constraints_leave_out_what_they_do_not_admit(sessions):
    record_configurations(sessions)

    shown = ask(
        sessions,
        ConfigurationQuestion(
            constraints={"threads": ("2", "4"), "compiler": ("gcc",)}
        ),
    )

    assert [each.settings["threads"] for each in shown.tried] == [2, 4]
    assert "compiler" not in shown.tried[0].settings


def test_declared_levels_that_were_not_run_are_missing(sessions):
    record_configurations(sessions)

    shown = ask(
        sessions, ConfigurationQuestion(declared={"threads": ("1", "2", "4", "8")})
    )

    assert shown.missing_count == 2
    assert shown.missing[0] == {"compiler": "clang", "threads": "8"}


def test_other_coordinates_are_settings_too(sessions):
    reports = [
        report
        for threads in (1, 2)
        for p in (2, 4, 8)
        for report in sweep_reports(
            (p,),
            {"solve": lambda p, t=threads: 8 / p + t},
            project="hybrid",
            coordinate={"p": p, "threads": threads},
        )
    ]
    record(sessions, reports)

    shown = ask(sessions)

    assert [each.settings["threads"] for each in shown.tried] == [1, 2]


def test_weak_scaling_without_sizes_says_why_nothing_is_known(sessions):
    record_configurations(sessions)

    shown = ask(sessions, ConfigurationQuestion(kind=ScalingKind.WEAK))

    assert shown.best is None
    assert shown.effects is None
    assert SAID["no size"] in shown.reason
    assert "problem sizes" in shown.tried[0].reason


def test_single_configuration_is_not_enough(sessions):
    record(sessions, sweep_reports(project="hybrid"))

    shown = ask(sessions)

    assert shown.effects is None
    assert "1 has been" in shown.reason


@pytest.mark.parametrize(
    ("view", "region", "error"),
    [
        ({"machine": "moon"}, None, NotMeasured),
        ({"commit": "moon"}, None, NotFound),
        ({"project": "moon"}, None, NotFound),
        ({}, "moon", NotFound),
        ({"metric": "flops"}, None, NotMeasured),
    ],
    ids=str,
)
def test_what_was_not_measured_is_not_found(sessions, view, region, error):
    record_configurations(sessions)

    with pytest.raises(error):
        ask(sessions, region=region, **view)
