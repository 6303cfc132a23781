"""The match table of a project at a commit."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from scalewatch.pages import listings
from scalewatch.pages.dependencies import SessionDep, ViewDep
from scalewatch.pages.downloads import Format, FormatQuery, download
from scalewatch.pages.templates import Query as LinkQuery
from scalewatch.pages.templates import render
from scalewatch.services.commits import Commit
from scalewatch.services.measurements import Flag
from scalewatch.services.report import MatchTable, Row, match_table

router = APIRouter(include_in_schema=False)


class Sort(StrEnum):
    """Order of the rows."""

    WORST = "worst"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Which rows are seen, and in which order."""

    filter: Annotated[str, Query()] = ""
    sort: Sort = Sort.WORST

    def sorted(self, rows: tuple[Row, ...]) -> list[Row]:
        """Return rows in this order; they come worst first."""
        if self.sort is Sort.NAME:
            return sorted(rows, key=lambda row: (row.region, str(row.configuration)))
        return list(rows)

    def shows(self, row: Row) -> bool:
        """Tell whether the name of a row contains what is looked for."""
        return self.filter.strip().lower() in row.region.lower()


@router.get("/p/{project}", name="report")  # noqa: FAST003, the view has it
def show_report(
    request: Request,
    session: SessionDep,
    view: ViewDep,
    arrangement: Annotated[Arrangement, Depends()],
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show regions × machines; the query string holds the whole state of the view."""
    table = match_table(session, view)
    if wanted is not Format.HTML:
        name = f"{table.project}-{table.commit.label}-{table.metric}"
        cells, overview = listings.cells(table), listings.overview(table)
        return download(wanted, name, table, cells, overview)
    older, newer = _neighbours(table)
    rows = arrangement.sorted(table.rows)
    return render(
        request,
        "report/show.html",
        table=table,
        rows=[(row, arrangement.shows(row)) for row in rows],
        older=older,
        newer=newer,
        flags=_flags(table),
        arrangement=arrangement,
        query={
            "commit": view.commit,
            "metric": view.metric,
            "configuration": view.settings,
            "filter": arrangement.filter,
            "sort": arrangement.sort if arrangement.sort is not Sort.WORST else None,
        },
        region_query=region_query,
    )


def region_query(table: MatchTable, row: Row) -> LinkQuery:
    """Return the view of a region that a row of the table leads to."""
    return {
        "commit": table.commit.label,
        "metric": table.metric,
        "configuration": [
            f"{name}={value}" for name, value in row.configuration.items()
        ],
    }


def _neighbours(table: MatchTable) -> tuple[Commit | None, Commit | None]:
    """Return the commit before and the one after that of the table."""
    position = [commit.sha for commit in table.commits].index(table.commit.sha)
    older = table.commits[position + 1 : position + 2]
    newer = table.commits[max(position - 1, 0) : position]
    return next(iter(older), None), next(iter(newer), None)


def _flags(table: MatchTable) -> list[Flag]:
    """Return the flags that need explaining below the table."""
    return sorted(
        {flag for row in table.rows for cell in row.cells for flag in cell.flags}
    )
