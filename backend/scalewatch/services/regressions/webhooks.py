"""Events of regressions, and webhooks: signed deliveries of them to other programs.

A delivery is a job like any other: it is made in the transaction of what happened,
and tried again with growing pauses until the address answers with success. The body is
signed together with the time, so that nobody can send it again another day:

    Scalewatch-Signature: v1=HMAC-SHA256(secret, timestamp + "." + body), hexadecimal
"""

import hmac
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from socket import inet_aton
from typing import Any, Final
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport, KeyMissing
from scalewatch.exporters.documents import json_text
from scalewatch.services.access import audit, sealing
from scalewatch.services.jobs import JobKind, enqueue
from scalewatch.services.regressions.regressions import regression_of
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.tables import now
from scalewatch.storage.work import webhooks
from scalewatch.storage.work.jobs import OPEN

WATCHER: Final = "scalewatch"
"""The actor of events that no user caused."""

SECONDS: Final = 5.0
"""How long an address may take: a worker waits for it."""

MOST: Final = 20
"""Webhooks of a project."""

REFUSED: Final = "took no delivery: "
"""Between the name of a webhook and why it was not told, in the reason of a job."""

NOTHING: Final = 0
"""Stands for an event where a test delivery is made."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook, without its secrets, and what it answered last.

    Parameters
    ----------
    host
        Where its address is; what follows in the address may be a secret.
    waiting, given_up
        Deliveries that are still to be made, and those that nobody makes any more.
    trouble
        Why the newest of these was not taken.
    """

    id: int
    host: str
    author: str
    created_at: datetime
    last_answer: str | None
    last_at: datetime | None
    waiting: int = 0
    given_up: int = 0
    trouble: str | None = None


@dataclass(frozen=True, slots=True)
class NewWebhook:
    """A new webhook.

    Parameters
    ----------
    secret
        What deliveries are signed with; shown this once.
    """

    webhook: Webhook
    secret: str


@dataclass(frozen=True, slots=True)
class DeliveryAnswer:
    """The answer of an address to a delivery; None if it was removed meanwhile."""

    webhook_id: int
    answer: str | None


class DeliveryRefused(Exception):
    """An address did not take a delivery; it is tried again.

    The address itself is not told: it may hold a secret, and this is logged.
    """

    def __init__(self, webhook_id: int, reason: str) -> None:
        super().__init__(f"webhook {webhook_id} {REFUSED}{reason}")
        self.webhook_id = webhook_id
        self.reason = reason


class _NoRedirects(HTTPRedirectHandler):
    """A signed body goes to the address it is meant for and to no other."""

    def redirect_request(self, *_: Any) -> None:
        """Follow nothing."""
        return


def record_event(  # noqa: PLR0913, what happened and whether it is told
    session: Session,
    row: tables.Regression,
    actor: str,
    action: str,
    note: str | None,
    *,
    is_told: bool = True,
) -> None:
    """Write down what happened to a regression, and queue its deliveries."""
    row.changed_at = now()
    event = tables.RegressionEvent(
        regression_id=row.id, actor=actor, action=action, note=note
    )
    session.add(event)
    session.flush()
    for webhook in webhooks.of_project(session, row.project_id) if is_told else ():
        enqueue(session, JobKind.NOTIFY, row.project_id, f"{webhook.id}/{event.id}")


def webhooks_of(session: Session, project_name: str) -> tuple[Webhook, ...]:
    """Return the webhooks of a project.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    return tuple(
        _webhook(session, row) for row in webhooks.of_project(session, project.id)
    )


def add(
    session: Session, project_name: str, url: str, author: str, key_file: Path
) -> NewWebhook:
    """Add a webhook: an address that hears of the events of a project's regressions.

    Raises
    ------
    NotFound
        If there is no such project.
    InvalidReport
        If nothing can ever be delivered to the address, it holds credentials, or there
        are too many.
    KeyMissing
        If others have secrets that the key here has not sealed.
    """
    project = projects.existing(session, project_name)
    if fault := fault_of(url):
        raise InvalidReport([("url", fault)])
    if len(webhooks.of_project(session, project.id)) >= MOST:
        raise InvalidReport([("url", f"a project has at most {MOST} webhooks")])
    host = urlsplit(url).netloc
    secret = f"swh_{secrets.token_urlsafe(32)}"
    row = webhooks.add(
        session,
        {
            "project_id": project.id,
            "host": host,
            "url": sealing.sealed(session, url, key_file),
            "secret": sealing.sealed(session, secret, key_file),
            "author": author,
        },
    )
    audit.note(session, "webhook added", project.name, host)
    return NewWebhook(_webhook(session, row), secret)


LONGEST_HOST: Final = 253
"""Letters of a name in the domain name system."""


def fault_of(url: str) -> str | None:
    """Return why nothing can be delivered to an address; None where it may take it."""
    if not url.startswith(("http://", "https://")):
        return "begins with http:// or https://"
    if not url.isascii() or not url.isprintable() or " " in url:
        return "holds letters, digits and signs of an address only; encode others by %"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
        _require_name(host or "")
    except ValueError as error:  # an unclosed bracket, no port, no name
        return f"is no address: {error}"
    if not host or port == 0:
        return "names no host" if not host else "names port 0, which nobody listens at"
    if parts.username is not None or parts.password is not None:
        return "holds a user or a password, which pages would show; leave it out"
    return None


def _require_name(host: str) -> None:
    """Raise ValueError if a host is no address, nor a name that one may have."""
    host.encode("idna")
    if ":" in host:
        return
    *_, last = labels = host.removesuffix(".").split(".")
    is_numbered = last.isdecimal()  # no domain is a number
    is_open = any(each.startswith("-") or each.endswith("-") for each in labels)
    if is_open or len(host) > LONGEST_HOST or (is_numbered and not _is_ipv4(host)):
        raise ValueError("no name service knows such a host")  # noqa: TRY003 - a part


def _is_ipv4(host: str) -> bool:
    try:
        inet_aton(host)
    except OSError:
        return False
    return True


def remove(session: Session, project_name: str, webhook_id: int) -> None:
    """Remove a webhook.

    Raises
    ------
    NotFound
        If there is no such project, or no such webhook of it.
    """
    project = projects.existing(session, project_name)
    webhooks.remove(session, project.id, webhook_id)
    audit.note(session, "webhook removed", project.name, str(webhook_id))


def test(session: Session, project_name: str, webhook_id: int) -> None:
    """Queue a delivery that tells of nothing, to see whether it arrives.

    Raises
    ------
    NotFound
        If there is no such project, or no such webhook of it.
    """
    project = projects.existing(session, project_name)
    row = webhooks.identified(session, project.id, webhook_id)
    enqueue(session, JobKind.NOTIFY, project.id, f"{row.id}/{NOTHING}")
    audit.note(session, "webhook tested", project.name, str(webhook_id))


def deliver(session: Session, subject: str, key_file: Path) -> DeliveryAnswer:
    """Tell a webhook of an event, given as `webhook/event`.

    Raises
    ------
    DeliveryRefused
        If the address does not answer with success, or it cannot be signed.
    """
    webhook_id, event_id = map(int, subject.split("/"))
    webhook = session.get(tables.Webhook, webhook_id)
    event = session.get(tables.RegressionEvent, event_id)
    if webhook is None or (event is None and event_id != NOTHING):
        return DeliveryAnswer(webhook_id, None)
    project = session.get_one(tables.Project, webhook.project_id)
    body = json_text(_event(session, project.name, event))
    try:
        secret = sealing.unsealed(webhook.secret, key_file)
        url = sealing.unsealed(webhook.url, key_file)
    except KeyMissing as error:
        raise DeliveryRefused(webhook.id, str(error)) from None
    headers = signed(secret, body, int(time.time()))
    headers["Scalewatch-Delivery"] = str(event_id)
    return DeliveryAnswer(webhook_id, _post(webhook.id, url, body, headers))


def _event(
    session: Session, project: str, event: tables.RegressionEvent | None
) -> dict[str, Any]:
    """Return what a delivery tells; a test tells of no regression."""
    if event is None:
        return {
            "project": project,
            "event": "test",
            "actor": WATCHER,
            "note": None,
            "at": now(),
            "regression": None,
        }
    return {
        "project": project,
        "event": event.action,
        "actor": event.actor,
        "note": event.note,
        "at": event.at,
        "regression": regression_of(session, project, event.regression_id),
    }


def note(session: Session, delivered: DeliveryAnswer) -> None:
    """Note what an address answered."""
    if delivered.answer is not None:
        webhooks.change(
            session, delivered.webhook_id, last_answer=delivered.answer, last_at=now()
        )


def signed(secret: str, body: bytes, timestamp: int) -> dict[str, str]:
    """Return the headers by which the receiver knows that a body is ours."""
    message = f"{timestamp}.".encode() + body
    signature = hmac.new(secret.encode(), message, sha256).hexdigest()
    return {
        "Scalewatch-Timestamp": str(timestamp),
        "Scalewatch-Signature": f"v1={signature}",
    }


def _post(webhook_id: int, url: str, body: bytes, headers: Mapping[str, str]) -> str:
    sent = {
        "Content-Type": "application/json",
        "User-Agent": "scalewatch",
        **headers,
    }
    request = Request(url, body, sent, method="POST")  # noqa: S310 - checked when added
    try:
        with build_opener(_NoRedirects).open(request, timeout=SECONDS) as answer:
            return f"answered {answer.status}"
    except HTTPError as error:
        with error:
            raise DeliveryRefused(webhook_id, f"it answered {error.code}") from None
    except (OSError, HTTPException, ValueError) as error:
        cause = getattr(error, "reason", error)
        why = getattr(cause, "strerror", None) or str(cause)
        raise DeliveryRefused(webhook_id, why) from None


def _webhook(session: Session, row: tables.Webhook) -> Webhook:
    made = webhooks.deliveries(session, JobKind.NOTIFY, row.id)
    return Webhook(
        row.id,
        row.host,
        row.author,
        row.created_at,
        row.last_answer,
        row.last_at,
        waiting=sum(each.state in OPEN for each in made),
        given_up=sum(each.state == "failed" for each in made),
        trouble=next(
            (each.reason.rpartition(REFUSED)[2] for each in made if each.reason), None
        ),
    )
