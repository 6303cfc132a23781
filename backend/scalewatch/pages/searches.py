"""The search: a page that works without scripts, and what the palette asks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from fastapi import APIRouter, Query, Request, Response

from scalewatch.exporters.listing import Columns, Listing
from scalewatch.pages.rendering import navigation
from scalewatch.pages.rendering.addresses import path_to
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.templates import render
from scalewatch.services.commits.find import label_of
from scalewatch.services.searches import Found, everything, search, search_commits
from scalewatch.web.sessions import ReadingDep

LONGEST: Final = 200
COMMITS: Final = "Commits"

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found: its name, what tells it from others, and its path."""

    kind: str
    name: str
    detail: str
    path: str

    @property
    def is_commit(self) -> bool:
        """Whether it is the page of a commit."""
        return self.kind == COMMITS


@router.get("/search", name="search")
def show_search(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: ReadingDep,
    q: Annotated[str, Query(max_length=LONGEST)] = "",
    project: Annotated[str, Query(max_length=LONGEST)] = "",
    only: Literal["commits"] | None = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show what contains all words: pages, regions, machines, commits, regressions."""
    look_for = search if only is None else search_commits
    is_frozen = navigation.is_frozen(request)
    matches = (
        everything(session) if is_frozen else look_for(session, q, project or None)
    )
    hits = [
        each for each in hits_of(request, matches) if only is None or each.is_commit
    ]
    if wanted is not Format.HTML:
        return download(wanted, "search", hits, hits_listing)
    groups: dict[str, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(hit.kind, []).append(hit)
    return render(
        request, "searches/show.html", found=matches, groups=groups, longest=LONGEST
    )


def hits_of(request: Request, result: Found) -> Iterator[Hit]:
    """Yield the pages of what was found, by kind; those whose names hold all words."""
    words = [word.lower() for word in result.words]
    is_frozen = navigation.is_frozen(request)
    links = [
        (link, project)
        for project in (result.projects if is_frozen else [result.project])
        if project
        for link in navigation.pages_of(request, project)
    ]
    links += [(link, "server") for link in navigation.pages_of(request, None)]
    for link, place in links:
        named = f"{link.within} {link.name}".lower()
        if (words or is_frozen) and all(word in named for word in words):
            yield Hit("Pages", link.name, place, link.path)
    for name in result.projects:
        path = path_to(request, "report", project=name)
        yield Hit("Projects", name, "", path)
    for kind, route, matches in (
        ("Regions", "region", result.regions),
        ("Machines", "machine", result.machines),
    ):
        for match in matches:
            names = {"project": match.project, route: match.name}
            path = path_to(request, route, None, **names)
            yield Hit(kind, match.name, _place(result, match.project), path)
    for commit in result.commits:
        label = label_of(commit.sha, commit.tag)
        path = path_to(request, "commit-report", project=commit.project, sha=label)
        subject = (commit.message or "").strip().partition("\n")[0]
        parts = [f"{commit.made_at:%Y-%m-%d}", subject, _place(result, commit.project)]
        detail = " · ".join(part for part in parts if part and part != label)
        yield Hit(COMMITS, label, detail, path)
    for cause in result.regressions:
        path = path_to(
            request, "regression", project=cause.project, number=str(cause.id)
        )
        parts = [cause.state, cause.sentence, _place(result, cause.project)]
        detail = " · ".join(filter(None, parts))
        yield Hit("Regressions", f"#{cause.id} {cause.region}", detail, path)


def _place(result: Found, project: str) -> str:
    """Name the project of a match, where several were searched."""
    return "" if result.project == project else project


def hits_listing(hits: list[Hit]) -> Listing:
    """Return what was found, one line each."""
    return Columns[Hit](
        {
            "kind": lambda hit: hit.kind,
            "name": lambda hit: hit.name,
            "detail": lambda hit: hit.detail,
            "path": lambda hit: hit.path,
        }
    ).listing(zip(hits))
