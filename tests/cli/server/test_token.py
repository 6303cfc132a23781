"""`scalewatch token`, and a server that asks for one."""

import json
import os
import re
import socket
import subprocess
import sys

import httpx2
import pytest

from support.builders import run

SCALEWATCH = [sys.executable, "-c", "from scalewatch.cli import main; main()"]


@pytest.fixture
def scalewatch(tmp_path):
    """Run a command of a user with a database of their own."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("SCALEWATCH_")}
    environment = inherited | {"SCALEWATCH_HOME": str(tmp_path / "home")}

    def call(*arguments):
        return subprocess.run(
            [*SCALEWATCH, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    call.environment = environment
    return call


CREATE = ("token", "create", "ci", "--project", "mpich", "--role", "ingest")


def test_first_start_of_an_image_prints_a_token_once(scalewatch):
    begun = first_line_of(scalewatch, *EVERYWHERE, "--first-token")
    secret = begun[0].split()[-1]
    again, posted = first_line_of(scalewatch, *EVERYWHERE, "--first-token")
    listed = json.loads(scalewatch("token", "list", "--json").stdout)

    assert "There was no token yet." in begun[0]
    assert re.fullmatch(r"swt_[0-9a-f]{8}_[\w-]{43}", secret)
    assert "Scalewatch is at" in again
    assert posted == 401
    assert [(each["prefix"], each["role"], each["project"]) for each in listed] == [
        (secret[:12], "admin", None)
    ]


def test_created_token_is_listed_without_its_secret_and_revoked(scalewatch):
    created = scalewatch(*CREATE, "--days", "30")
    secret = created.stdout.strip()
    prefix = secret[:12]

    listed = scalewatch("token", "list", "--json").stdout
    revoked = scalewatch("token", "revoke", prefix)

    assert re.fullmatch(r"swt_[0-9a-f]{8}_[\w-]{43}", secret)
    assert "is not shown again" in created.stderr
    (token,) = json.loads(listed)
    assert (token["prefix"], token["role"]) == (prefix, "ingest")
    assert token["expires_at"]
    assert secret not in listed
    assert "revoked" in revoked.stdout
    assert "revoked" in scalewatch("token", "list").stdout


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("token", "create", "ci", "--role", "read"), "--all-projects"),
        (("token", "create", "ci", "--project", "a/b", "--role", "read"), "project"),
        (("token", "create", "", "--all-projects", "--role", "read"), "name"),
        (("token", "revoke", "swt_nonesuch"), "swt_nonesuch"),
    ],
)
def test_what_cannot_be_done_is_one_clear_line(scalewatch, arguments, word):
    result = scalewatch(*arguments)

    assert result.returncode != 0
    assert word in result.stderr.splitlines()[-1]


def test_list_without_a_token_says_how_to_make_one(scalewatch):
    assert "scalewatch token create" in scalewatch("token", "list").stdout


def first_line_of(scalewatch, *arguments):
    """Start a server; return what it says first, and its answer to a posted run."""
    with subprocess.Popen(
        [*SCALEWATCH, "serve", *arguments],
        env=scalewatch.environment | {"PYTHONUNBUFFERED": "1"},
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


def test_server_for_others_wants_a_token_or_to_be_told(scalewatch):
    refused = scalewatch("serve", *EVERYWHERE)

    opened, posted = first_line_of(scalewatch, *EVERYWHERE, "--open")
    scalewatch(*CREATE)
    protected, refused_post = first_line_of(scalewatch, *EVERYWHERE)

    assert refused.returncode == 4
    (line,) = refused.stderr.splitlines()
    assert "scalewatch token create" in line
    assert "--first-token" in line
    assert "--open" in line
    assert socket.gethostname() in opened
    assert "Scalewatch is at" in protected
    assert (posted, refused_post) == (202, 401)
