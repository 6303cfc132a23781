"""The home page: every project at its newest commit."""

from collections.abc import Callable, Iterable
from functools import partial

from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from scalewatch.pages.projects_timelines import strip_of
from scalewatch.pages.projects_visits import Visit, news_sentence
from scalewatch.pages.rendering import listings
from scalewatch.pages.rendering.delay import DELAY
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.templates import Query, path_to, render
from scalewatch.pages.wording.formats import percent, stated
from scalewatch.pages.wording.growths import like
from scalewatch.pages.wording.mathematics import growth
from scalewatch.pages.wording.sentences import WORSE, verdict_lead
from scalewatch.services.machines.machines import all_origins
from scalewatch.services.match_table.cells import MatchRow
from scalewatch.services.projects.home import (
    HomeMap,
    Project,
    SeriesOfConcern,
    all_projects,
    home_map,
)
from scalewatch.services.projects.timeline import timeline
from scalewatch.services.projects.visits import news_since
from scalewatch.web.sessions import ReadingDep

router = APIRouter(include_in_schema=False, dependencies=DELAY)


def concern_words(concern: SeriesOfConcern) -> Markup:
    """Say how a series that scales worse than expected does scale."""
    standing = concern.standing
    told = Markup("{} grows {}, {} than promised").format(
        concern.metric, like(standing), WORSE[standing.direction]
    )
    if not standing.is_open:
        told += Markup(": divergence {}").format(growth(standing.divergence))
    if standing.probability is not None:
        told += f", probability {percent(standing.probability)}"
    return told


@router.get("/", name="home")
def show_projects(
    request: Request, session: ReadingDep, wanted: FormatQuery = Format.HTML
) -> Response:
    """Show all projects, or how to bring the first one."""
    projects = all_projects(session)
    if wanted is not Format.HTML:
        return download(wanted, "projects", projects, listings.projects)
    visit = Visit.of(request)
    answer = render(
        request,
        "projects/index.html",
        projects=projects,
        origins_by_project=all_origins(session),
        concern_words=concern_words,
        maps={project.name: home_map(session, project.name) for project in projects},
        timelines={each.name: timeline(session, each.name) for each in projects},
        strip_of=partial(strip_of, request),
        news=_news(request, session, projects, visit),
        region_path_of=partial(_region_path_of, request),
        verdict_lead=verdict_lead,
        server=str(request.base_url).rstrip("/"),
    )
    visit.note(request, answer)
    return answer


def _news(
    request: Request, session: ReadingDep, projects: Iterable[Project], visit: Visit
) -> dict[str, Markup]:
    """Say what is new in each project since the last visit, if there was one."""
    if visit.before is None:
        return {}
    return {
        each.name: news_sentence(
            request, each.name, news_since(session, each.name, visit.before)
        )
        for each in projects
    }


def _region_path_of(
    request: Request, project: str, shown: HomeMap
) -> Callable[[MatchRow], str]:
    """Return what gives the address of the region of a row."""

    def region_path(row: MatchRow) -> str:
        query: Query = {
            "commit": shown.commit,
            "metric": row.metric,
            "configuration": stated(row.configuration),
        }
        return path_to(request, "region", query, project=project, region=row.region)

    return region_path
