import pytest

from scalewatch.modelling import JudgedCell, Verdict, attribute, parse_growth
from scalewatch.pages.match_table.page import suspicions_in_words
from support import sentences as worded

LOG, LINEAR = parse_growth("log p"), parse_growth("p")


def cell(region: str, machine: str, growth=LINEAR) -> JudgedCell:
    """Return a cell that promises log p."""
    verdict = Verdict.MATCH if growth == LOG else Verdict.MISMATCH
    return JudgedCell(region, machine, growth, LOG, verdict)


LOADS = {"litmus": {"find", "alltoall"}}


def said_of(*cells: JudgedCell) -> list[str]:
    return [
        each.sentence.striptags()
        for each in suspicions_in_words(attribute(cells, LOADS))
    ]


def test_library_is_named_where_litmus_tests_acquit_the_network():
    machines = [f"node-{number}" for number in range(9)]
    table = [cell("find", each) for each in machines]
    table += [cell("litmus", each, LOG) for each in machines]

    assert said_of(*table) == [worded.LITMUS_CLEARS]


def test_litmus_test_that_fails_speaks_against_its_machine():
    (said,) = said_of(cell("litmus", "slow"), cell("find", "slow"))

    assert said.startswith(worded.LITMUS_ACCUSES)
    assert worded.LINEAR_FOR_TREE in said
    assert said.endswith(worded.EXPLAINS_FIND)


def test_the_machines_of_both_lines_are_named():
    table = [cell("find", "odd"), *(cell("find", f"m{k}", LOG) for k in range(3))]

    (said,) = suspicions_in_words(attribute(table, LOADS))

    assert [(title, names.striptags()) for title, names in said.evidence] == [
        ("worse than expected", "odd"),
        ("as expected", "m0, m1 and m2"),
    ]


@pytest.mark.parametrize(("cells", "said"), worded.SUSPICIONS.items())
def test_suspicions_without_litmus_tests(cells, said):
    table = [
        cell(region, machine, LOG if is_fine else LINEAR)
        for region, machine, is_fine in cells
    ]

    assert said_of(*table) == [said]
