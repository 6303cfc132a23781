"""Ask a server's gate until it has an answer, and for runs that confirm it."""

import time
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Final

import click

from scalewatch.cli.remote import Remote, Reply, Unreachable, segment

NOT_FOUND: Final = 404
PAUSE: Final = 1.0


def ask(
    remote: Remote, project: str, commit: str, baseline: str | None, deadline: float
) -> Reply:
    """Ask until the analysis is finished; a commit may still be on its way."""
    last_reason = None
    while True:
        try:
            reply = remote.get(
                f"projects/{segment(project)}/gate", commit=commit, baseline=baseline
            )
        except Unreachable as error:
            reply = Reply(503, {"detail": str(error)})
        is_open = reply.status in {404, 429} or reply.status >= 500
        if reply.is_good:
            is_open = reply.content.get("outcome") == "pending"
        left = deadline - time.monotonic()
        if not is_open or left <= 0:
            return reply
        is_lost = reply.status == NOT_FOUND and last_reason is None
        if is_lost and (wrong := _unknown_project(remote, project)):
            return wrong
        why = reply.content["sentence"] if reply.is_good else reply.reason
        if why != last_reason:
            click.echo(f"Waiting for up to {left:.0f} s: {why}", err=True)
            last_reason = why
        time.sleep(min(PAUSE, left))


def confirmed(
    remote: Remote, reply: Reply, baseline: str | None, deadline: float
) -> Reply:
    """Ask for runs that confirm what is suspected, and wait for those on their way."""
    project, sha = reply.content["project"], reply.content["commit"]["sha"]
    if all(each["is_sure"] for each in reply.content["findings"]):
        return reply
    wish = {"commit": sha, "baseline": baseline}
    try:
        request = remote.post(f"projects/{segment(project)}/confirmations", wish)
    except Unreachable as error:
        request = Reply(503, {"detail": str(error)})
    if not request.is_good:
        click.echo(f"No confirming run was asked for: {request.reason}", err=True)
        return reply
    while True:
        reply = ask(remote, project, sha, baseline, deadline)
        left = deadline - time.monotonic()
        if left <= 0 or not (reply.is_good and _is_being_confirmed(reply.content)):
            return reply
        time.sleep(min(PAUSE, left))


def _unknown_project(remote: Remote, project: str) -> Reply | None:
    """Return that there is no such project, with the one that may be meant."""
    try:
        reply = remote.get(f"projects/{segment(project)}/commits", limit="1")
        listed = remote.get("projects").content
    except Unreachable:
        return None
    if reply.status != NOT_FOUND:
        return None
    known = [each["name"] for each in listed.get("projects", ())]
    meant = get_close_matches(project, known, n=1)
    hint = f"; is {meant[0]!r} meant?" if meant else ""
    return Reply(NOT_FOUND, {"detail": f"{reply.reason}{hint}"})


def _is_being_confirmed(gate: Mapping[str, Any]) -> bool:
    """Tell whether an agent is about to settle what is suspected."""
    return gate["outcome"] == "undecided" and any(
        each["state"] == "running" or (each["state"] == "open" and each["is_attended"])
        for each in gate["confirmations"]
    )
