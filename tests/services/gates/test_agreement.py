"""Page, gate, exports and regressions of a commit count the same series alike."""

import re
from collections import Counter
from html import unescape
from xml.etree import ElementTree as ET

import pytest
from fastapi.testclient import TestClient

from scalewatch.exporters.gates import gate_junit, gate_markdown, gate_text
from scalewatch.services.regressions.regressions import RegressionState
from support.histories import LINEAR, TREE, commit, record_commit, reports
from support.large_project import PROJECT
from support.recorded import record, record_half_failed_project, record_project

STILL = {"undecided", "unchanged"}
AS_BEFORE = {
    f"MPI_{name}": TREE for name in ("Barrier", "Bcast", "Gather", "Reduce", "Scan")
}
PLANTED = ("mesh::find_neighbours", "hydro::riemann", "output::gather_snapshot")


def series_of(about):
    return (
        about["region"],
        about["metric"],
        about["machine"],
        repr(sorted(about["configuration"].items())),
    )


def words(page):
    """Return the text of a page."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", page)).split())


def counted_on(page):
    """Return the counts in the header of a page."""
    listed = re.search(r'aria-label="Series by outcome">(.*?)</ul>', page, re.DOTALL)
    assert listed
    found = re.findall(r"(\d[\d,]*) ([a-z ]+)</span>", listed[1])
    return {name: int(number.replace(",", "")) for number, name in found}


def assert_all_agree(client: TestClient, project: str, sha: str) -> Counter[str]:
    """Assert that all that is said of a commit has one vocabulary; return counts."""
    at = f"/api/v1/projects/{project}"
    gate = client.get(f"{at}/gate", params={"commit": sha}).json()
    report = client.get(f"{at}/changes", params={"commit": sha}).json()
    page = client.get(f"/p/{project}/c/{sha}", params={"all": 1}).text
    counts = Counter(gate["counts"])

    assert +counts == counted_on(page)
    outcomes = Counter(each["outcome"] for each in report["changes"])
    listed = {series_of(each) for each in report["changes"]}
    elsewhere = {
        series_of(each) for each in gate["findings"] if each["kind"] != "night"
    } - listed
    kinds = {
        each["kind"] for each in gate["findings"] if series_of(each) in elsewhere
    } - {"guideline"}
    assert kinds <= {"missing", "failed"}  # no run of the commit, or no baseline
    assert +counts == +(outcomes + Counter({"not measured": len(elsewhere)}))

    assert (report["baseline"] or {}).get("commit") == gate["baseline"]
    assert words(page).count(gate["sentence"]) >= 1
    changed = sum(number for name, number in outcomes.items() if name not in STILL)
    assert page.count("data-row=") == len(report["changes"])
    if changed and gate["baseline"]:
        assert f"{counts['worse']:,} worse" in words(page) or not counts["worse"]

    assert_outcome_follows(gate, counts)
    assert_exports_agree(gate, counts)
    assert_regressions_agree(client, project, gate, report)
    return counts


def assert_outcome_follows(gate, counts):
    if gate["outcome"] == "worse":
        assert gate["sentence"].startswith(f"{counts['worse']} of {counts.total()} ")
    else:
        assert counts["worse"] == 0
    if gate["outcome"] == "fine":
        assert counts["suspected"] == 0
    if counts["suspected"] and gate["outcome"] == "undecided":
        said = f"{counts['suspected']} of {counts.total()} series suspected"
        assert gate["sentence"].startswith(said)
    parts = re.findall(
        r"(\d+) series \([^)]*\) (?:not measured|of the baseline)", gate["sentence"]
    )
    if gate["outcome"] == "undecided" and gate["findings"]:
        assert sum(map(int, parts)) == counts["not measured"]


def assert_exports_agree(gate, counts):
    suite = ET.fromstring(gate_junit(gate))  # noqa: S314, our own
    assert {e.get("name"): int(e.get("value")) for e in suite.iter("property")} == (
        counts
    )
    sure = {series_of(each) for each in gate["findings"] if each["is_sure"]}
    assert suite.get("failures") == str(len(sure))
    cases = [each.get("name") for each in suite.iter("testcase")]
    assert len(set(cases)) == len(cases)
    said = ", ".join(f"{n:,} {name}" for name, n in gate["counts"].items() if n)
    if not counts.keys() - {"unchanged"} <= {n for n in counts if not counts[n]}:
        assert f"series: {said}" in gate_text(gate)
        assert f"series: {said}" in gate_markdown(gate)


def assert_regressions_agree(client, project, gate, report):
    """What began here as a regression is worse, suspected or accepted, never else."""
    outcomes = {series_of(each): each["outcome"] for each in report["changes"]}
    address = f"/api/v1/projects/{project}/regressions"
    for each in client.get(address).json()["regressions"]:
        if each["id"] not in gate["regressions"]:
            continue
        assert each["state"] in {RegressionState.OPEN, RegressionState.ACKNOWLEDGED}
        for member in each["members"]:
            told = outcomes.get(series_of(member), "not measured")
            worst = {"worse"} if each["is_sure"] else {"worse", "suspected"}
            assert told in worst | {"accepted", "not measured"}, member


@pytest.fixture(scope="module")
def begun(large_client, thorough):
    """Commits of the large project at which its regressions began, and others."""
    found = large_client.get(f"/api/v1/projects/{PROJECT}/regressions").json()
    shas = {each["last"]["sha"] for each in found["regressions"]}
    address = f"/api/v1/projects/{PROJECT}/commits"
    newest = large_client.get(address, params={"limit": 100}).json()
    listed = [each["sha"] for each in newest["commits"]]
    most = 7 if thorough else 2
    return sorted(shas)[:most] + listed[:: len(listed) // 2][: 2 if thorough else 1]


def test_all_that_is_said_of_commits_of_a_large_project_agrees(large_client, begun):
    counts = [assert_all_agree(large_client, PROJECT, sha) for sha in begun]

    assert any(each["worse"] or each["suspected"] for each in counts)
    assert any(each["better"] for each in counts)


@pytest.mark.parametrize(
    ("recorded", "project", "shas"),
    [
        (record_project, "openmpi", ("v5.0.8", "v5.0.11")),
        (record_half_failed_project, "fragile", ("1f", "2f", "3f")),
    ],
)
def test_all_that_is_said_of_projects_as_of_the_demo_agrees(
    client, sessions, recorded, project, shas
):
    recorded(sessions)

    for sha in shas:
        assert_all_agree(client, project, sha)


def test_each_series_is_counted_once_whatever_happens_to_it(client, sessions):
    """A growth and a constant that are worse, one better, one gone, one partly run."""
    record_commit(sessions, 1, AS_BEFORE)
    after = AS_BEFORE | {
        "MPI_Bcast": LINEAR,
        "MPI_Gather": lambda p: 1.4 * TREE(p),
        "MPI_Reduce": lambda p: TREE(p) / 1.4,
    }
    del after["MPI_Scan"]
    for suite in ("first", "again"):
        runs = reports(2, after | {"MPI_Alltoall": TREE}, suite=suite)
        record(sessions, [run for run in runs if run.coordinate["p"] < 64])

    counts = assert_all_agree(client, "mpich", commit(2)["sha"])

    assert +counts == {"worse": 2, "not measured": 3, "new": 1}


def test_what_rules_allow_is_accepted_and_no_longer_worse(client, sessions):
    record_commit(sessions, 1, AS_BEFORE)
    dearer = AS_BEFORE | {"MPI_Gather": lambda p: 1.4 * TREE(p)}
    for suite in ("first", "again"):
        record(sessions, reports(2, dearer, suite=suite))
    strict = assert_all_agree(client, "mpich", commit(2)["sha"])

    rules = {"author": "ada", "rules": {"constant": 0.6}}
    client.put("/api/v1/projects/mpich/gate/rules", json=rules).raise_for_status()
    lenient = assert_all_agree(client, "mpich", commit(2)["sha"])

    assert +strict == {"worse": 1, "unchanged": 4}
    assert +lenient == {"accepted": 1, "unchanged": 4}


def test_page_of_a_branch_and_its_gate_have_one_baseline(client, sessions):
    for number in (1, 2, 3):
        record_commit(sessions, number, AS_BEFORE)
    for number, parent in ((4, 1), (5, 4)):
        topic = commit(number, parents=[commit(parent)["sha"]], branch="topic")
        record(sessions, reports(number, AS_BEFORE, commit=topic))

    assert_all_agree(client, "mpich", topic["sha"])
    page = client.get(f"/p/mpich/c/{topic['sha']}").text

    base = commit(1)["sha"][:10]
    assert f"{base} on main, its merge base with the main line" in words(page)


def test_machines_that_have_not_measured_a_commit_count_as_not_measured(
    client, sessions
):
    record_commit(sessions, 1, AS_BEFORE)
    record_commit(sessions, 1, AS_BEFORE, machine="juwels")
    record_commit(sessions, 2, AS_BEFORE)

    counts = assert_all_agree(client, "mpich", commit(2)["sha"])

    assert +counts == {"unchanged": 5, "not measured": 5}
