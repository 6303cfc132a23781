"""Webhooks: addresses that are told what happens to regressions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Response
from pydantic import Field

from scalewatch import wire
from scalewatch.api.http.answers import answer, answers
from scalewatch.api.http.problems import problems
from scalewatch.api.http.routers import api_router
from scalewatch.api.http.schemas import Schema
from scalewatch.services.regressions import webhooks
from scalewatch.services.regressions.webhooks import NewWebhook, Webhook
from scalewatch.web.queries import WebhookId
from scalewatch.web.sessions import AdminDep

router = api_router("history", "/projects/{project}/webhooks")


@dataclass(frozen=True, slots=True)
class Webhooks:
    """The webhooks of a project."""

    webhooks: Sequence[Webhook]


class WebhookAddress(Schema):
    """Whom to tell."""

    author: wire.Name = Field(examples=["ada"])
    url: Annotated[wire.Text, Field(min_length=8, max_length=2000)]


@router.get("", responses=answers(Webhooks, 403, 404, 422))
def list_webhooks(session: AdminDep, project: str) -> Response:
    """Return the webhooks of a project; only who administers it sees them."""
    return answer(Webhooks(webhooks.webhooks_of(session, project)))


@router.post("", responses=answers(NewWebhook, 400, 403, 404, 422))
def add_webhook(session: AdminDep, project: str, address: WebhookAddress) -> Response:
    """Let an address be told what happens to the regressions of a project."""
    return answer(webhooks.add(session, project, address.url, address.author))


@router.delete("/{webhook}", status_code=204, responses=problems(403, 404, 422))
def remove_webhook(session: AdminDep, project: str, webhook: WebhookId) -> None:
    """Remove a webhook."""
    webhooks.remove(session, project, webhook)


@router.post("/{webhook}/test", status_code=202, responses=problems(403, 404, 422))
def test_webhook(session: AdminDep, project: str, webhook: WebhookId) -> None:
    """Send a signed delivery that tells of nothing; the list says what came of it."""
    webhooks.test(session, project, webhook)
