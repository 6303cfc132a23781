from scalewatch import reasons
from scalewatch.modelling.attribution import ChangeClass, ChangedSeries, Suspect, causes

ALL = {"a": ["r1", "r2", "r3"], "b": ["r1", "r2", "r3"]}


def moved(
    region="r1",
    machine="a",
    *,
    first=5,
    last=5,
    kind=ChangeClass.GROWTH,
    is_worse=True,
    size=0.3,
    is_exact=False,
):
    name = f"{region}@{machine}"
    return ChangedSeries(
        name, region, machine, first, last, kind, is_worse, size, is_exact
    )


def test_changes_of_the_same_commits_have_one_cause_and_share_the_surest_range():
    (cause,) = causes(
        [
            moved(first=3, last=9),
            moved("r2", first=5, last=6),
            moved("r1", "b", first=1, last=5),
        ],
        ALL,
    )

    assert (cause.first, cause.last) == (5, 5)
    assert len(cause.series) == 3


def test_other_commits_another_class_and_another_sense_are_other_causes():
    found = causes(
        [
            moved(),
            moved("r2", first=8, last=8),
            moved("r3", kind=ChangeClass.CONSTANT),
            moved("r2", is_worse=False),
        ],
        ALL,
    )

    assert len(found) == 4
    assert found[0].first == 8


def test_small_drifts_at_the_commit_of_a_large_change_are_another_cause():
    large = [
        moved(machine=machine, size=0.33 + k / 50) for k, machine in enumerate("ab")
    ]
    small = [moved(region, size=0.04) for region in ("r2", "r3")]

    found = causes([*small, *large], ALL)

    assert [len(cause.series) for cause in found] == [2, 2]
    (sure,) = [cause for cause in found if cause.suspect is Suspect.LIBRARY]
    assert {each.size for each in sure.series} == {each.size for each in large}


def test_counts_that_change_at_one_commit_have_one_cause_whatever_their_size():
    (cause,) = causes(
        [moved(size=0.1, is_exact=True), moved("r2", size=2.0, is_exact=True)], ALL
    )

    assert len(cause.series) == 2


def test_all_regions_of_one_machine_point_at_the_machine():
    (cause,) = causes([moved(region) for region in ALL["a"]], ALL)

    assert cause.suspect is Suspect.PLATFORM
    assert cause.sentence == str(reasons.MachineMoved("a", 3, 3))


def test_a_region_that_moves_on_all_machines_points_at_the_library():
    (cause,) = causes([moved(machine="a"), moved(machine="b")], ALL)

    assert cause.suspect is Suspect.LIBRARY
    assert cause.sentence == str(reasons.LibraryMoved("r1", 2))


def test_what_one_of_two_machines_shows_of_one_region_points_at_nobody():
    (cause,) = causes([moved()], ALL)

    assert cause.suspect is None


def test_a_region_that_moves_on_one_of_several_machines_points_at_that_machine():
    watched = {machine: ["r1", "r2"] for machine in "abc"}

    (cause,) = causes([moved()], watched)

    assert cause.suspect is Suspect.PLATFORM
    assert cause.sentence == str(reasons.MovedAlone("a", ["r1"], 2))


def test_a_region_that_the_others_do_not_measure_points_at_nobody():
    watched = {"a": ["r1", "r2"], "b": ["r2"], "c": ["r2"]}

    (cause,) = causes([moved()], watched)

    assert cause.suspect is None


def test_with_a_single_machine_nobody_can_tell():
    (cause,) = causes([moved()], {"a": ALL["a"]})

    assert cause.suspect is None
    assert cause.sentence == str(reasons.OneMachine("a"))
