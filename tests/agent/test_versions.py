"""What the agent says of the version that it measures."""

import pytest

from scalewatch.wire import Commit
from scalewatch_agent.versions import completed, version_in
from support.repositories import git

SHA = "c28aca23f1" * 4
SECRET = "S3cr3t"  # noqa: S105 - of nobody

GITHUB = {
    "GITHUB_SHA": SHA,
    "GITHUB_SERVER_URL": "https://github.example.org",
    "GITHUB_REPOSITORY": "mesh/hydro",
}
GITLAB = {
    "CI_COMMIT_SHA": SHA,
    "CI_PROJECT_URL": f"https://ci:{SECRET}@gitlab.example.org/mesh/hydro",
    "CI_COMMIT_AUTHOR": "Ada Lovelace <ada@example.org>",
    "CI_COMMIT_MESSAGE": "Search neighbours by trees\n\nAnd say why.\n",
}


@pytest.fixture
def checkout(tmp_path):
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "-m", "Begin")
    return tmp_path


def test_version_has_author_and_repository_without_credentials(checkout):
    git(checkout, "remote", "add", "fork", "git@github.com:ada/hydro.git")
    git(checkout, "remote", "add", "origin", f"https://ci:{SECRET}@gitlab.com/a/b.git")

    commit = version_in(checkout).commit

    assert (commit.author, commit.message) == ("Ada", "Begin")
    assert commit.repository == "https://gitlab.com/a/b"
    assert SECRET not in commit.model_dump_json()


def test_version_without_a_remote_or_with_a_folder_has_no_repository(checkout):
    assert version_in(checkout).commit.repository is None

    git(checkout, "remote", "add", "origin", "/srv/git/hydro.git")

    assert version_in(checkout).commit.repository is None


def test_author_with_a_name_beyond_all_bounds_is_cut(checkout):
    author = f"--author={'x' * 500} <x@example.org>"
    git(checkout, "commit", "--quiet", "--allow-empty", author, "-m", "Go on")

    assert version_in(checkout).commit.author == "x" * 200


@pytest.mark.parametrize("name", ["feature/halo#3", "fix/a%b&c", "v1.2/rc+1"])
def test_branch_and_tag_are_as_git_names_them(checkout, name):
    git(checkout, "checkout", "--quiet", "-b", name)
    git(checkout, "tag", f"release/{name}")

    commit = version_in(checkout).commit

    assert (commit.branch, commit.tag) == (name, f"release/{name}")


def test_message_that_cannot_be_taken_loses_itself_alone_and_says_so(checkout, capsys):
    git(checkout, "checkout", "--quiet", "-b", "feature/x")
    git(checkout, "commit", "--quiet", "--allow-empty", "-m", "x" * 20_000)

    commit = version_in(checkout).commit

    assert (commit.branch, commit.message) == ("feature/x", None)
    assert capsys.readouterr().err.startswith("Warning: commit.message")


def test_job_on_github_tells_the_repository():
    known = completed(Commit(sha=SHA), GITHUB)

    assert known.repository == "https://github.example.org/mesh/hydro"


@pytest.mark.parametrize("sha", [SHA, SHA[:7]])
def test_job_on_gitlab_tells_author_and_message_of_its_commit(sha):
    known = completed(Commit(sha=sha), GITLAB)

    assert known.author == "Ada Lovelace"
    assert known.message == "Search neighbours by trees"
    assert known.repository == "https://gitlab.example.org/mesh/hydro"


def test_job_for_another_commit_tells_only_the_repository():
    known = completed(Commit(sha="a" * 40), GITLAB)

    assert (known.author, known.message) == (None, None)
    assert known.repository is not None


def test_what_is_known_of_a_commit_stays():
    stated = Commit(sha=SHA, author="Grace", repository="git@github.com:a/b")

    known = completed(stated, GITLAB)

    assert known.author == "Grace"
    assert known.repository == "https://github.com/a/b"


@pytest.mark.parametrize(
    "variables",
    [{}, {"CI_COMMIT_SHA": SHA, "CI_COMMIT_AUTHOR": "x" * 500}, {"CI_PROJECT_URL": ""}],
)
def test_variables_that_say_nothing_of_use_change_nothing(variables):
    assert completed(Commit(sha=SHA), variables) == Commit(sha=SHA)
