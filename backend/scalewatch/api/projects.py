"""Projects: their commits, machines, models and match tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from fastapi import Query, Request, Response
from pydantic import StringConstraints

from scalewatch.api.bulk import BulkFormat, Cursor, accepted, read_models
from scalewatch.api.http import answers
from scalewatch.services.commits.find import MeasuredCommit, measured_commits
from scalewatch.services.machines.machine import Machine, machines_of
from scalewatch.services.match_table.table import MatchTable, RowChoice, match_table
from scalewatch.services.projects.home import Project, all_projects
from scalewatch.services.regions import models, outlook
from scalewatch.web import queries, sessions

SETTING: Final = r"\w+=\d{1,20}(\.\d{0,20})?(e\d{1,2})?"
TARGET: Final = rf"^{SETTING}(,{SETTING})*$"
"""As `target_of` reads it: `p=65536` or `p=65536,n=1e6`."""

router = answers.api_router("projects", "/projects")


@dataclass(frozen=True, slots=True)
class Projects:
    """All projects by name."""

    projects: Sequence[Project]


@dataclass(frozen=True, slots=True)
class Commits:
    """A page of commits, newest first.

    Parameters
    ----------
    next
        `before` of the next page, if there is one.
    """

    commits: Sequence[MeasuredCommit]
    next: str | None


@dataclass(frozen=True, slots=True)
class Machines:
    """The machines of a project, in the order in which they appeared."""

    machines: Sequence[Machine]


@router.get("", responses=answers.of(Projects))
def list_projects(session: sessions.ReadingDep) -> Response:
    """Return every project at its newest commit, by name."""
    return answers.answer(Projects(all_projects(session)))


@router.get("/{project}/commits", responses=answers.of(Commits, 404, 409, 422))
def list_commits(
    session: sessions.ReadingDep,
    project: str,
    before: Annotated[
        str | None, Query(description="Only older ones: hash, its beginning, or tag.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """Return the commits of a project, newest first, and where they were measured."""
    commits = measured_commits(session, project, before=before, limit=limit)
    last = commits[-1].sha if len(commits) == limit else None
    return answers.answer(Commits(commits, last))


@router.get("/{project}/machines", responses=answers.of(Machines, 404, 422))
def list_machines(session: sessions.ReadingDep, project: str) -> Response:
    """Return the machines of a project, as their last runs describe them."""
    return answers.answer(Machines(machines_of(session, project)))


@router.get("/{project}/report", responses=answers.of(MatchTable, 404, 409, 422))
def show_report(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    machines: Annotated[
        list[str] | None, Query(description="Columns, in this order.")
    ] = None,
    vs: Annotated[
        str | None, Query(description="A commit that cells are compared with.")
    ] = None,
    cursor: Annotated[
        str | None, Query(description="The `next` of the page before.")
    ] = None,
) -> Response:
    """Return the match table of a commit: regions × machines, worst first.

    The metric `*` asks for the rows of all metrics. A table of more than 1,600 cells
    comes in pages.
    """
    table = match_table(session, view, vs=vs or None, choice=RowChoice(cursor=cursor))
    return answers.answer(table.of_machines(machines or ()))


@router.get(
    "/{project}/models",
    responses=answers.of(models.CommitModels, 404, 406, 409, 422, 501),
)
def list_models(  # noqa: PLR0913, PLR0917 - one per parameter of the query
    request: Request,
    door: sessions.DoorDep,
    view: queries.ViewDep,
    region: Annotated[str | None, Query(description="All unless given.")] = None,
    target: Annotated[
        list[Annotated[str, StringConstraints(pattern=TARGET)]] | None,
        Query(
            description="Where forecasts with 90 % intervals are wanted.",
            examples=[["p=65536"]],
        ),
    ] = None,
    wanted: Annotated[
        BulkFormat | Literal["json"] | None,
        Query(alias="format", description="Rows instead of JSON; or by Accept."),
    ] = None,
    cursor: Cursor = None,
) -> Response:
    """Return the models of a commit, of all metrics unless one is named.

    As rows also those of all commits, which are called `*`, newest first. Of a
    commit of very many series JSON has some regions, and the cursor of the next.
    """
    kind = wanted or accepted(request.headers.get("accept", ""))
    if isinstance(kind, BulkFormat):
        return read_models(door, view, region, kind, cursor)
    targets = [outlook.target_of(text) for text in target or ()]
    with door.reading() as session:
        return answers.answer(models.models_at(session, view, region, targets, cursor))
