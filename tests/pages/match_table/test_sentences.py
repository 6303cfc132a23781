import pytest

from scalewatch.modelling import JudgedCell, Verdict, attribute, parse_growth
from scalewatch.pages.match_table.page import suspicion_sentences
from support import sentences as worded

LOG, LINEAR = parse_growth("log p"), parse_growth("p")


def cell(region: str, machine: str, growth=LINEAR) -> JudgedCell:
    """Return a cell that promises log p."""
    verdict = Verdict.MATCH if growth == LOG else Verdict.MISMATCH
    return JudgedCell(region, machine, growth, LOG, verdict)


def sentences(*cells: JudgedCell) -> list[str]:
    return [
        each.striptags() for each in suspicion_sentences(attribute(cells, {"litmus"}))
    ]


def test_machines_whose_litmus_tests_agree_share_one_sentence():
    machines = [f"node-{number}" for number in range(9)]
    table = [cell("find", each) for each in machines]
    table += [cell("litmus", each, LOG) for each in machines]
    table.append(cell("alltoall", "node-3"))

    assert sentences(*table) == [(worded.LITMUS_CLEARS)]


def test_litmus_test_that_fails_speaks_against_its_platform():
    (said,) = sentences(cell("litmus", "slow"), cell("find", "slow"))

    assert said.startswith(worded.LITMUS_ACCUSES)
    assert worded.LINEAR_FOR_TREE in said
    assert said.endswith(worded.EXPLAINS_FIND)


COLUMN = [cell(each, "odd") for each in ("a", "b", "c")]
COLUMN += [cell(each, "fine", LOG) for each in ("a", "b", "c")]
ROW = [cell("find", each) for each in ("x", "y")]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            COLUMN,
            (
                "Likely the platform: on odd, a, b and c scale worse than expected, "
                "and as expected elsewhere."
            ),
        ),
        (
            ROW,
            (
                "Likely the code: find scales worse than expected on x and y: check "
                "its algorithm, its implementation or the expectation O(log p)."
            ),
        ),
    ],
    ids=["column", "row"],
)
def test_suspicions_without_litmus_tests(cells, said):
    assert sentences(*cells) == [said]
