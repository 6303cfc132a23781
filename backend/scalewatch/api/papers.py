"""Documents about a region: the scaling section of a proposal, as a ZIP archive."""

from typing import Annotated
from urllib.parse import quote

from fastapi import Depends, Query, Response
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from scalewatch.api.http import answers, problems
from scalewatch.errors import InvalidReport, UnknownChoice
from scalewatch.services.papers.folder import (
    BASE,
    EXTRA,
    ProposalQuestion,
    region_folder,
    zipped,
)
from scalewatch.services.papers.proposal import Production, ProposalTerms, charge_of
from scalewatch.web.queries import (
    EfficiencyQuestionDep,
    Positive,
    Scale,
    Text,
    ViewDep,
    positive,
)
from scalewatch.web.sessions import ReadingDep

router = answers.api_router("efficiency", "/projects/{project}")

Word = Annotated[str, Field("", max_length=1000)]


PLAN = TypeAdapter(list[Production])
"""Production runs: objects with name, runs, and size, length, period where known."""


class ProposalQuery(BaseModel):
    """?format=tex,pdf&code=NEKO&case=a jet&charge=core-h=128&paper=letter."""

    format: Text = Field(
        None,
        description="Of pdf, docx, figures, tex, md, csv and json; all unless given.",
        examples=["tex,pdf"],
    )
    code: Word
    version: Word
    case: Word
    base_reason: Word
    doubling: Annotated[Positive, positive("speed-up per doubling")] = Field(
        None, description="Asked for in place of an efficiency.", examples=[1.5]
    )
    charge: Text = Field(
        None, description="What is charged.", examples=["core-h = 24 * gpu-h"]
    )
    plan: Text = Field(
        None, description="Production runs, as a JSON array; or `runs` of one kind."
    )
    largest: Scale = Field(None, description="The machine's largest job.")
    forecast: Annotated[bool, Field(description="Whether forecasts are printed.")] = (
        True
    )
    paper: Annotated[str, Field("a4", pattern="^(a4|letter)$")]


async def proposal_question(
    query: Annotated[ProposalQuery, Query()],
) -> ProposalQuestion:
    """Read which section an address asks for."""
    forms = tuple(query.format.split(",")) if query.format else ()
    for form in forms:
        if form not in {*BASE, *EXTRA}:
            raise UnknownChoice("format", form, (*EXTRA, *BASE))
    try:
        plan = PLAN.validate_json(query.plan or "[]")
    except ValidationError as error:
        faults = [("plan", first["msg"]) for first in error.errors()[:1]]
        raise InvalidReport(faults) from None
    charge = charge_of(query.charge or "")
    if query.charge and charge is None:
        raise UnknownChoice("charge", query.charge, ("core-h = 24 * gpu-h",))
    terms = query.model_dump(include={"code", "version", "case", "base_reason"})
    return ProposalQuestion(
        ProposalTerms(
            **terms,
            plan=tuple(plan),
            doubling=query.doubling,
            charge=charge,
            has_forecasts=query.forecast,
            largest=query.largest,
            paper=query.paper,
        ),
        forms,
    )


@router.get(
    "/proposal",
    response_class=Response,
    responses={
        200: {"content": {"application/zip": {}}, "description": "The folder."},
        **problems.of(404, 409, 422),
    },
)
def show_proposal(
    session: ReadingDep,
    view: ViewDep,
    efficiency: EfficiencyQuestionDep,
    question: Annotated[ProposalQuestion, Depends(proposal_question)],
    region: Annotated[
        str | None, Query(description="The most telling unless given.")
    ] = None,
) -> Response:
    """Return the scaling section of a proposal about a region, as a ZIP archive.

    It holds what `scalewatch report --for proposal` writes.
    """
    name, files = region_folder(session, view, region, efficiency, question)
    disposition = f"attachment; filename*=UTF-8''{quote(name, safe='')}.zip"
    return Response(
        zipped(files),
        media_type="application/zip",
        headers={"Content-Disposition": disposition},
    )
