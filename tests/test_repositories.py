"""Addresses of repositories: as git writes them, and as a browser opens them."""

import json

import pytest
from pydantic import ValidationError

from scalewatch.wire import RunReport, faults
from scalewatch.wire.repositories import web_address
from support.builders import run

FOUND = {
    "https://github.com/pmodels/mpich.git": "https://github.com/pmodels/mpich",
    "https://github.com/pmodels/mpich/": "https://github.com/pmodels/mpich",
    "git@github.com:pmodels/mpich.git": "https://github.com/pmodels/mpich",
    "github.com:pmodels/mpich": "https://github.com/pmodels/mpich",
    "ssh://git@gitlab.example.org:2222/a/b/c.git": "https://gitlab.example.org/a/b/c",
    "git://git.example.org/code": "https://git.example.org/code",
    "https://git.example.org:8443/a/b": "https://git.example.org:8443/a/b",
    "http://[::1]:3000/a/b": "http://[::1]:3000/a/b",
    "https://gitlab-ci-token:S3cr3t@gitlab.com/a/b.git": "https://gitlab.com/a/b",
    "https://S3cr3t@github.com/a/b": "https://github.com/a/b",
    "ssh://ada:S3cr3t@git.example.org/a/b": "https://git.example.org/a/b",
    "https://git.example.org/a/b?private_token=S3cr3t": "https://git.example.org/a/b",
}

UNKNOWN = (
    "",
    "/srv/git/code.git",
    "../code",
    "C:/code",
    "C:\\code",
    "file:///srv/git/code.git",
    "javascript://x/%0aalert(1)",
    'https://github.com/a/b"onclick="x',
    "https://github.com",
    "https://exa mple.org/a",
    "https://[::1/a",
    "https://github.com:99999/a/b",
    f"https://github.com/{'a' * 1000}",
)


@pytest.mark.parametrize(("remote", "address"), FOUND.items())
def test_remote_is_found_by_a_browser_without_credentials(remote, address):
    assert web_address(remote) == address


@pytest.mark.parametrize("remote", UNKNOWN)
def test_folder_or_a_broken_address_is_found_by_nobody(remote):
    assert web_address(remote) is None


def with_repository(repository):
    commit = {"sha": "v5.0.2", "repository": repository}
    return RunReport.model_validate_json(json.dumps(run(commit=commit)))


def test_run_tells_its_repository_as_a_browser_finds_it():
    report = with_repository("git@github.com:pmodels/mpich.git")

    assert report.commit.repository == "https://github.com/pmodels/mpich"


@pytest.mark.parametrize("remote", [each for each in FOUND if "S3cr3t@" in each])
def test_repository_with_credentials_is_refused_without_repeating_them(remote):
    with pytest.raises(ValidationError) as refused:
        with_repository(remote)

    (fault,) = faults(refused.value)
    assert fault.field == "commit.repository"
    assert "user and password" in fault.message


@pytest.mark.parametrize("remote", UNKNOWN)
def test_run_whose_repository_is_no_address_is_refused(remote):
    with pytest.raises(ValidationError) as refused:
        with_repository(remote)

    assert [each.field for each in faults(refused.value)] == ["commit.repository"]
