"""Histories, and the regressions found in them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Query, Response
from pydantic import Field

from scalewatch import wire
from scalewatch.api.http import answers, problems, schemas
from scalewatch.services.access import policies
from scalewatch.services.commits.main_line import MOST_COMMITS
from scalewatch.services.histories.commits import Window
from scalewatch.services.histories.histories import History, history_of
from scalewatch.services.regressions import regressions, triage
from scalewatch.services.regressions import webhooks as addresses
from scalewatch.services.regressions.inbox import Inbox, inbox_of
from scalewatch.services.regressions.webhooks import NewWebhook, Webhook
from scalewatch.services.selection import renamed_regions
from scalewatch.services.selection.pages import part_of
from scalewatch.web.queries import (
    CursorQuery,
    InboxQuestionDep,
    RegressionId,
    WebhookId,
)
from scalewatch.web.sessions import AdminDep, KeyFileDep, ReadingDep

router = answers.api_router("history", "/projects/{project}")


class TriageRequest(schemas.Schema):
    """Triage of a regression; parts that are left out stay as they are."""

    author: wire.Name = Field(examples=["ada"])
    state: Literal["open", "acknowledged", "expected"] | None = Field(
        None, description="`expected`: the new level becomes the baseline."
    )
    owner: wire.Name | None = None
    note: wire.Text | None = Field(None, examples=["known, fixed by !42"])
    link: wire.Text | None = Field(None, examples=["https://example.org/issues/42"])


@router.get("/history", responses=answers.of(History, 404, 409, 422))
def show_history(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    session: ReadingDep,
    project: str,
    region: str | None = None,
    metric: str | None = None,
    machine: str | None = None,
    before: Annotated[
        str | None, Query(description="Only older ones: hash, its beginning, or tag.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_COMMITS, description="Commits.")] = 50,
) -> Response:
    """Return the history of a region: growth per commit, and where it changed.

    It is that of the newest commits, or of those before one.
    """
    window = Window(before or None, limit)
    return answers.answer(
        history_of(session, project, region, metric, machine, window=window)
    )


@router.get("/regressions", responses=answers.of(regressions.Regressions, 404, 422))
def list_regressions(
    session: ReadingDep,
    project: str,
    state: Annotated[
        list[regressions.RegressionState] | None, Query(description="All unless given.")
    ] = None,
) -> Response:
    """Return regressions, one per cause, newest first."""
    return answers.answer(regressions.regressions_of(session, project, state or ()))


@router.get(
    "/regressions/{regression}", responses=answers.of(regressions.Regression, 404, 422)
)
def show_regression(
    session: ReadingDep, project: str, regression: RegressionId
) -> Response:
    """Return a regression with all that happened to it."""
    return answers.answer(regressions.regression_of(session, project, regression))


@router.patch("/regressions/{regression}", responses=problems.of(400, 403, 404, 422))
def treat_regression(
    session: AdminDep, project: str, regression: RegressionId, said: TriageRequest
) -> Response:
    """Give a regression a state, an owner, a note or a link; its history is kept."""
    treatment = triage.Triage(
        state=regressions.RegressionState(said.state) if said.state else None,
        owner=said.owner,
        note=said.note,
        link=said.link,
    )
    return answers.answer(
        triage.triage(session, project, regression, treatment, said.author)
    )


inbox = answers.api_router("history", "/inbox")


@inbox.get("", responses=answers.of(Inbox, 404, 422))
def show_inbox(
    session: ReadingDep, question: InboxQuestionDep, cursor: CursorQuery = None
) -> Response:
    """Return what became worse over all projects, worst first, in pages."""
    return answers.answer(part_of(inbox_of(session, question), cursor)[0])


aliases = answers.api_router("history", "/projects/{project}/aliases")


@dataclass(frozen=True, slots=True)
class Aliases:
    """The former names of a project's regions."""

    aliases: Sequence[renamed_regions.Alias]


Names = Annotated[
    dict[wire.Name, wire.Name | None],
    Field(max_length=10_000, examples=[{"bcast": "MPI_Bcast"}]),
]


class Renaming(schemas.Schema):
    """Present names by former ones; null takes one back, and others stay."""

    author: wire.Name = Field(examples=["ada"])
    reason: wire.Text | None = None
    aliases: Names


@aliases.get("", responses=answers.of(Aliases, 404, 422))
def list_aliases(session: ReadingDep, project: str) -> Response:
    """Return the former names of a project's regions."""
    return answers.answer(Aliases(renamed_regions.aliases_of(session, project)))


@aliases.put("", responses=answers.of(Aliases, 400, 403, 404, 422))
def rename_regions(session: AdminDep, project: str, renaming: Renaming) -> Response:
    """Let the histories of regions go on under other names."""
    return answers.answer(
        Aliases(renamed_regions.rename(session, project, renaming.aliases))
    )


owners = answers.api_router("history", "/projects/{project}/owners")


@dataclass(frozen=True, slots=True)
class Owners:
    """Owners of a project's regions; the first pattern that fits a region counts."""

    owners: Sequence[policies.Owner]


class StatedOwner(schemas.Schema):
    """Whose the regions are that a pattern fits."""

    pattern: wire.Name = Field(examples=["MPI_*"])
    owner: wire.Name = Field(examples=["ada"])


class StatedOwners(schemas.Schema):
    """All patterns with their owners, in place of those before."""

    owners: list[StatedOwner] = Field(max_length=policies.MOST_OWNERS)


@owners.get("", responses=answers.of(Owners, 404, 422))
def list_owners(session: ReadingDep, project: str) -> Response:
    """Return whose the regions of a project are."""
    return answers.answer(Owners(policies.owners_of(session, project)))


@owners.put("", responses=answers.of(Owners, 400, 403, 404, 422))
def state_owners(session: AdminDep, project: str, stated: StatedOwners) -> Response:
    """State whose the regions of a project are."""
    rows = [policies.Owner(each.pattern, each.owner) for each in stated.owners]
    return answers.answer(Owners(policies.state_owners(session, project, rows)))


webhooks = answers.api_router("history", "/projects/{project}/webhooks")


@dataclass(frozen=True, slots=True)
class Webhooks:
    """The webhooks of a project."""

    webhooks: Sequence[Webhook]


class WebhookAddress(schemas.Schema):
    """Whom to tell."""

    author: wire.Name = Field(examples=["ada"])
    url: Annotated[wire.Text, Field(min_length=8, max_length=2000)]


@webhooks.get("", responses=answers.of(Webhooks, 403, 404, 422))
def list_webhooks(session: AdminDep, project: str) -> Response:
    """Return the webhooks of a project; only who administers it sees them."""
    return answers.answer(Webhooks(addresses.webhooks_of(session, project)))


@webhooks.post("", responses=answers.of(NewWebhook, 400, 403, 404, 422, 503))
def add_webhook(
    session: AdminDep, key_file: KeyFileDep, project: str, address: WebhookAddress
) -> Response:
    """Let an address be told what happens to the regressions of a project."""
    return answers.answer(
        addresses.add(session, project, address.url, address.author, key_file)
    )


@webhooks.delete("/{webhook}", status_code=204, responses=problems.of(403, 404, 422))
def remove_webhook(session: AdminDep, project: str, webhook: WebhookId) -> None:
    """Remove a webhook."""
    addresses.remove(session, project, webhook)


@webhooks.post("/{webhook}/test", status_code=202, responses=problems.of(403, 404, 422))
def test_webhook(session: AdminDep, project: str, webhook: WebhookId) -> None:
    """Send a signed delivery that tells of nothing; the list says what came of it."""
    addresses.test(session, project, webhook)
