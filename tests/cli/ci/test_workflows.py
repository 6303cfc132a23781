"""Workflows without a server, run in a checkout whose origin is a bare repository."""

import pytest
import yaml

from support.ci_jobs import (
    ROOT,
    Job,
    documents_of,
    empty_wheel,
    pipeline_job,
    scripts_of,
)
from support.experiments import experiment
from support.forges import TOKEN, GitHub
from support.repositories import git

BRANCH = "scalewatch-results"
CODE = "import sys; print(f'took {SECONDS * float(sys.argv[1])} s')"
FILES = [
    "action.yml", "templates/scalewatch.yml", "examples/ci/github.yml",
    "examples/ci/gitlab.yml", "examples/ci/store/github.yml",
    "examples/ci/store/forks.yml", "examples/ci/store/gitlab.yml",
]  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_workflow_files_parse_and_no_script_holds_an_expression(name):
    documents = documents_of(ROOT / name)

    scripts = [script for each in documents for script in scripts_of(each)]
    assert documents
    assert [s for s in scripts if "${{" in s or "$[[" in s] == []


def test_every_input_of_the_action_is_described_and_used():
    text = (ROOT / "action.yml").read_text()
    action = yaml.safe_load(text)

    for name, stated in action["inputs"].items():
        assert stated["description"]
        assert f"inputs.{name}" in text


def test_examples_name_inputs_that_there_are():
    (action,) = documents_of(ROOT / "action.yml")
    head, _ = documents_of(ROOT / "templates/scalewatch.yml")
    for name in ("github", "forks"):
        (workflow,) = documents_of(ROOT / f"examples/ci/store/{name}.yml")
        for job in workflow["jobs"].values():
            for step in job["steps"]:
                if "scalewatch@" in step.get("uses", ""):
                    assert step["with"].keys() <= action["inputs"].keys()
    (pipeline,) = documents_of(ROOT / "examples/ci/store/gitlab.yml")
    (included,) = pipeline["include"]
    assert included["inputs"].keys() <= head["spec"]["inputs"].keys()


@pytest.fixture
def checkout(tmp_path):
    """A checkout of a program, and its bare origin."""
    git(tmp_path, "init", "--quiet", "--bare", "origin")
    git(tmp_path, "init", "--quiet", "--initial-branch=main", "work")
    work = tmp_path / "work"
    git(work, "remote", "add", "origin", str(tmp_path / "origin"))
    commit(work, 1.0)
    return work


def commit(work, seconds):
    """Commit a program that takes so long."""
    fields = {
        "parameters": {"p": 1, "n": [1, 2, 4, 8]},
        "coordinate": ["p", "n"],
        "execute": "{python} {experiment}/program.py {n}",
        "repeats": 3,
    }
    path = experiment(work, f"SECONDS = {seconds}\n{CODE}", **fields)
    stated = yaml.safe_load(path.read_text())
    del stated["commit"]
    path.write_text(yaml.safe_dump(stated))
    (work / ".gitignore").write_text("site\npublic\n.scalewatch\n*.jsonl\n*.xml\n")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "--allow-empty", "-m", f"Take {seconds} s")
    git(work, "push", "--quiet", "origin", "HEAD:main")


def action(work, event, number, **inputs):
    package = str(empty_wheel(work.parent))
    stated = {"experiment": "sweep.yaml", "publish": "site", "package": package}
    return Job(work, work.parent / f"job{number}", event, stated | inputs)


def history(work):
    """Return the head of the branch of results, and its files of runs."""
    git(work, "fetch", "--quiet", "origin", BRANCH)
    names = git(work, "ls-tree", "-r", "--name-only", "FETCH_HEAD").split()
    return [name for name in names if name.startswith("runs/")]


def test_a_push_measures_keeps_judges_and_publishes(checkout):
    job = action(checkout, "push", 1)

    code = job.run()

    assert code == 0, job.said
    assert [*job.said] == [
        "Install",
        "Measure",
        "Add to the history",
        "Gate",
        "Publish",
    ]
    assert len(history(checkout)) == 1
    assert "outcome=" in job.file("output").read_text()
    assert (checkout / "site/p/code/index.html").is_file()


def test_a_pull_request_is_judged_by_the_history_and_does_not_write_to_it(checkout):
    for number in range(3):
        commit(checkout, 1.0)
        assert action(checkout, "push", number, publish="").run() == 0
    before = history(checkout)
    git(checkout, "checkout", "--quiet", "-b", "topic")
    commit(checkout, 3.0)

    job = action(checkout, "pull_request", 9)
    code = job.run()

    assert "Add to the history" not in job.said
    assert history(checkout) == before
    head = git(checkout, "rev-parse", "HEAD").strip()
    assert (checkout / f"site/p/code/c/{head[:10]}/index.html").is_file()
    output = job.file("output").read_text()
    assert code == (1 if "outcome=worse" in output else 0)
    assert "outcome=fine" not in output
    assert "### Scalewatch: " in job.file("summary").read_text()


def test_a_request_of_a_fork_is_judged_by_its_reports_alone(checkout):
    commit(checkout, 1.0)
    assert action(checkout, "push", 1, publish="").run() == 0
    before = history(checkout)
    main = git(checkout, "rev-parse", "HEAD").strip()
    git(checkout, "checkout", "--quiet", "-b", "fork")
    commit(checkout, 3.0)
    fork = git(checkout, "rev-parse", "HEAD").strip()
    measured = action(checkout, "pull_request", 2, gate="false")
    assert measured.run() == 0
    reports = checkout.parent / "of fork"
    reports.mkdir()
    measured.file("scalewatch-runs.jsonl").rename(reports / "runs.jsonl")
    git(checkout, "checkout", "--quiet", "--force", main)

    with GitHub() as forge:
        job = action(
            checkout, "workflow_run", 3, experiment="", keep="false", gate="report",
            files=f"{reports}/*.jsonl", commit=fork,
        )  # fmt: skip
        job.variables = {
            "GITHUB_API_URL": forge.url,
            "GITHUB_REPOSITORY": "ada/hydro",
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_RUN_ID": "1",
            "GITHUB_REF": "refs/heads/main",
            "SCALEWATCH_PULL_REQUEST": "7",
        }
        job.run()
        (status,) = forge.statuses

    assert "status and comment are set" in job.said["Gate"]
    assert status["target_url"] == "https://github.example/ada/hydro/actions/runs/1"
    assert "outcome=fine" not in job.file("output").read_text()
    assert history(checkout) == before
    assert TOKEN not in job.said["Gate"]


def test_the_status_of_a_push_links_to_the_page_of_its_commit(checkout):
    inputs = {"gate": "report", "base-url": "https://x.example/repo/"}
    with GitHub() as forge:
        job = action(checkout, "push", 1, **inputs)
        job.variables = {
            "GITHUB_API_URL": forge.url,
            "GITHUB_REPOSITORY": "ada/hydro",
        }
        job.run()
        (status,) = forge.statuses

    address = status["target_url"].removeprefix("https://x.example/repo/")
    assert address.startswith("p/code/c/")
    assert (checkout / "site" / address).is_file()


def test_files_that_are_not_there_are_named(checkout):
    job = action(checkout, "push", 1, experiment="", files="nowhere/*.jsonl")

    assert job.run() != 0
    assert "nowhere/*.jsonl" in job.said["Measure"]
    assert "Gate" not in job.said


def test_values_of_inputs_are_never_executed(checkout, tmp_path):
    evil = f"$(touch {tmp_path}/evil); `touch {tmp_path}/evil`"
    job = action(checkout, "push", 1, files=evil, branch=evil, commit=evil)

    assert job.run() != 0
    assert not (tmp_path / "evil").exists()


def test_the_component_measures_keeps_judges_and_publishes(checkout, tmp_path):
    inputs = {"experiment": "sweep.yaml", "package": str(empty_wheel(tmp_path))}
    head = git(checkout, "rev-parse", "HEAD").strip()
    push = {
        "CI_PIPELINE_SOURCE": "push",
        "CI_COMMIT_SHA": head,
        "SCALEWATCH_REMOTE": str(tmp_path / "origin"),
    }

    gated = pipeline_job("scalewatch", checkout, inputs, push)
    site = pipeline_job(".scalewatch-publish", checkout, inputs, push)
    kept = history(checkout)
    commit(checkout, 3.0)
    head = git(checkout, "rev-parse", "HEAD").strip()
    request = push | {
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_COMMIT_SHA": head,
    }
    asked = pipeline_job("scalewatch", checkout, inputs, request)

    assert gated.returncode in {0, 2}, gated.stderr
    assert site.returncode == 0, site.stderr
    assert (checkout / "public/p/code/index.html").is_file()
    assert len(kept) == 1
    assert history(checkout) == kept
    assert asked.returncode in {1, 2}, asked.stderr
    assert (checkout / f"public/p/code/c/{head[:10]}/index.html").is_file()
    assert "<testsuite" in (checkout / "gate.xml").read_text()
