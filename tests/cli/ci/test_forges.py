"""What the gate tells GitHub and GitLab, against stand-ins that know their schemas."""

import re

import pytest
from markdown_it import MarkdownIt

from scalewatch.cli.ci.forges import NotReported, report
from scalewatch.cli.ci.gate import with_whole_hash
from support.forges import TOKEN, GitHub, GitLab

MARK = "<!-- scalewatch gate mpich -->"


def gate(outcome, sentence="1 of 3 series scale worse than b"):
    return {
        "project": "mpich",
        "commit": {"sha": "a" * 40, "tag": None},
        "relation": "merge base",
        "outcome": outcome,
        "sentence": sentence,
        "findings": [],
        "next_step": None,
        "confirmations": [],
        "counts": {"worse": 1, "unchanged": 2},
    }


@pytest.fixture(params=["github", "gitlab"])
def forge(request, monkeypatch):
    with {"github": GitHub, "gitlab": GitLab}[request.param]() as server:
        server.name = request.param
        for name, value in {
            "GITHUB_API_URL": server.url,
            "GITHUB_REPOSITORY": "ada/hydro",
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_REF": "refs/pull/7/merge",
            "CI_API_V4_URL": server.url,
            "CI_PROJECT_ID": "42",
            "CI_MERGE_REQUEST_IID": "7",
            "CI_COMMIT_REF_NAME": "topic",
            "GITLAB_TOKEN": TOKEN,
        }.items():
            monkeypatch.setenv(name, value)
        yield server


def test_the_status_of_the_commit_is_set_and_links_to_the_report(forge):
    said = report(forge.name, gate("worse"), "http://perf:8000/")

    (status,) = forge.statuses
    assert "comment" in said
    assert status["state"] in {"failure", "failed"}
    assert status["description"] == gate("worse")["sentence"]
    assert status["target_url"] == f"http://perf:8000/p/mpich/c/{'a' * 40}"
    assert "scalewatch/mpich" in status.values()


def test_forge_is_told_the_whole_hash_where_runs_abbreviated_it():
    known = gate("fine") | {"commit": {"sha": "a" * 7, "tag": None}}

    assert with_whole_hash(known, "a" * 40)["commit"]["sha"] == "a" * 40
    assert with_whole_hash(known, "v5.0.2") == known


def test_nothing_measured_speaks_in_a_comment(forge):
    hostile = "</td>\n\n/close\n[x](https://evil.example) ![](//a/b.png) @ada fixes #1"
    finding = {
        "region": hostile,
        "metric": "time",
        "machine": hostile,
        "configuration": {hostile: hostile},
        "kind": "failed",
        "sentence": f"failed: {hostile}",
        "is_sure": False,
        "probability": None,
        "at_target": None,
        "commits": None,
        "todo": hostile,
    }
    said = gate("undecided", hostile) | {
        "findings": [finding],
        "next_step": {"sentence": hostile},
        "confirmations": [
            {"machine": hostile, "state": "failed", "outcome": hostile},
            {"machine": hostile, "state": "open", "is_attended": False},
        ],
    }

    report(forge.name, said, "http://perf:8000")

    (body,) = [each["body"] for each in forge.comments if MARK in each["body"]]
    html = MarkdownIt("gfm-like").render(body)
    assert re.findall(r'(?:href|src)="([^"]*)"', html) == [
        f"http://perf:8000/p/mpich/c/{'a' * 40}"
    ]
    assert "<img" not in html
    assert html.count("<td>") == 6
    assert "@ada" not in html
    assert "#1" not in html
    assert not re.search("^/", body, re.MULTILINE)


def test_there_is_one_comment_however_often_the_gate_is_asked(forge):
    report(forge.name, gate("worse"), "http://perf:8000")
    report(forge.name, gate("fine", "nothing here is worse"), "http://perf")

    ours = [each["body"] for each in forge.comments if MARK in each["body"]]
    assert len(ours) == 1
    assert "is worse" in ours[0]
    assert gate("worse")["sentence"] not in ours[0]
    assert len(forge.comments) == 101


def test_comment_of_somebody_else_that_has_our_mark_is_left_alone(forge):
    theirs = forge.comment(500, f"all is fine, says the bot {MARK}")
    forge.comments.insert(0, theirs)

    for _ in range(2):
        report(forge.name, gate("worse"), "http://perf:8000")

    ours = [each for each in forge.comments if each["id"] == 1000]
    assert theirs["body"] == f"all is fine, says the bot {MARK}"
    assert len(ours) == 1
    assert gate("worse")["sentence"] in ours[0]["body"]


def test_what_is_undecided_stops_nobody(forge):
    report(forge.name, gate("undecided", "x" * 400), "http://perf:8000")

    (status,) = forge.statuses
    assert status["state"] == "success"
    assert status["description"].startswith("undecided: xxx")


def test_without_a_request_there_is_a_status_alone(forge, monkeypatch):
    monkeypatch.setenv("GITHUB_REF", "refs/heads/main")
    monkeypatch.delenv("CI_MERGE_REQUEST_IID")

    assert "comment" not in report(forge.name, gate("fine"), "http://perf")
    assert len(forge.statuses) == 1
    assert len(forge.comments) == 100


def test_what_a_forge_refuses_is_told_with_its_reason(forge, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "another")
    monkeypatch.setenv("GITLAB_TOKEN", "another")

    with pytest.raises(NotReported, match="answered 401"):
        report(forge.name, gate("fine"), "http://perf")


def test_a_token_comes_from_the_environment_alone(forge, monkeypatch):
    monkeypatch.delenv(f"{forge.name.upper()}_TOKEN")

    with pytest.raises(NotReported, match=f"{forge.name.upper()}_TOKEN is not set"):
        report(forge.name, gate("fine"), "http://perf")
