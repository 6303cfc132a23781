from scalewatch import reasons
from scalewatch.modelling import Verdict, parse_growth
from scalewatch.modelling.attribution.match_table import JudgedCell, Suspect, attribute
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

    found = attribute(table, litmus_tests=[LITMUS])

    assert [(each.suspect, each.subject) for each in found] == [
        (Suspect.PLATFORM, "Juropa"),
        (Suspect.PLATFORM, "Piz Daint"),
    ]
    growth, expectation = parse_growth("p^1.25 log p"), parse_growth("log p")
    parts = ("Juropa", LITMUS, growth, expectation, ("Barrier",))
    assert found[0].sentence == str(reasons.LitmusDiverges(*parts))
    assert found[0].litmus == LITMUS
    assert [each.region for each in found[0].cells] == [LITMUS, "Barrier"]
    assert "Allreduce" in {each.region for each in found[1].cells}


def test_a_litmus_test_that_matches_speaks_against_the_library():
    (found,) = attribute([cell("tree", "jureca"), bad("bcast", "jureca")], ["tree"])

    assert found.suspect is Suspect.LIBRARY
    assert [each.region for each in found.cells] == ["bcast"]


def test_a_bad_column_speaks_against_its_machine():
    regions = ("bcast", "reduce", "barrier")
    table = [cell(region, "jureca") for region in regions]
    table += [
        bad("bcast", "juwels"),
        bad("reduce", "juwels"),
        cell("barrier", "juwels"),
    ]

    (found,) = attribute(table)

    assert (found.suspect, found.subject) == (Suspect.PLATFORM, "juwels")
    assert [each.region for each in found.cells] == ["bcast", "reduce"]


def test_a_bad_row_speaks_against_its_region():
    table = [cell("reduce", machine) for machine in ("jureca", "juwels")]
    table += [bad("bcast", machine) for machine in ("jureca", "juwels")]

    (found,) = attribute(table)

    assert (found.suspect, found.subject) == (Suspect.LIBRARY, "bcast")
    assert [each.machine for each in found.cells] == ["jureca", "juwels"]


def test_a_table_that_matches_raises_no_suspicion():
    assert attribute([cell("bcast", "jureca"), cell("tree", "jureca")], ["tree"]) == ()


def test_scaling_better_than_expected_raises_no_suspicion():
    better = [cell("bcast", m, "1", Verdict.MISMATCH) for m in ("jureca", "juwels")]

    assert attribute(better) == ()
