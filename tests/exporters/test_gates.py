from xml.etree import ElementTree as ET

import pytest

from scalewatch.exporters.gates import gate_junit, gate_markdown, gate_text, value_line

SURE = {
    "region": "MPI_Bcast",
    "metric": "time",
    "machine": "jureca",
    "configuration": {"message_bytes": 8},
    "kind": "new mismatch",
    "is_sure": True,
    "sentence": "grows like p instead of log p | really",
    "todo": None,
    "commits": "b..a",
    "probability": 0.97,
    "target": {"p": 1024.0},
    "at_target": {"value": 12.34, "low": 11.0, "high": 14.0},
}
SUSPECTED = SURE | {
    "region": "MPI_Reduce",
    "is_sure": False,
    "todo": "measure again",
    "probability": None,
    "at_target": None,
}


def gate(outcome, *findings):
    return {
        "project": "mpich",
        "commit": {"sha": "a" * 40, "tag": None},
        "relation": "parent",
        "outcome": outcome,
        "sentence": "1 of 3 series scale worse than b",
        "findings": list(findings),
        "next_step": None,
        "confirmations": [],
        "counts": {"worse": 1, "suspected": 1, "unchanged": 0},
    }


def test_text_has_a_line_per_finding_with_what_to_do():
    assert gate_text(gate("worse", SURE, SUSPECTED)).splitlines() == [
        "✗ aaaaaaaaaa: 1 of 3 series scale worse than b (parent)",
        "  series: 1 worse, 1 suspected",
        (
            "  ✗ MPI_Bcast (time) on jureca message_bytes=8: grows like p instead of "
            "log p | really; probability 97 %, 12.3 (11 to 14) times before at "
            "p = 1024, commits b..a"
        ),
        (
            "  ? MPI_Reduce (time) on jureca message_bytes=8: grows like p instead of "
            "log p | really; commits b..a; measure again"
        ),
    ]


def test_markdown_tells_configurations_of_a_region_apart():
    other = SURE | {"configuration": {"message_bytes": 65536}}

    said = gate_markdown(gate("worse", SURE, other))

    assert r"| MPI\_Bcast (time) message\_bytes=8 |" in said
    assert r"| MPI\_Bcast (time) message\_bytes=65536 |" in said


def test_markdown_is_a_table_whose_cells_cannot_break_it():
    lines = gate_markdown(gate("worse", SURE)).splitlines()

    assert lines[0].startswith("### Scalewatch: ✗ aaaaaaaaaa")
    assert lines[-1].count(" | ") == 5
    assert "log p \\| really" in lines[-1]
    assert "12.3 (11 to 14) times" in lines[-1]


@pytest.mark.parametrize(
    ("probability", "said"),
    [(0.5, "50 %"), (0.995, "99.5 %"), (0.99999, "over 99.9 %")],
    ids=str,
)
def test_nothing_is_said_to_be_certain(probability, said):
    written = gate_text(gate("worse", SURE | {"probability": probability}))

    assert f"probability {said}, " in written


@pytest.mark.parametrize(
    ("findings", "failures", "skipped"),
    [((SURE, SUSPECTED), "1", "1"), ((SUSPECTED,), "0", "1"), ((), "0", "0")],
    ids=["worse", "suspected", "fine"],
)
def test_junit_fails_what_is_worse_and_skips_what_is_suspected(
    findings, failures, skipped
):
    written = gate_junit(gate("worse" if findings else "fine", *findings))
    suite = ET.fromstring(written)  # noqa: S314, our own

    assert suite.get("failures") == failures
    assert suite.get("skipped") == skipped
    assert suite.get("errors") == "0"  # its schema wants it
    assert suite.get("tests") == str(max(len(findings), 1))
    names = [case.get("name") for case in suite.iter("testcase")]
    assert len(set(names)) == len(names)


def test_what_is_counted_has_no_interval():
    counted = SURE | {"at_target": {"value": 171.0, "low": 171.0, "high": 171.0}}

    *_, line = gate_text(gate("worse", counted)).splitlines()

    assert "171 times before" in line


def test_findings_about_one_series_are_one_row_and_one_case():
    history = SURE | {"kind": "regression of growth", "sentence": "since long ago"}
    said = gate("worse", SURE, history, SUSPECTED)

    lines = gate_markdown(said).splitlines()
    suite = ET.fromstring(gate_junit(said))  # noqa: S314, our own

    rows = [line for line in lines if line.startswith("| ✗")]
    assert len(rows) == 1
    assert "really; since long ago" in rows[0]
    assert suite.get("failures") == "1"
    counted = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert counted == {"worse": "1", "suspected": "1", "unchanged": "0"}


def test_markdown_has_the_last_commits_of_a_finding_as_a_line_of_text():
    suspected = SUSPECTED | {"recent": [1.0, 1.0, 1.02, 1.5, 2.0]}

    markdown = gate_markdown(gate("worse", SURE, suspected))

    assert markdown.count("the last 5 commits: ▁▁▁▅█") == 1
    assert markdown.count("commits: ") == 1


@pytest.mark.parametrize(
    ("values", "line"),
    [([3.0], "▁"), ([2.0, 2.0], "▁▁"), ([1.0, 1.01], "▁▂"), ([1e-300, 1e300], "▁█")],
)
def test_a_line_of_values_shows_ratios_and_keeps_noise_flat(values, line):
    assert value_line(values) == line
