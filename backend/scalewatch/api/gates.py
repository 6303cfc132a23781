"""The gate: may a commit pass, and by which rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Query, Response
from pydantic import Field

from scalewatch import wire
from scalewatch.api.http import answers, schemas
from scalewatch.services.confirmations import requests
from scalewatch.services.gates import declared_rules, gate
from scalewatch.services.gates import declared_rules as gate_rules
from scalewatch.services.shared_cores import Treatment
from scalewatch.web.queries import ConfirmationId
from scalewatch.web.sessions import AdminDep, AlarmingShareDep, ReadingDep, WritingDep

router = answers.api_router("history", "/projects/{project}/gate")

Share = Annotated[wire.Finite, Field(ge=0)]
Missing = Literal["undecided", "ignore"]
Scale = Annotated[wire.Finite, Field(gt=0, le=1e12)]


class GateRule(schemas.Schema):
    """Findings that stop a commit."""

    mismatch: bool = Field(default=False, description="Scales worse than expected.")
    new_mismatch: bool = Field(default=True, description="And did not before.")
    growth: bool = Field(default=True, description="Surely scales worse than before.")
    constant: Share | None = Field(
        0.0,
        description="A worse constant at unchanged growth, surely by more than this "
        "share, and by 5 % if two commits alone tell; null: never.",
    )
    guideline: bool = Field(
        default=True, description="Breaks a guideline that held before."
    )
    missing: Missing = Field(
        default="undecided",
        description="What follows where a part failed, or is missing beside the "
        "baseline.",
    )


class RegionRule(schemas.Schema):
    """Rules of a region where they differ; others are as for all regions."""

    mismatch: bool = False
    new_mismatch: bool = True
    growth: bool = True
    constant: Share | None = None
    guideline: bool = True
    missing: Missing = "undecided"


class DeclaredRules(GateRule):
    """The rules of all regions, and those of single ones."""

    oversubscribed: Treatment = Field(
        Treatment.UNDECIDED,
        description="Times measured while processes shared cores are left out, and "
        "undecided where too few are left; `accept` judges by all of them.",
    )
    disturbed: Treatment = Field(
        Treatment.UNDECIDED,
        description="Times of jobs of which others took processors are left out "
        "likewise; `accept` judges by all of them.",
    )
    smallest_effect: wire.Finite = Field(
        0.03,
        ge=0.03,
        le=10,
        description="What changes by a smaller share is a drift: it is no regression, "
        "and stops nobody. Below 3 % nothing separates from nights.",
    )
    scale: Literal["p", "nodes", "gpus", "threads"] | None = Field(
        None,
        description="The axis of efficiencies and scaling errors where several vary "
        "together; p, else the first, unless given.",
    )
    regions: dict[wire.Name, RegionRule] = Field({}, max_length=10_000)


class GateDeclaration(schemas.Schema):
    """Rules in place of those before."""

    author: wire.Name = Field(examples=["ada"])
    reason: wire.Text | None = None
    rules: DeclaredRules = DeclaredRules()
    target: dict[wire.Name, Scale] = Field({}, examples=[{"p": 65536}])


@router.get("", responses=answers.of(gate.Gate, 404, 409, 422))
def show_gate(
    session: ReadingDep,
    alarming_share: AlarmingShareDep,
    project: str,
    commit: str,
    baseline: Annotated[
        str | None, Query(description="By default the merge base, or the parent.")
    ] = None,
) -> Response:
    """Return whether a commit may pass; `pending` until all of it is compared."""
    return answers.answer(
        gate.gate_of(session, project, commit, baseline, alarming_share)
    )


@router.get("/rules", responses=answers.of(declared_rules.GateRules, 404, 422))
def show_rules(session: ReadingDep, project: str) -> Response:
    """Return the rules in force."""
    return answers.answer(gate_rules.rules_of(session, project))


@router.put(
    "/rules", responses=answers.of(declared_rules.GateRules, 400, 403, 404, 422)
)
def declare_rules(
    session: AdminDep, project: str, declared: GateDeclaration
) -> Response:
    """State the rules of a project; what is as before keeps its version."""
    rules = declared.rules.model_dump(exclude={"regions"})
    regions = {
        region: rule.model_dump(exclude_unset=True)
        for region, rule in declared.rules.regions.items()
    }
    return answers.answer(
        gate_rules.declare(
            session,
            project,
            {**rules, "regions": regions},
            declared.target,
            author=declared.author,
            reason=declared.reason,
        )
    )


confirmations = answers.api_router("history")


@dataclass(frozen=True, slots=True)
class Confirmations:
    """The confirming runs of a project, newest first."""

    confirmations: Sequence[requests.Confirmation]


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


NOTHING: answers.Responses = {204: {"description": "No run is wanted."}}
PROJECT = "/projects/{project}/confirmations"


@confirmations.get(PROJECT, responses=answers.of(Confirmations, 404, 422))
def list_confirmations(session: ReadingDep, project: str) -> Response:
    """Return the confirming runs of a project, newest first."""
    return answers.answer(Confirmations(requests.confirmations_of(session, project)))


@confirmations.post(
    PROJECT, responses=answers.of(Confirmations, 400, 403, 404, 409, 422)
)
def ask_for_confirmations(
    session: WritingDep, alarming_share: AlarmingShareDep, project: str, doubt: Doubt
) -> Response:
    """Ask for the runs that would settle what the gate suspects of a commit."""
    runs = gate.confirm_suspicions(
        session, project, doubt.commit, doubt.baseline, alarming_share
    )
    return answers.answer(Confirmations(runs))


@confirmations.post(
    "/confirmations/claim",
    responses=NOTHING | answers.of(requests.ClaimedRun, 400, 403, 422),
)
def claim_confirmation(session: WritingDep, offer: Offer) -> Response:
    """Give an agent the oldest run that its machine is asked for."""
    order = requests.claim(session, offer.machine, offer.agent)
    return Response(status_code=204) if order is None else answers.answer(order)


@confirmations.patch(
    # A number: what is sent to `claim` in another way than it takes has no other route.
    "/confirmations/{confirmation:int}",
    responses=answers.of(requests.Confirmation, 400, 403, 404, 409, 422),
)
def report_confirmation(
    session: WritingDep, confirmation: ConfirmationId, progress: Progress
) -> Response:
    """Extend the lease of a run, or say what came of it."""
    if progress.state == "running":
        return answers.answer(requests.extend(session, confirmation, progress.agent))
    return answers.answer(
        requests.finish(
            session,
            confirmation,
            progress.agent,
            requests.ConfirmationState(progress.state),
            progress.outcome or progress.state,
        )
    )
