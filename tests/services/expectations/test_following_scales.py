"""An expectation in nodes judges a scan over p along which nodes grow in proportion."""

from uuid import NAMESPACE_OID, uuid5

import pytest

from scalewatch.modelling import Verdict
from scalewatch.services.expectations import declarations
from scalewatch.services.expectations.declarations import Declaration
from scalewatch.services.regions.region import region_at
from scalewatch.services.scaling_errors.region import scaling_errors_at
from scalewatch.services.scaling_errors.scan import ScalingQuestion
from scalewatch.services.selection.view import View
from scalewatch.texts.scales import followers_of
from support.builders import result, run_report
from support.recorded import record

SIZES = (48, 96, 192, 384, 768)


@pytest.fixture
def judged(sessions):
    """Return the scan of a region whose runs have so many nodes, under O(1/nodes)."""

    def judged(nodes_of):
        reports = [
            run_report(
                id=str(uuid5(NAMESPACE_OID, f"{p}")),
                project="neko",
                coordinate={"p": p, "nodes": nodes_of(p)},
                configuration={},
                results=[result(region="step", values=[4e3 / p, 4.01e3 / p])],
            )
            for p in SIZES
        ]
        record(sessions, reports)
        with sessions.writing.begin() as session:
            declared = [Declaration("step", "time", "1/nodes")]
            declarations.declare(session, "neko", declared, author="ada", reason=None)
        record(sessions, [])
        with sessions.reading() as session:
            (scan,) = region_at(session, View("neko"), "step").scans
            shown = scaling_errors_at(
                session, View("neko"), "step", ScalingQuestion(scale="nodes")
            )
        return scan, shown

    return judged


def test_nodes_in_proportion_are_judged_along_p(judged):
    scan, by_nodes = judged(lambda p: p // 48)

    assert scan.parameter == "p"
    assert scan.standing.verdict is Verdict.MATCH
    assert str(scan.expectation.growth) == "1 / p"
    assert by_nodes.kind == "strong"
    assert by_nodes.chosen.scales == (1, 2, 4, 8, 16)


def test_nodes_that_are_not_in_proportion_say_nothing_of_p(judged):
    scan, _ = judged(lambda p: max(1, p // 96))

    assert scan.standing.verdict is Verdict.UNDECIDED
    assert "not what 1 / nodes depends on" in scan.standing.reason


@pytest.mark.parametrize(
    ("parameters", "coordinates", "followers"),
    [
        (["p"], [{"p": 4, "gpus": 1}, {"p": 8, "gpus": 2}], {"gpus": "p"}),
        (["p"], [{"p": 4, "gpus": 1}, {"p": 8, "gpus": 3}], {}),
        (["p"], [{"p": 4, "gpus": 1}, {"p": 8}], {}),
        (["p"], [{"p": 4, "threads": 0}, {"p": 8, "threads": 0}], {}),
        (["n"], [{"n": 4, "nodes": 1}, {"n": 8, "nodes": 2}], {}),
        (["p", "nodes"], [{"p": 4, "nodes": 1}, {"p": 8, "nodes": 2}], {}),
        (["p"], [], {}),
    ],
)
def test_followers_are_scales_in_proportion(parameters, coordinates, followers):
    assert followers_of(parameters, coordinates) == followers
