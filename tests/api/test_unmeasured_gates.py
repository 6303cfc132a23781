"""The gate passes nothing that was not measured."""

import re

import pytest

from scalewatch.cli.ci.forges import GITHUB_STATES, state_of
from scalewatch.exporters.gates import gate_junit, gate_markdown, gate_text
from scalewatch.wire import RunReport
from support import sentences
from support.histories import TREE, commit, record_commit, reports
from support.recorded import record

REASON = "cannot start mpiexec"


def gate(client, number=2):
    query = {"commit": commit(number)["sha"]}
    return client.get("/api/v1/projects/mpich/gate", params=query).json()


def failed(report, regions=None):
    """Return a run of which some regions failed, or all."""
    content = report.model_dump(mode="json")
    for one in content["results"]:
        if regions is None or one["region"] in regions:
            one |= {"values": [], "status": "failed", "reason": REASON}
    return RunReport.model_validate(content, strict=False)


def record_failed(
    sessions, number, processes=None, regions=("MPI_Bcast", "MPI_Gather")
):
    """Record a commit of which the runs at some process counts failed, or all."""
    runs = reports(number, dict.fromkeys(regions, TREE))
    record(
        sessions,
        [
            failed(run)
            if processes is None or run.coordinate["p"] in processes
            else run
            for run in runs
        ],
    )


def declare(client, rules):
    said = {"author": "ada", "rules": rules}
    client.put("/api/v1/projects/mpich/gate/rules", json=said).raise_for_status()


def test_commit_of_which_every_run_failed_is_undecided_though_its_parent_failed_too(
    client, sessions
):
    record_failed(sessions, 1)
    record_failed(sessions, 2)

    said = gate(client)

    assert said["outcome"] == "undecided"
    assert said["sentence"] == (
        f"2 series (MPI_Bcast, MPI_Gather) not measured: failed: {REASON}"
    )
    assert {each["kind"] for each in said["findings"]} == {"failed"}


def test_commit_of_which_every_run_failed_is_undecided_after_one_that_was_measured(
    client, sessions
):
    record_commit(sessions, 1, {"MPI_Bcast": TREE, "MPI_Gather": TREE})
    record_failed(sessions, 2)
    declare(client, {"missing": "ignore"})

    assert gate(client)["outcome"] == "undecided"


def test_first_commit_of_which_every_run_failed_says_why(client, sessions):
    record_failed(sessions, 1)

    said = gate(client, 1)

    assert said["outcome"] == "undecided"
    assert REASON in said["sentence"]


def test_region_that_failed_is_named_unless_the_rules_ignore_it(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE, "MPI_Gather": TREE})
    runs = reports(2, {"MPI_Bcast": TREE, "MPI_Gather": TREE})
    record(sessions, [failed(run, {"MPI_Gather"}) for run in runs])

    strict = gate(client)
    declare(client, {"missing": "ignore"})
    lenient = gate(client)

    assert strict["outcome"] == "undecided"
    assert [each["region"] for each in strict["findings"]] == ["MPI_Gather"]
    assert (lenient["outcome"], lenient["findings"]) == ("fine", [])


def test_scale_at_which_no_run_succeeded_is_named(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_failed(sessions, 2, processes={64}, regions=["MPI_Bcast"])

    (finding,) = gate(client)["findings"]
    record(sessions, reports(2, {"MPI_Bcast": TREE}, suite="again"))
    again = gate(client)

    assert finding["sentence"] == f"failed at p = 64: {REASON}"
    assert again["outcome"] == "fine"


def test_scales_that_failed_for_one_reason_are_named_together(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_failed(sessions, 2, processes={32, 64}, regions=["MPI_Bcast"])

    (finding,) = gate(client)["findings"]

    assert finding["sentence"] == f"failed at p = 32, 64: {REASON}"


def test_series_of_the_baseline_that_is_missing_is_named(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE, "MPI_Gather": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": TREE})

    strict = gate(client)
    declare(client, {"regions": {"MPI_Gather": {"missing": "ignore"}}})
    lenient = gate(client)

    assert strict["outcome"] == "undecided"
    assert strict["sentence"] == sentences.GATHER_MISSING
    assert lenient["outcome"] == "fine"


def test_machine_of_the_baseline_that_is_missing_is_named(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 1, {"MPI_Bcast": TREE}, machine="juwels")
    record_commit(sessions, 2, {"MPI_Bcast": TREE})

    said = gate(client)

    assert said["outcome"] == "undecided"
    assert [each["machine"] for each in said["findings"]] == ["juwels"]


def test_what_was_not_measured_is_no_pass_in_any_form(client, sessions):
    record_failed(sessions, 1)
    record_failed(sessions, 2)

    said = gate(client)
    page = client.get(f"/p/mpich/c/{commit(2)['sha']}").text

    assert gate_text(said).startswith("? ")
    assert f"failed: {REASON}" in gate_text(said)
    assert f"failed: {REASON}" in gate_markdown(said)
    assert 'errors="2"' in gate_junit(said)
    assert GITHUB_STATES[state_of(said)] == "error"
    assert "Gate: <strong>undecided</strong>" in page
    assert "not measured</span> failed: cannot start mpiexec" in page


def test_what_was_not_measured_asks_for_no_confirming_run(client, sessions):
    record_failed(sessions, 1)
    record_failed(sessions, 2)

    wish = {"commit": commit(2)["sha"]}
    asked = client.post("/api/v1/projects/mpich/confirmations", json=wish)

    assert asked.json()["confirmations"] == []


def with_memory(report):
    """Return a run that measured the memory of its regions, too."""
    content = report.model_dump(mode="json")
    content["results"] += [
        one | {"metric": "memory", "unit": "B", "values": [1024.0] * 5}
        for one in content["results"]
    ]
    return RunReport.model_validate(content, strict=False)


def test_metric_of_the_baseline_that_no_run_brings_any_more_is_named(client, sessions):
    record(sessions, map(with_memory, reports(1, {"MPI_Bcast": TREE})))
    record_commit(sessions, 2, {"MPI_Bcast": TREE})

    strict = gate(client)
    page = client.get(f"/p/mpich/c/{commit(2)['sha']}").text
    declare(client, {"missing": "ignore"})
    lenient = gate(client)

    assert strict["outcome"] == "undecided"
    assert [(each["kind"], each["metric"]) for each in strict["findings"]] == [
        ("missing", "memory")
    ]
    assert sentences.ONE_NOT_MEASURED in words(page)
    assert lenient["outcome"] == "fine"


@pytest.mark.parametrize(
    ("kept", "where"), [({4, 8, 16}, "p = 32, 64"), ({4, 8, 16, 32}, "p = 64")]
)
def test_process_counts_of_the_baseline_that_nobody_measured_are_named(
    client, sessions, kept, where
):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    runs = reports(2, {"MPI_Bcast": TREE})
    record(sessions, [run for run in runs if run.coordinate["p"] in kept])

    strict = gate(client)
    declare(client, {"missing": "ignore"})
    lenient = gate(client)
    record(sessions, [run for run in runs if run.coordinate["p"] not in kept])
    declare(client, {"missing": "undecided"})
    complete = gate(client)

    assert strict["outcome"] == "undecided"
    assert strict["sentence"] == f"1 series (MPI_Bcast) not measured at {where}"
    assert [each["sentence"] for each in strict["findings"]] == [
        f"not measured at {where}"
    ]
    assert lenient["findings"] == []
    assert complete["outcome"] == "fine"


def test_nothing_passes_where_all_series_are_new_and_those_before_are_gone(
    client, sessions
):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record_commit(sessions, 2, {"MPI_Gather": TREE})
    declare(client, {"missing": "ignore"})

    said = gate(client)

    assert said["outcome"] == "undecided"
    assert said["sentence"] == sentences.NONE_AT_BOTH


def test_series_that_failed_at_the_baseline_are_not_counted_as_compared(
    client, sessions
):
    runs = reports(1, {"MPI_Bcast": TREE, "MPI_Gather": TREE})
    record(sessions, [failed(run, {"MPI_Gather"}) for run in runs])
    record_commit(sessions, 2, {"MPI_Bcast": TREE, "MPI_Gather": TREE})

    said = gate(client)

    assert said["outcome"] == "fine"
    assert said["sentence"].startswith(sentences.NONE_WORSE)
    assert said["sentence"].endswith(sentences.ONE_INCOMPARABLE)


def test_page_of_a_first_commit_of_which_every_run_failed_shows_its_gate(
    client, sessions
):
    record_failed(sessions, 1)

    page = client.get(f"/p/mpich/c/{commit(1)['sha']}").text

    assert f"Gate: undecided , {gate(client, 1)['sentence']}" in words(page)


def test_page_of_a_commit_that_failed_like_its_parent_claims_nothing_measured(
    client, sessions
):
    record_failed(sessions, 1)
    record_failed(sessions, 2)

    page = words(client.get(f"/p/mpich/c/{commit(2)['sha']}").text)

    assert " unchanged" not in page
    assert "as it was" not in page
    assert "did not change" not in page
    assert sentences.NONE_AT_BOTH_COMMITS in page


def test_filters_of_the_page_leave_its_gate_as_it_is(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE})
    record(sessions, map(with_memory, reports(1, {"MPI_Gather": TREE}, suite="more")))
    record(sessions, map(with_memory, reports(2, {"MPI_Bcast": TREE})))
    address = f"/p/mpich/c/{commit(2)['sha']}"

    whole, filtered = (
        words(client.get(address, params=query).text)
        for query in ({}, {"metric": "memory", "machine": "nowhere"})
    )
    shown = f"Gate: undecided , {gate(client)['sentence']}"

    assert shown in whole
    assert shown in filtered


def words(page):
    """Return the text of a page."""
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())
