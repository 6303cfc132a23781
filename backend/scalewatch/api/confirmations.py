"""Confirming runs: suspicions ask for them, agents of the machines make them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from fastapi import Response
from pydantic import Field

from scalewatch import wire
from scalewatch.api.http import schemas
from scalewatch.api.http.answers import Responses, answer, answers
from scalewatch.api.http.routers import api_router
from scalewatch.services.confirmations import agents, requests
from scalewatch.services.confirmations.agents import ClaimedRun
from scalewatch.services.confirmations.requests import Confirmation, ConfirmationState
from scalewatch.services.gates import confirmations as suspicions
from scalewatch.web.queries import ConfirmationId
from scalewatch.web.sessions import ReadingDep, WritingDep

router = api_router("history")


@dataclass(frozen=True, slots=True)
class Confirmations:
    """The confirming runs of a project, newest first."""

    confirmations: Sequence[Confirmation]


class Offer(schemas.Schema):
    """An agent that can measure on a machine."""

    machine: wire.Name = Field(examples=["jureca"])
    agent: wire.Name = Field(examples=["jureca-login1-4711"])


class Progress(schemas.Schema):
    """How far an agent is; what is over says what came of it."""

    agent: wire.Name
    state: Literal["running", "done", "failed"]
    outcome: wire.Text = Field("", examples=["5 runs posted"])


class Doubt(schemas.Schema):
    """A commit that the gate suspects."""

    commit: wire.Name = Field(examples=["3f2a91c"])
    baseline: wire.Name | None = None


NOTHING: Responses = {204: {"description": "No run is wanted."}}
PROJECT = "/projects/{project}/confirmations"


@router.get(PROJECT, responses=answers(Confirmations, 404, 422))
def list_confirmations(session: ReadingDep, project: str) -> Response:
    """Return the confirming runs of a project, newest first."""
    found = requests.confirmations_of(session, project)
    return answer(Confirmations(found))


@router.post(PROJECT, responses=answers(Confirmations, 400, 403, 404, 409, 422))
def ask_for_confirmations(session: WritingDep, project: str, doubt: Doubt) -> Response:
    """Ask for the runs that would settle what the gate suspects of a commit."""
    found = suspicions.ask_about(session, project, doubt.commit, doubt.baseline)
    return answer(Confirmations(found))


@router.post(
    "/confirmations/claim",
    responses=NOTHING | answers(ClaimedRun, 400, 403, 422),
)
def claim_confirmation(session: WritingDep, offer: Offer) -> Response:
    """Give an agent the oldest run that its machine is asked for."""
    order = agents.claim(session, offer.machine, offer.agent)
    return Response(status_code=204) if order is None else answer(order)


@router.patch(
    "/confirmations/{confirmation}",
    responses=answers(Confirmation, 400, 403, 404, 409, 422),
)
def report_confirmation(
    session: WritingDep, confirmation: ConfirmationId, progress: Progress
) -> Response:
    """Extend the lease of a run, or say what came of it."""
    if progress.state == "running":
        return answer(agents.extend(session, confirmation, progress.agent))
    return answer(
        agents.finish(
            session,
            confirmation,
            progress.agent,
            ConfirmationState(progress.state),
            progress.outcome or progress.state,
        )
    )
