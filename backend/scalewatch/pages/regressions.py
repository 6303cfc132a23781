"""The pages of regressions: all of a project, and the evidence of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup
from sqlalchemy.orm import Session

from scalewatch.exporters.listing import Columns, Listing
from scalewatch.modelling.growths.parse import parse_growth
from scalewatch.modelling.growths.verdict import Mark, Verdict
from scalewatch.pages.histories.charts import FEWEST_COMMITS
from scalewatch.pages.rendering import navigation, plots, templates
from scalewatch.pages.rendering.addresses import Query as Stated
from scalewatch.pages.rendering.addresses import address_of, path_to
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording.formats import assignments, plural
from scalewatch.pages.wording.intervals import bounded_words, factor_words
from scalewatch.pages.wording.mathematics import stated, stated_order
from scalewatch.services.access.callers import Role, caller_of, may
from scalewatch.services.commits.forges import forge_of
from scalewatch.services.regressions import evidence, triage
from scalewatch.services.regressions.by_commit import CommitEffects, by_commit
from scalewatch.services.regressions.regressions import (
    SETTABLE,
    Finding,
    Member,
    Regression,
    RegressionName,
    RegressionState,
    names_of,
    regression_named,
    regression_of,
    regressions_of,
)
from scalewatch.storage.histories.regressions import ShiftDetails
from scalewatch.web import queries, sessions
from scalewatch.web.protection.origins import Form, FormDep

RERUN: Final = "rerun"
"""The action that is no state: to measure once more."""

TREATED: Final = (RegressionState.OPEN, RegressionState.ACKNOWLEDGED)
"""States of regressions that somebody is to look at: the others are folded."""

LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""Moment of a feed that has no entries."""

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/regressions", name="regressions")
def show_regressions(
    request: Request,
    session: sessions.ReadingDep,
    project: str,
    state: Annotated[list[RegressionState] | None, Query()] = None,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show one line per cause, the worst first."""
    listed = regressions_of(session, project, state or ())
    if wanted is not Format.HTML:
        return download(
            wanted,
            f"{project}-regressions",
            listed,
            lambda listed: causes(listed.regressions),
            lambda listed: overview(listed.regressions),
        )
    ordered = sorted(listed.regressions, key=lambda cause: cause.urgency)
    unfolded = {*TREATED, *(state or ())}
    folded = {
        str(kind): [cause for cause in ordered if cause.state is kind]
        for kind in RegressionState
        if kind not in unfolded
    }
    return templates.render(
        request,
        "regressions/show.html",
        found=listed,
        shown=[cause for cause in ordered if cause.state in unfolded],
        commits=by_commit(ordered),
        factor_of=factor_of,
        folded={name: causes for name, causes in folded.items() if causes},
        headline=headline,
        fewest_commits=FEWEST_COMMITS,
        is_short=listed.detection and listed.detection["commits"] < FEWEST_COMMITS,
        states=list(RegressionState),
        may_treat=_may_treat(request, session, listed.project),
        me=caller_of(session).name,
        paths=paths_of(request, session, listed.regressions),
        query={"state": [str(each) for each in state or ()]},
    )


@router.get("/p/{project}/regressions/{number}", name="regression")
def show_numbered(  # noqa: PLR0913, PLR0917 - one per part of the address
    request: Request,
    session: sessions.ReadingDep,
    project: str,
    number: queries.RegressionId,
    series: Annotated[int, Query(ge=0)] = 0,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Redirect to the address of a regression that names what it is about.

    A regression that no name tells from others, or that lost its series, is shown.
    """
    cause = regression_of(session, project, number)
    if names_of(session, [cause]):
        kept = {key: request.query_params.getlist(key) for key in request.query_params}
        path = paths_of(request, session, [cause], kept)[number]
        return RedirectResponse(path, 307)
    return _show(request, session, cause, series, wanted)


@router.get("/p/{project}/regressions/{commit}/{kind}/{region}", name="cause")
def show_regression(  # noqa: PLR0913, PLR0917 - one per part of the address
    request: Request,
    session: sessions.ReadingDep,
    project: str,
    commit: str,
    kind: str,
    region: str,
    machine: str | None = None,
    series: Annotated[int, Query(ge=0)] = 0,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show one cause: its evidence, all series that it changed, and what was done."""
    name = RegressionName(commit, kind, region, machine or None)
    cause = regression_named(session, project, name)
    return _show(request, session, cause, series, wanted)


def paths_of(
    request: Request,
    session: Session,
    listed: Sequence[Regression],
    query: Stated | None = None,
) -> dict[int, str]:
    """Return the paths of the pages of regressions, by their numbers.

    They name the content of a regression; its number where nothing else tells it apart.
    """
    names = names_of(session, listed)
    return {
        cause.id: path_to(
            request,
            "cause",
            {**(query or {}), "machine": name.machine},
            project=cause.project,
            commit=name.commit,
            kind=name.kind,
            region=name.region,
        )
        if (name := names.get(cause.id))
        else path_to(
            request, "regression", query, project=cause.project, number=str(cause.id)
        )
        for cause in listed
    }


def _show(
    request: Request,
    session: Session,
    cause: Regression,
    series: int,
    wanted: Format,
) -> Response:
    project, number = cause.project, cause.id
    if wanted is not Format.HTML:
        return download(
            wanted,
            f"{project}-regression-{number}",
            cause,
            lambda cause: causes([cause]),
            lambda cause: overview([cause]),
        )
    place = min(series, max(len(cause.members) - 1, 0))
    query = {"project": project, "regression": str(number), "series": str(place)}
    return templates.render(
        request,
        "regressions/one.html",
        project=project,
        each=cause,
        place=place,
        plots={
            name: plots.Plot(path_to(request, "regression-figure", query, figure=name))
            for name in evidence.figures_of(cause)
        },
        forge=forge_of(session, project),
        headline=headline(cause),
        bounded_words=bounded_words,
        verdict_words=verdict_words,
        settable=SETTABLE,
        may_treat=_may_treat(request, session, project),
        paths=paths_of(request, session, [cause]),
        query={},
    )


def _may_treat(request: Request, session: sessions.ReadingDep, project: str) -> bool:
    """Tell whether a reader of a page may decide on regressions there."""
    return not navigation.is_frozen(request) and may(session, Role.ADMIN, project)


@router.post("/p/{project}/regressions", name="treat-regressions")
def treat_regressions(
    request: Request, session: sessions.AdminDep, project: str, form: FormDep
) -> Response:
    """Give all regressions that were ticked a state, or ask for runs of them."""
    treat_ticked(session, form, project)
    return RedirectResponse(path_to(request, "regressions", project=project), 303)


@router.post("/p/{project}/regressions/{number}", name="treat-regression")
def treat_regression(
    request: Request,
    session: sessions.AdminDep,
    project: str,
    number: queries.RegressionId,
    form: FormDep,
) -> Response:
    """Give a regression a state, an owner, a note or a link, or ask for a run."""
    _treat(session, [number], form, project)
    path = path_to(request, "regression", project=project, number=str(number))
    return RedirectResponse(path, 303)


def treat_ticked(session: Session, form: Form, project: str | None = None) -> None:
    """Treat the regressions that a form names as it says, of any projects or of one."""
    numbers = [int(each) for each in form.texts("regression") if each.isdecimal()]
    _treat(session, numbers, form, project)


def _treat(
    session: Session, numbers: Sequence[int], form: Form, project: str | None
) -> None:
    state = form.text("state")
    said = triage.Triage(
        state=RegressionState(state) if state in set(SETTABLE) else None,
        owner=form.text("owner")
        or (caller_of(session).name if form.has("assign") else None),
        note=form.text("note"),
        link=form.text("link"),
    )
    is_rerun = state == RERUN
    triage.treat_all(session, numbers, said, project=project, is_rerun=is_rerun)


@dataclass(frozen=True, slots=True)
class Headline:
    """The line of a regression in the list.

    Parameters
    ----------
    growth
        The growth before and after, or the one that stayed; None where not known.
    factor
        How much worse or better its worst series became, and at which scale.
    where
        On which machines.
    """

    growth: Markup | None
    factor: str
    where: str


def headline(cause: Regression) -> Headline | None:
    """Return the line of a regression; None where no series of it is left."""
    machines = cause.machines
    if not machines:
        return None
    finding = cause.finding
    return Headline(
        growth=growth_words(cause),
        factor=finding.words if finding else factor_of(cause.worst),
        where=machines[0]
        if len(machines) == 1
        else f"{plural(len(machines), 'machine')}, worst on {machines[0]}",
    )


def factor_of(member: Member) -> str:
    """Write by which factor a series changed, and where, unless it has one setting."""
    details = member.details
    return factor_words(details.largest_factor, member.metric, details.largest)


def growth_words(cause: Regression) -> Markup | None:
    """Write the growth of the worst series before and after, None if not known."""
    if cause.finding is not None:
        growth, expectation = cause.finding.growth, cause.finding.expectation
        if growth is None or expectation is None:
            return None
        words = Markup("{} instead of {}")
        return words.format(stated_order(growth), stated_order(expectation))
    details = cause.worst.details
    before, after = details.growth_before, details.growth_after
    if details.has_one_setting or before is None or after is None:
        return None
    if before == after:
        return Markup("{} as before").format(stated_order(after))
    return Markup("{} → {}").format(stated_order(before), stated_order(after))


def verdict_words(details: ShiftDetails) -> str:
    """Write the verdicts before and after: `match → better` is no fault.

    Empty where nothing was expected.
    """
    marks = (
        _mark(details.verdict_before, details.growth_before, details.expectation),
        _mark(details.verdict_after, details.growth_after, details.expectation),
    )
    return "" if marks[1] is None else f"{marks[0] or 'none'} → {marks[1]}"


def _mark(
    verdict: Verdict | None, growth: str | None, expectation: str | None
) -> Mark | None:
    if verdict is None:
        return None
    if growth is None or expectation is None:
        return Mark.of_divergence(verdict, None)
    return Mark.of_divergence(verdict, parse_growth(growth) / parse_growth(expectation))


def causes(regressions: Sequence[Regression]) -> Listing:
    """Return regressions with one line per series; a finding is about one."""
    return Columns[Regression, Member | Finding, ShiftDetails | None](
        {
            "project": lambda cause, *_: cause.project,
            "regression": lambda cause, *_: cause.id,
            "state": lambda cause, *_: cause.state,
            "kind": lambda cause, *_: cause.kind,
            "worse": lambda cause, *_: cause.is_worse,
            "sure": lambda cause, *_: cause.is_sure,
            "first": lambda cause, *_: cause.first.label,
            "last": lambda cause, *_: cause.last.label,
            "author": lambda cause, *_: (
                cause.last.author if cause.first.sha == cause.last.sha else None
            ),
            "region": lambda _, series, __: series.region,
            "metric": lambda _, series, __: series.metric,
            "machine": lambda _, series, __: series.machine,
            "configuration": lambda _, series, __: assignments(series.configuration),
            "finding": lambda cause, *_: cause.finding and cause.finding.words,
            "growth_before": lambda _, __, details: (
                details and stated(details.growth_before)
            ),
            "growth_after": lambda _, __, details: (
                details and stated(details.growth_after)
            ),
            "factor": lambda cause, _, details: (
                details.largest_factor
                if details
                else cause.finding and cause.finding.factor
            ),
            "factor_at_target": lambda _, __, details: (
                details and details.at_target and details.at_target.value
            ),
            "q_value": lambda _, __, details: details and details.q_value,
            "suspect": lambda cause, *_: cause.suspect,
            "owner": lambda cause, *_: cause.owner,
        }
    ).listing(
        (cause, series, getattr(series, "details", None))
        for cause in regressions
        for series in (cause.members or filter(None, [cause.finding]))
    )


def overview(regressions: Sequence[Regression]) -> Listing:
    """Return regressions with one line per series, as pages show them."""
    return causes(regressions).with_columns(
        {
            "project": "Project",
            "regression": "Regression",
            "state": "State",
            "kind": "Kind",
            "last": "Commit",
            "region": "Region",
            "metric": "Metric",
            "machine": "Machine",
            "growth_before": "Before",
            "growth_after": "After",
            "factor": "Factor",
            "owner": "Owner",
        }
    )


def feed(  # noqa: PLR0913, PLR0917 - parts of a feed
    request: Request,
    session: Session,
    title: str,
    page: str,
    route: str,
    entries: Sequence[CommitEffects | Regression],
    query: Stated | None = None,
    **names: str,
) -> Response:
    """Return regressions, and commits with several, as an Atom feed.

    Parameters
    ----------
    page, route
        Routes of the page that shows the same, and of the feed.
    """
    paths = paths_of(
        request, session, [each for each in entries if isinstance(each, Regression)]
    )
    content = templates.TEMPLATES.get_template("live/regressions.atom").render(
        request=request,
        title=title,
        home=address_of(request, path_to(request, page, query, **names)),
        own=address_of(request, path_to(request, route, query, **names)),
        page_of=lambda cause: address_of(
            request, path_to(request, "regressions", project=cause.project)
        ),
        path_of=lambda cause: address_of(request, paths[cause.id]),
        updated=entries[0].changed_at if entries else LONG_AGO,
        entries=entries,
    )
    return Response(content, media_type="application/atom+xml")
