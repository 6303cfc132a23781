"""`scalewatch token`, and a server that asks for one."""

import json
import os
import re
import socket
import subprocess

import httpx2
import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from support.builders import run
from support.servers.forked import Forked


@pytest.fixture(autouse=True)
def _home(tmp_path, monkeypatch):
    """A user with a database of their own."""
    for name in [name for name in os.environ if name.startswith("SCALEWATCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SCALEWATCH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SCALEWATCH_EMBEDDED_WORKER", "false")  # nothing is analysed


def token(*arguments):
    return CliRunner().invoke(main, ["token", *arguments], catch_exceptions=False)


CREATE = ("create", "ci", "--project", "mpich", "--role", "ingest")


def test_first_start_of_an_image_prints_a_token_once():
    begun = first_line_of(*EVERYWHERE, "--first-token")
    secret = begun[0].split()[-1]
    again, posted = first_line_of(*EVERYWHERE, "--first-token")
    listed = json.loads(token("list", "--json").stdout)

    assert re.fullmatch(r"swt_[0-9a-f]{8}_[\w-]{43}", secret)
    assert "Scalewatch is at" in again
    assert posted == 401
    assert [(each["prefix"], each["role"], each["project"]) for each in listed] == [
        (secret[:12], "admin", None)
    ]


def test_created_token_is_listed_without_its_secret_and_revoked():
    created = token(*CREATE, "--days", "30")
    secret = created.stdout.strip()
    prefix = secret[:12]

    listed = token("list", "--json").stdout
    revoked = token("revoke", prefix)

    assert re.fullmatch(r"swt_[0-9a-f]{8}_[\w-]{43}", secret)
    assert secret not in created.stderr
    assert "scalewatch.db" in created.stderr
    (made,) = json.loads(listed)
    assert (made["prefix"], made["role"]) == (prefix, "ingest")
    assert made["expires_at"]
    assert secret not in listed
    assert "revoked" in revoked.stdout
    assert "revoked" in token("list").stdout


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("create", "ci", "--role", "read"), "--all-projects"),
        (("create", "ci", "--project", "a/b", "--role", "read"), "project"),
        (("create", "", "--all-projects", "--role", "read"), "name"),
        (("revoke", "swt_nonesuch"), "swt_nonesuch"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(arguments, word):
    result = token(*arguments)

    assert result.exit_code != 0
    assert word in result.stderr.splitlines()[-1]


def test_list_without_a_token_says_how_to_make_one():
    assert "scalewatch token create" in token("list").stdout


def first_line_of(*arguments):
    """Start a server; return what it says first, and its answer to a posted run."""
    with Forked(
        ["serve", *arguments],
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            line = told = server.stdout.readline()
            while "Scalewatch is at" not in told:
                told = server.stdout.readline()
            port = re.search(r":(\d+)", told)[1]
            answer = httpx2.post(
                f"http://127.0.0.1:{port}/api/v1/runs",
                json=run(),
                headers={"Host": "cluster.example"},
                timeout=60,
                trust_env=False,
            )
        finally:
            server.kill()
    return line, answer.status_code


EVERYWHERE = ("--host", "0.0.0.0", "--port", "0")  # noqa: S104 - for a moment


def test_server_for_others_wants_a_token_or_to_be_told():
    refused = CliRunner().invoke(main, ["serve", *EVERYWHERE])

    opened, posted = first_line_of(*EVERYWHERE, "--open")
    token(*CREATE)
    protected, refused_post = first_line_of(*EVERYWHERE)

    assert refused.exit_code == 4
    (line,) = refused.stderr.splitlines()
    assert "scalewatch token create" in line
    assert "--first-token" in line
    assert "--open" in line
    assert socket.gethostname() in opened
    assert "Scalewatch is at" in protected
    assert (posted, refused_post) == (202, 401)
