import pytest

from scalewatch.errors import NotFound, NotMeasured
from scalewatch.services.hotspots import HotspotQuestion, hotspots_at
from scalewatch.services.selection.view import View
from support.builders import run_report
from support.recorded import record

BALANCED = {"fluxes": 60.0, "update": 20.0, "exchange": 10.0}
WAITING = {"fluxes": 60.0, "update": 20.0, "exchange": 80.0}


def profiled(p, seconds, *, n=1000, number=0, **fields):
    """Return a run with a profile and nothing else."""
    return run_report(
        **{
            "id": f"00000000-0000-4000-8000-{p:06d}{n:05d}{number}",
            "project": "hydro",
            "coordinate": {"p": p, "n": n},
            "results": [],
            "profile": {
                "functions": [
                    {"region": region, "seconds": value}
                    for region, value in seconds.items()
                ]
            },
        }
        | fields
    )


def strong(awkward=(5,), number=0, share=1.0, **fields):
    """Return a strong scaling study whose profile jumps at awkward scales."""
    return [
        profiled(
            p,
            {
                name: share * seconds
                for name, seconds in (WAITING if p in awkward else BALANCED).items()
            },
            number=number,
            **fields,
        )
        for p in (2, 3, 4, 5, 6)
    ]


def ask(sessions, question=None, **view):
    with sessions.reading() as session:
        return hotspots_at(
            session,
            View(**({"project": "hydro"} | view)),
            question or HotspotQuestion(),
        )


def test_a_jump_is_found_with_the_function_that_explains_it(sessions):
    record(sessions, strong())

    shown = ask(sessions)

    assert shown.question.over == "p"
    assert shown.chosen.settings == (2, 3, 4, 5, 6)
    assert [(step.before, step.after) for step in shown.chosen.jumps] == [
        (4, 5),
        (5, 6),
    ]
    assert (shown.step.before, shown.step.after) == (4, 5)
    assert shown.movements[0].function == "exchange"


def test_a_profile_that_never_changes_has_no_jump(sessions):
    record(sessions, strong(awkward=()))

    shown = ask(sessions)

    assert not shown.chosen.jumps
    assert [step.difference.p_value for step in shown.chosen.steps] == [1] * 4


def test_several_runs_of_a_setting_are_averaged(sessions):
    record(sessions, strong(awkward=()) + strong(number=1))

    shown = ask(sessions)

    exchange = shown.chosen.functions.index("exchange")
    assert shown.chosen.runs == 10
    assert shown.chosen.seconds[3][exchange] == (10 + 80) / 2


def test_a_problem_that_grows_with_the_processes_makes_a_scan_of_equal_work(sessions):
    record(sessions, [profiled(p, BALANCED, n=100 * p) for p in (2, 4, 8)])

    shown = ask(sessions)

    assert shown.chosen.held["n/p"] == 100
    assert shown.chosen.settings == (2, 4, 8)


def test_scans_over_size_and_over_configurations_can_be_asked_for(sessions):
    record(
        sessions,
        [profiled(4, BALANCED, n=n) for n in (1000, 2000)]
        + [profiled(4, WAITING, number=1, configuration={"compiler": "clang"})],
    )

    over_size = ask(sessions, HotspotQuestion(over="n"))
    over_compiler = ask(sessions, HotspotQuestion(over="compiler"))

    assert set(over_size.overs) >= {"n", "compiler"}
    assert over_size.chosen.settings == (1000, 2000)
    assert over_compiler.chosen.settings == ("clang",)
    assert over_compiler.chosen.reason.startswith("profiles are compared")


def test_a_fix_is_seen_beside_the_bug(sessions):
    record(sessions, strong(configuration={"distribution": "tiled"}))
    record(
        sessions,
        strong(awkward=(), number=1, configuration={"distribution": "even"}),
    )

    tiled = "distribution=tiled"
    question = HotspotQuestion(held=tiled, vs="held=distribution=even")
    shown = ask(sessions, question)

    assert shown.chosen.label == tiled
    assert shown.alternatives["held=distribution=even"] == "distribution=even"
    assert shown.chosen.jumps
    assert not shown.other.jumps


def test_another_commit_can_be_compared(sessions):
    record(sessions, strong(commit={"sha": "aaa1", "tag": "v1"}))
    record(sessions, strong(awkward=(), number=1, commit={"sha": "bbb2", "tag": "v2"}))

    shown = ask(sessions, HotspotQuestion(vs="commit=v1"))

    assert shown.commit.tag == "v2"
    assert [commit.tag for commit in shown.commits] == ["v2", "v1"]
    assert not shown.chosen.jumps
    assert shown.other.jumps


def test_the_step_to_a_setting_can_be_asked_for(sessions):
    record(sessions, strong())

    shown = ask(sessions, HotspotQuestion(at="3"))

    assert (shown.step.before, shown.step.after) == (2, 3)


def test_what_is_significant_does_not_depend_on_how_long_a_code_ran(sessions):
    record(sessions, strong(commit={"sha": "aaa1"}))
    record(sessions, strong(share=1e-3, number=1, commit={"sha": "bbb2"}))

    long, short = (ask(sessions, commit=sha).chosen for sha in ("aaa1", "bbb2"))

    assert short.unit == pytest.approx(long.unit / 1000)
    assert [step.after for step in short.jumps] == [5, 6]
    assert [step.after for step in long.jumps] == [5, 6]


def test_the_unit_of_time_decides_what_is_significant(sessions):
    record(sessions, strong())

    shown = ask(sessions, HotspotQuestion(unit=3600))

    assert not shown.chosen.jumps


def test_a_project_without_profiles_has_nothing_to_compare(sessions):
    record(sessions, [run_report(project="hydro")])

    shown = ask(sessions)

    assert shown.commit is None
    assert shown.chosen is None


@pytest.mark.parametrize(
    ("question", "view", "error"),
    [
        (HotspotQuestion(over="moon"), {}, NotFound),
        (HotspotQuestion(held="moon=1"), {}, NotFound),
        (HotspotQuestion(at="7"), {}, NotFound),
        (HotspotQuestion(vs="moon=1"), {}, NotFound),
        (HotspotQuestion(vs="machine=moon"), {}, NotFound),
        (HotspotQuestion(vs="commit=moon"), {}, NotFound),
        (None, {"machine": "moon"}, NotMeasured),
        (None, {"commit": "moon"}, NotFound),
        (None, {"project": "moon"}, NotFound),
    ],
    ids=str,
)
def test_what_does_not_exist_is_not_found(sessions, question, view, error):
    record(sessions, strong())

    with pytest.raises(error):
        ask(sessions, question, **view)
