"""The scaling section of a proposal about a region, as a server knows it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport
from scalewatch.errors.operations import pip_install
from scalewatch.services.efficiencies import wording
from scalewatch.services.papers import folder
from scalewatch.services.papers.proposal import (
    UNDECIDED,
    Production,
    ProposalTerms,
    proposal_of,
    shown_forecasts,
    unknown_size,
)
from scalewatch.services.regions.efficiency import EfficiencyQuestion, efficiency_at
from scalewatch.services.selection.view import View


@dataclass(frozen=True, slots=True)
class ProposalQuestion:
    """The section that is asked for, beside the efficiency that it is about.

    Parameters
    ----------
    forms
        Of `folder.BASE` and `folder.EXTRA`; all that can be written unless given.
    largest
        The machine's largest job; no forecast is beyond it.
    """

    terms: ProposalTerms
    forms: Sequence[str] = ()
    largest: float | None = None
    has_forecasts: bool = True


def region_folder(
    session: Session,
    view: View,
    region: str | None,
    efficiency: EfficiencyQuestion,
    question: ProposalQuestion,
) -> tuple[str, dict[str, bytes]]:
    """Return the name of a section and its files, about a region on a machine.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit, the region or the machine is unknown.
    InvalidReport
        If there is nothing to report, or a form needs a package that is not here.
    """
    absent = folder.lacking()
    if lost := [form for form in question.forms if form in absent]:
        remedy = f"the server lacks {pip_install('report')}"
        raise InvalidReport([("format", f"{', '.join(lost)}: {remedy}")])
    shown = efficiency_at(session, view, region, efficiency)
    scaled = shown.chosen
    if scaled is None:
        reason = "its runs vary no number of nodes, GPUs, processes or threads"
        raise InvalidReport(
            [("region", f"nothing to report of {shown.region}: {reason}")]
        )
    doubts = {each.doubt for each in scaled.questions}
    if scaled.scaling is None or UNDECIDED & doubts:
        sentences = wording.questions(scaled) or ["it was measured at one size only"]
        raise InvalidReport([("region", " ".join(sentences))])
    terms = question.terms
    if not terms.plan and efficiency.runs:
        planned = Production(
            "Production",
            round(efficiency.runs),
            efficiency.at,
            efficiency.length or 1.0,
        )
        terms = replace(terms, plan=(planned,))
    scaled = shown_forecasts(scaled, question.largest, has_any=question.has_forecasts)
    if unknown := unknown_size(scaled, terms.plan):
        raise InvalidReport([("plan", unknown)])
    terms = replace(terms, machine=terms.machine or shown.machine)
    forms = question.forms or (*folder.BASE, *folder.EXTRA)
    written = folder.folder_of(
        proposal_of(scaled, terms),
        [form for form in forms if form not in absent],
        {f"{shown.project} {shown.commit.sha} {shown.machine} {shown.region}": None},
    )
    return f"{shown.region}-{shown.commit.label}-scaling", written
