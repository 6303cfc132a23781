from scalewatch.modelling import Verdict, parse_growth
from scalewatch.modelling.attribution import JudgedCell, Suspect, attribute
from support.reference_tables import mpi_cells, read

LITMUS = "Bcast (binary tree litmus test)"
COLLECTIVES = {row["region"] for row in read("table2_mpi_runtime.json")["rows"]}


def cell(region, machine, growth="log p", verdict=Verdict.MATCH):
    """Build a cell that is expected to grow as log p."""
    return JudgedCell(
        region, machine, parse_growth(growth), parse_growth("log p"), verdict
    )


def bad(region, machine):
    """Build a cell that is worse than expected."""
    return cell(region, machine, "p", Verdict.MISMATCH)


def test_the_papers_litmus_tests_speak_against_two_platforms():
    table = [
        JudgedCell(c.region, c.machine, c.model.growth, c.expectation, c.verdict)
        for c in mpi_cells()
        if c.region in COLLECTIVES
    ]

    found = attribute(table, {LITMUS: COLLECTIVES - {LITMUS}})

    assert [(each.suspect, each.subject) for each in found] == [
        (Suspect.PLATFORM, "Juropa"),
        (Suspect.PLATFORM, "Piz Daint"),
    ]
    assert found[0].litmus == LITMUS
    assert found[0].is_accused_by_litmus
    assert [each.region for each in found[0].cells] == [LITMUS, "Barrier"]
    assert "Allreduce" in {each.region for each in found[1].cells}


def test_a_litmus_test_that_matches_speaks_against_the_library():
    (found,) = attribute(
        [cell("tree", "jureca"), bad("bcast", "jureca")], {"tree": {"bcast"}}
    )

    assert found.suspect is Suspect.LIBRARY
    assert found.litmus == "tree"
    assert found.regions == ("bcast",)


def test_a_litmus_test_acquits_and_accuses_only_for_what_loads_the_platform_alike():
    assert attribute([cell("tree", "a"), bad("solve", "a")], {"tree": {"bcast"}}) == ()
    (found,) = attribute([bad("tree", "a"), bad("solve", "a")], {"tree": {"bcast"}})
    assert found.regions == ("tree",)


def test_most_regions_of_a_machine_speak_against_it_though_another_is_bad_in_one():
    regions = ("bcast", "reduce", "barrier")
    table = [cell(region, "jureca") for region in regions]
    table += [bad("bcast", "lumi"), cell("reduce", "lumi"), cell("barrier", "lumi")]
    table += [
        bad("bcast", "juwels"),
        bad("reduce", "juwels"),
        cell("barrier", "juwels"),
    ]

    of_machine, of_region = attribute(table)

    assert (of_machine.suspect, of_machine.subject) == (Suspect.PLATFORM, "juwels")
    assert of_machine.regions == ("bcast", "reduce")
    assert (of_region.suspect, of_region.subject) == (None, "bcast")


def test_one_region_bad_on_one_machine_of_nine_speaks_against_that_machine():
    machines = [f"node-{number}" for number in range(9)]
    table = [cell("solve", machine) for machine in machines[1:]]
    table += [bad("solve", machines[0]), cell("bcast", machines[0])]
    table += [cell("tree", machine) for machine in machines]

    (found,) = attribute(table, {"tree": {"bcast"}})

    assert (found.suspect, found.subject) == (Suspect.PLATFORM, machines[0])
    assert found.behaving == tuple(machines[1:])
    assert found.litmus is None


def test_a_litmus_test_tells_the_library_of_a_machine_from_its_network():
    table = [cell("bcast", "a"), bad("bcast", "b"), cell("tree", "b")]

    (found,) = attribute(table, {"tree": {"bcast"}})

    assert (found.suspect, found.subject) == (Suspect.PLATFORM, "b")
    assert found.litmus == "tree"
    assert not found.is_accused_by_litmus


def test_a_bad_row_speaks_against_its_region():
    table = [cell("reduce", machine) for machine in ("jureca", "juwels")]
    table += [bad("bcast", machine) for machine in ("jureca", "juwels")]

    (found,) = attribute(table)

    assert (found.suspect, found.subject) == (Suspect.LIBRARY, "bcast")
    assert found.machines == ("jureca", "juwels")
    assert found.behaving == ()


def test_a_region_bad_on_some_machines_and_fine_on_others_tells_nothing():
    table = [bad("bcast", machine) for machine in ("a", "b")]
    table += [cell("bcast", machine) for machine in ("c", "d")]

    (found,) = attribute(table)

    assert found.suspect is None
    assert (found.machines, found.behaving) == (("a", "b"), ("c", "d"))


def test_what_is_undecided_elsewhere_acquits_no_machine_and_accuses_no_code():
    undecided = [cell("bcast", m, "p", Verdict.UNDECIDED) for m in ("b", "c")]

    assert attribute([bad("bcast", "a"), *undecided]) == ()


def test_a_table_that_matches_raises_no_suspicion():
    table = [cell("bcast", "jureca"), cell("tree", "jureca")]

    assert attribute(table, {"tree": {"bcast"}}) == ()


def test_scaling_better_than_expected_raises_no_suspicion():
    better = [cell("bcast", m, "1", Verdict.MISMATCH) for m in ("jureca", "juwels")]

    assert attribute(better) == ()
