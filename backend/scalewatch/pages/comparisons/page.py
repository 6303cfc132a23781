"""Machines or commits side by side: `/p/{project}/compare/{a}...{b}`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Final
from urllib.parse import quote, unquote

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.orm import Session

from scalewatch.exporters.listing import Columns, Listing
from scalewatch.pages.comparisons import pictures, sentences
from scalewatch.pages.rendering import navigation, plots, templates
from scalewatch.pages.rendering.addresses import Query as AddressQuery
from scalewatch.pages.rendering.addresses import path_to, stated_view
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording.formats import assignments, settings, stated
from scalewatch.pages.wording.mathematics import found_order
from scalewatch.pages.wording.sentences import SYMBOLS
from scalewatch.services.comparisons import compare, figures, values, winners
from scalewatch.services.comparisons.ratios import (
    MOST_RATIOS,
    RowRatios,
    noise_of_sides,
    ratios_of,
)
from scalewatch.services.comparisons.winners import matrix_of
from scalewatch.services.selection.pages import part_of
from scalewatch.services.selection.view import View
from scalewatch.services.series.scans import Scan
from scalewatch.texts.numbers import significant
from scalewatch.web import queries
from scalewatch.web.protection.headers import FOR_ONE
from scalewatch.web.sessions import ReadingDep

MOST_ROWS: Final = MOST_RATIOS
"""Rows of a page; the downloads hold all."""

COOKIE: Final = "compared"
"""Remembers the machines of a project that a reader compared last."""

YEAR: Final = 31_536_000

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@router.get("/p/{project}/compare", name="comparisons")
def choose_sides(
    request: Request,
    session: ReadingDep,
    project: str,
    side: Annotated[list[str] | None, Query()] = None,
    *,
    choose: bool = False,
) -> Response:
    """Lead to the machines compared last, else to those most apart; ?choose=1: a form.

    A choice of the form redirects to its address.
    """
    chosen = [name for name in side or [] if name]
    if len(set(chosen)) > 1:
        subjects = compare.SEPARATOR.join(dict.fromkeys(chosen))
        address = path_to(request, "comparison", project=project, subjects=subjects)
        return RedirectResponse(address, 303)
    last = compare.split_sides(unquote(request.cookies.get(COOKIE, "")))
    pair = None if choose or chosen else compare.opening_pair(session, project, last)
    if pair is not None:
        subjects = compare.SEPARATOR.join(pair)
        address = path_to(request, "comparison", project=project, subjects=subjects)
        return RedirectResponse(address, 303, {"Cache-Control": FOR_ONE})
    return templates.render(
        request,
        "comparisons/index.html",
        choices=compare.choices_of(session, project),
        chosen=chosen,
    )


@router.get("/p/{project}/compare/{subjects}", name="comparison")
def show_comparison(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: ReadingDep,
    project: str,
    subjects: str,
    commit: str | None = None,
    metric: str | None = None,
    machine: str | None = None,
    region: str | None = None,
    on: str | None = None,
    settings: Annotated[list[str] | None, Query(alias="with")] = None,
    configuration: Annotated[list[str] | None, Query()] = None,
    cursor: queries.CursorQuery = None,
    *,
    all_rows: Annotated[bool, Query(alias="all")] = False,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show sides: ?commit=v5&metric=time&machine=a; region, on and with are drawn."""
    view = View.stated(project, commit, metric, machine, configuration or [])
    shown = compare.compare_sides(session, view, compare.split_sides(subjects))
    if wanted is not Format.HTML:
        name = f"{project}-{subjects}-{shown.metric}"
        return download(
            wanted, name, shown, places, side_by_side_overview, cursor=cursor
        )
    held = View.stated(project, None, None, None, settings or []).configuration
    plotted = _plotted(shown, region, on, held)
    is_commits = shown.kind is values.SideKind.COMMIT
    changes = {}
    if plotted and is_commits:
        changes = compare.changes_since_first(session, shown, plotted)
    query: AddressQuery = stated_view(view)
    part, page = part_of(shown, cursor)
    rows = part.rows if all_rows else shown.rows[:MOST_ROWS]
    ratios = ratios_of(session, shown, rows[:MOST_RATIOS])
    nothing = (None,) * (len(shown.sides) - 1)
    unknown = [RowRatios(row, nothing) for row in rows[MOST_RATIOS:]]
    duels = winners.duels_of(shown, ratios)

    def ratios_address(side: int) -> str:
        further = {"side": str(side) if side > 1 else None, **stated_view(view)}
        compared: AddressQuery = {"project": project, "subjects": subjects, **further}
        return path_to(request, "ratios-figure", compared)

    def drawn_at(row: values.ComparedRow) -> str:
        """Return the address of the page that draws a row."""
        drawn: AddressQuery = {
            **query,
            "region": row.region,
            "on": row.machine,
            "with": stated(row.configuration),
        }
        names = {"project": project, "subjects": subjects}
        return f"{path_to(request, 'comparison', drawn, **names)}#plotted"

    answer = templates.render(
        request,
        "comparisons/show.html",
        shown=shown,
        subjects=subjects,
        lines=[*ratios, *unknown],
        page=page if all_rows else None,
        pictures=pictures.pictures_of(ratios, duels, ratios_address),
        plotted=plotted,
        said=plotted
        and sentences.row_sentence(
            shown, plotted, _scans(session, view, shown, plotted)
        ),
        plot=plotted and _plot(request, shown, subjects, plotted),
        headline=sentences.worst_headline(shown, duels, ratios),
        matrix=matrix_of(shown, noise_of_sides(session, shown))
        if len(shown.sides) > 2
        else (),
        leads=sentences.comparison_sentences(shown, duels),
        comparison_rows=pictures.comparison_rows,
        small_pictures=pictures.small_pictures,
        drawn_at=drawn_at,
        choices=compare.choices_of(session, project),
        query=query,
        changes=changes,
        change_sentence=sentences.versions_sentence,
        is_commits=is_commits,
    )
    if not is_commits:
        answer.set_cookie(
            COOKIE,
            quote(subjects),
            max_age=YEAR,
            path=path_to(request, "comparisons", project=project),
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="lax",
        )
    return answer


def _plotted(
    shown: values.ComparedSides,
    region: str | None,
    machine: str | None,
    held: Mapping[str, str],
) -> values.ComparedRow | None:
    """Return the row that is drawn: the one asked for, else the first of several."""
    named = [
        row
        for row in shown.rows
        if row.region == region
        and machine in {None, row.machine}
        and held.items() <= {k: str(v) for k, v in row.configuration.items()}.items()
    ]
    whole = [
        row for row in shown.rows if all(each.standing.model for each in row.places)
    ]
    return next(iter(named or whole or shown.rows), None)


def _scans(
    session: Session,
    view: View,
    shown: values.ComparedSides,
    row: values.ComparedRow,
) -> list[tuple[str, Scan]]:
    """Return the measurements of a row on its sides."""
    of_row = replace(
        view,
        metric=shown.metric,
        machine=row.machine,
        configuration={k: str(v) for k, v in row.configuration.items()},
    )
    names = [side.name for side in shown.sides]
    return figures.compared_scans(session, of_row, row.region, names)


def _plot(
    request: Request,
    shown: values.ComparedSides,
    subjects: str,
    row: values.ComparedRow,
) -> plots.Plot:
    query = {
        "project": shown.project,
        "subjects": subjects,
        "region": row.region,
        "metric": shown.metric,
        "commit": shown.commit.label if shown.kind is values.SideKind.MACHINE else None,
        "machine": row.machine,
        "configuration": [
            f"{name}={value}" for name, value in row.configuration.items()
        ],
    }
    return plots.Plot(path_to(request, "comparison-figure", query))


def places(shown: values.ComparedSides) -> Listing:
    """Return a comparison with one line per region and side."""
    return Columns[values.ComparedRow, str, values.ComparedSeries](
        {
            "region": lambda row, _, __: row.region,
            "machine": lambda row, _, __: row.machine,
            "configuration": lambda row, _, __: assignments(row.configuration),
            "side": lambda _, side, __: side,
            "state": lambda _, __, series: series.standing.state,
            "growth": lambda _, __, series: series.standing.growth,
            "model": lambda _, __, series: (
                series.standing.model and series.standing.model.formula
            ),
            "verdict": lambda _, __, series: series.standing.verdict,
            "growth_ratio": lambda _, __, series: (
                series.against and series.against.growth
            ),
            "coefficient_ratio": lambda _, __, series: (
                series.against and series.against.factor
            ),
            "crossing": lambda _, __, series: (
                series.against and series.against.crossing
            ),
            "measured_ratio": lambda _, __, series: series.ratio,
            "measured_at": lambda _, __, series: series.at,
        }
    ).listing(
        (row, side.name, series)
        for row in shown.rows
        for side, series in zip(shown.sides, row.places, strict=True)
    )


def side_by_side_overview(shown: values.ComparedSides) -> Listing:
    """Return a comparison with a line per region and a column per side."""
    return Listing(
        (
            "Region",
            *(["Machine"] if shown.rows and shown.rows[0].machine else []),
            *(side.name for side in shown.sides),
        ),
        [
            (
                " ".join((row.region, settings(row.configuration))).strip(),
                *([row.machine] if row.machine else []),
                *map(_place, row.places),
            )
            for row in shown.rows
        ],
    )


def _place(place: values.ComparedSeries) -> str:
    standing, pair = place.standing, place.against
    if standing.nearest is None:
        return str(standing.state)
    mark = f"{SYMBOLS[standing.mark]} " if standing.mark else ""
    parts = [mark + found_order(standing)]
    if pair is not None and pair.factor is not None:
        parts.append(f"× {significant(pair.factor)}")
    elif pair is not None:
        parts.append(f"δ {pair.growth.unicode()}")
    if pair is not None and pair.crossing is not None:
        parts.append(f"crossing at {significant(pair.crossing)}")
    return ", ".join(parts)
