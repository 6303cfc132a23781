"""Links to commits and their differences on the usual forges."""

import pytest

from scalewatch.errors import InvalidReport
from scalewatch.services.access.policies import repository_of, state_repository
from scalewatch.services.commits.find import find_commit
from scalewatch.services.commits.forges import Forge, ForgeKind, forge_of
from scalewatch.storage.access import projects
from support.builders import run_report
from support.recorded import record

SHA = "c28aca23f1" * 4

OWN = "https://bitbucket.example.org"
NEWER = "compare/commits?sourceBranch=b&targetBranch=a"

LINKS = {
    "https://github.com/mesh/hydro": (
        "https://github.com/mesh/hydro/commit/b",
        "https://github.com/mesh/hydro/compare/a...b",
    ),
    "https://gitlab.com/mesh/sub/hydro": (
        "https://gitlab.com/mesh/sub/hydro/-/commit/b",
        "https://gitlab.com/mesh/sub/hydro/-/compare/a...b",
    ),
    "https://codeberg.org/mesh/hydro": (
        "https://codeberg.org/mesh/hydro/commit/b",
        "https://codeberg.org/mesh/hydro/compare/a...b",
    ),
    "https://bitbucket.org/mesh/hydro": (
        "https://bitbucket.org/mesh/hydro/commits/b",
        "https://bitbucket.org/mesh/hydro/branches/compare/b..a",
    ),
    f"{OWN}/scm/MESH/hydro": (
        f"{OWN}/projects/MESH/repos/hydro/commits/b",
        f"{OWN}/projects/MESH/repos/hydro/{NEWER}",
    ),
    f"{OWN}/~ada/hydro": (
        f"{OWN}/users/ada/repos/hydro/commits/b",
        f"{OWN}/users/ada/repos/hydro/{NEWER}",
    ),
    "https://git.example.org/mesh/hydro": (
        "https://git.example.org/mesh/hydro/commit/b",
        "https://git.example.org/mesh/hydro/compare/a...b",
    ),
}


def post(sessions, number, **commit):
    fields = {"sha": SHA, **commit}
    record(sessions, [run_report(id=f"{number:032x}", project="hydro", commit=fields)])


@pytest.mark.parametrize(("repository", "links"), LINKS.items())
def test_forge_is_told_by_its_address(sessions, repository, links):
    post(sessions, 1, repository=repository)

    with sessions.reading() as session:
        forge = forge_of(session, "hydro")

    assert (forge.commit("b"), forge.between("a", "b")) == links


def test_names_of_commits_are_quoted():
    forge = Forge(ForgeKind.GITHUB, "https://github.com/a/b")

    assert forge.commit("v1+x/y?z").endswith("/commit/v1%2Bx%2Fy%3Fz")


def test_author_and_repository_are_added_to_what_was_known(sessions):
    post(sessions, 1)
    post(sessions, 2, author="Ada", repository="git@github.com:mesh/hydro")
    post(sessions, 3, author="Eve", repository="git@github.com:eve/hydro")

    with sessions.reading() as session:
        commit = find_commit(session, projects.existing(session, "hydro"), SHA)
        forge = forge_of(session, "hydro")

    assert commit.author == "Ada"
    assert forge.repository == "https://github.com/mesh/hydro"


def test_project_without_a_repository_has_no_links(sessions):
    post(sessions, 1)

    with sessions.reading() as session:
        assert forge_of(session, "hydro") is None


def test_administrators_say_otherwise_than_runs(sessions):
    post(sessions, 1, repository="git@code.example.org:mesh/hydro")

    with sessions.writing.begin() as session:
        state_repository(session, "hydro", "https://code.example.org/x/y", "gitlab")
        stated = forge_of(session, "hydro")
        state_repository(session, "hydro", None, "none")
        hidden = forge_of(session, "hydro")

    assert stated.commit("b") == "https://code.example.org/x/y/-/commit/b"
    assert hidden is None


@pytest.mark.parametrize(
    ("address", "forge", "field"),
    [
        ("https://ada:S3cr3t@github.com/a/b", None, "repository"),
        ("/srv/git/code", None, "repository"),
        (None, "sourceforge", "forge"),
    ],
)
def test_what_is_no_address_or_forge_is_refused_by_its_field(
    sessions, address, forge, field
):
    post(sessions, 1)

    with sessions.writing.begin() as session:
        with pytest.raises(InvalidReport) as refused:
            state_repository(session, "hydro", address, forge)
        kept = repository_of(session, "hydro")

    assert field in str(refused.value)
    assert "S3cr3t" not in str(refused.value)
    assert (kept.address, kept.forge) == (None, None)


@pytest.mark.parametrize("length", [7, 10, 39])
def test_whole_hash_finds_the_commit_that_runs_abbreviated(sessions, length):
    post(sessions, 1, sha=SHA[:length])

    with sessions.reading() as session:
        commit = find_commit(session, projects.existing(session, "hydro"), SHA)

    assert commit.sha == SHA[:length]
