"""The scaling section of a proposal about a region, as a server knows it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport
from scalewatch.errors.operations import pip_install
from scalewatch.services.papers import folder
from scalewatch.services.papers.proposal import (
    Production,
    ProposalTerms,
    proposal_of,
    undecided,
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
    """

    terms: ProposalTerms
    forms: Sequence[str] = ()


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
    if reasons := undecided(scaled):
        raise InvalidReport([("region", " ".join(reasons))])
    terms = question.terms
    if not terms.plan and efficiency.runs:
        planned = Production(
            "Production",
            round(efficiency.runs),
            efficiency.at,
            efficiency.length or 1.0,
        )
        terms = replace(terms, plan=(planned,))
    terms = replace(terms, machine=terms.machine or shown.machine)
    forms = question.forms or (*folder.BASE, *folder.EXTRA)
    written = folder.folder_of(
        proposal_of({shown.region: scaled}, terms),
        [form for form in forms if form not in absent],
        {f"{shown.project} {shown.commit.sha} {shown.machine} {shown.region}": None},
    )
    return f"{shown.region}-{shown.commit.label}-scaling", written
