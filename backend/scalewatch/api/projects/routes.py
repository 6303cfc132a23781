"""Projects: their commits, machines, models and match tables."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Response
from pydantic import StringConstraints

from scalewatch.api.dependencies import ReadingDep
from scalewatch.api.http import schemas
from scalewatch.api.http.answers import answer, answers
from scalewatch.api.projects import schemas as report_schemas
from scalewatch.services.commits.find import measured_commits
from scalewatch.services.machines.machines import machines_of
from scalewatch.services.match_table.table import match_table
from scalewatch.services.projects.home import all_projects
from scalewatch.services.regions.forecasts import target_of
from scalewatch.services.regions.models import models_at
from scalewatch.web.views import ViewDep

SETTING: Final = r"\w+=\d{1,20}(\.\d{0,20})?(e\d{1,2})?"
TARGET: Final = rf"^{SETTING}(,{SETTING})*$"
"""As `target_of` reads it: `p=65536` or `p=65536,n=1e6`."""

router = APIRouter(prefix="/projects", tags=["projects"])


@router.get("", responses=answers(report_schemas.Projects))
def list_projects(session: ReadingDep) -> Response:
    """Return every project at its newest commit, by name."""
    return answer({"projects": all_projects(session)})


@router.get("/{project}/commits", responses=answers(schemas.Commits, 404, 409, 422))
def list_commits(
    session: ReadingDep,
    project: str,
    before: Annotated[
        str | None, Query(description="Only older ones: hash, its beginning, or tag.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Response:
    """Return the commits of a project, newest first, and where they were measured."""
    commits = measured_commits(session, project, before=before, limit=limit)
    last = commits[-1].sha if len(commits) == limit else None
    return answer({"commits": commits, "next": last})


@router.get("/{project}/machines", responses=answers(schemas.Machines, 404, 422))
def list_machines(session: ReadingDep, project: str) -> Response:
    """Return the machines of a project, as their last runs describe them."""
    return answer({"machines": machines_of(session, project)})


@router.get(
    "/{project}/report",  # noqa: FAST003 - the view reads the project
    responses=answers(report_schemas.MatchTable, 404, 409, 422),
)
def show_report(
    session: ReadingDep,
    view: ViewDep,
    machines: Annotated[
        list[str] | None, Query(description="Columns, in this order.")
    ] = None,
    vs: Annotated[
        str | None, Query(description="A commit that cells are compared with.")
    ] = None,
) -> Response:
    """Return the match table of a commit: regions × machines, worst first.

    The metric `*` asks for the rows of all metrics.
    """
    return answer(match_table(session, view, vs=vs or None).of_machines(machines or ()))


@router.get(
    "/{project}/models",  # noqa: FAST003 - the view reads the project
    responses=answers(schemas.CommitModels, 404, 409, 422),
)
def list_models(
    session: ReadingDep,
    view: ViewDep,
    region: Annotated[str | None, Query(description="All unless given.")] = None,
    target: Annotated[
        list[Annotated[str, StringConstraints(pattern=TARGET)]] | None,
        Query(
            description="Where forecasts with 90 % intervals are wanted.",
            examples=[["p=65536"]],
        ),
    ] = None,
) -> Response:
    """Return the models of a commit, of all metrics unless one is named."""
    targets = [target_of(text) for text in target or ()]
    return answer(models_at(session, view, region, targets))
