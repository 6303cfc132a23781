"""The match table of a project at a commit."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from scalewatch.modelling import Mark
from scalewatch.pages.match_table.sentences import suspicion_sentences
from scalewatch.pages.rendering import listings
from scalewatch.pages.rendering.delay import DELAY
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.rendering.templates import Query as LinkQuery
from scalewatch.pages.rendering.templates import path_to, render
from scalewatch.pages.wording.changes import baseline_sentence, gap
from scalewatch.pages.wording.formats import plural, stated
from scalewatch.pages.wording.sentences import verdict_lead
from scalewatch.services.match_table.cells import MatchRow
from scalewatch.services.match_table.table import ALL_METRICS, MatchTable, match_table
from scalewatch.storage.runs.flags import Flag
from scalewatch.web.sessions import ReadingDep
from scalewatch.web.views import ViewDep

router = APIRouter(include_in_schema=False, dependencies=DELAY)


class Sort(StrEnum):
    """Order of the rows."""

    WORST = "worst"
    NAME = "name"
    CHANGED = "changed"


class Only(StrEnum):
    """Which rows are shown."""

    ALL = ""
    CHANGED = "changed"
    WORSE = "worse"
    MISMATCH = "mismatch"


class Layout(StrEnum):
    """How the rows are laid out: verdicts alone, or with all that is known."""

    MAP = "map"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Layout, filter, order and expansion of the rows of a match table."""

    filter: Annotated[str, Query()] = ""
    sort: Sort = Sort.WORST
    only: Only = Only.ALL
    vs: Annotated[str, Query()] = ""
    expand: Annotated[str, Query()] = ""
    view: Annotated[Layout | None, Query()] = None

    @property
    def layout(self) -> Layout:
        """The layout that is asked for; a row can be expanded in a table only."""
        return self.view or (Layout.TABLE if self.expand else Layout.MAP)

    @property
    def compares(self) -> bool:
        """Whether a baseline is needed, even if none is named."""
        return self.only in {Only.CHANGED, Only.WORSE} or self.sort is Sort.CHANGED

    def arranged(self, rows: Sequence[MatchRow]) -> list[MatchRow]:
        """Return the rows that are shown, in this order; they come worst first."""
        kept = [row for row in rows if self._keeps(row)]
        if self.sort is Sort.NAME:
            kept.sort(key=lambda row: (row.region, row.metric, str(row.configuration)))
        if self.sort is Sort.CHANGED:
            kept.sort(key=lambda row: (not row.is_worse, not row.is_changed))
        return kept

    def contains(self, row: MatchRow) -> bool:
        """Tell whether the name of a row contains what is looked for."""
        return self.filter.strip().lower() in row.region.lower()

    def expands(self, row: MatchRow) -> bool:
        """Tell whether a row is expanded."""
        return bool(self.expand) and self.expand == row_name(row)

    def _keeps(self, row: MatchRow) -> bool:
        match self.only:
            case Only.CHANGED:
                return row.is_changed
            case Only.WORSE:
                return row.is_worse
            case Only.MISMATCH:
                return bool(row.counts[Mark.MISMATCH])
            case _:
                return True


@router.get("/p/{project}", name="report")  # noqa: FAST003, the view has it
def show_report(
    request: Request,
    session: ReadingDep,
    view: ViewDep,
    arrangement: Annotated[Arrangement, Depends()],
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show regions × machines; the query string holds the whole state of the view."""
    table = match_table(
        session, view, vs=arrangement.vs or None, compare=arrangement.compares
    )
    if wanted is not Format.HTML:
        metric = "all" if table.metric == ALL_METRICS else table.metric
        name = f"{table.project}-{table.commit.label}-{metric}"
        return download(wanted, name, table, listings.cells, listings.overview)
    rows = arrangement.arranged(table.rows)
    return render(
        request,
        "match_table/show.html",
        table=table,
        rows=rows,
        flags=_flags(table),
        suspicions=suspicion_sentences(table.suspicions),
        lead=_lead(table),
        arrangement=arrangement,
        shown=sum(map(arrangement.contains, rows)),
        query={
            "commit": view.commit,
            "metric": view.metric,
            "configuration": view.settings,
            "vs": arrangement.vs,
            "only": arrangement.only,
            "filter": arrangement.filter,
            "sort": arrangement.sort if arrangement.sort is not Sort.WORST else None,
            "view": Layout.TABLE if arrangement.layout is Layout.TABLE else None,
        },
        region_query=region_query,
        region_path=lambda row: path_to(
            request,
            "region",
            region_query(table, row),
            project=table.project,
            region=row.region,
        ),
        plots=path_to(request, "small-plot", project=table.project),
        row_name=row_name,
        against=baseline_sentence(table.baseline) if table.baseline else None,
        gap=gap(table.baseline),
        sparklines=path_to(
            request,
            "sparklines",
            {
                "commit": table.commit.label,
                "metric": [table.metric]
                if table.metric != ALL_METRICS
                else list(table.metrics),
            },
            project=table.project,
        ),
    )


def row_name(row: MatchRow) -> str:
    """Name a row in an address: region, metric and settings."""
    return " ".join([row.region, row.metric, *stated(row.configuration)])


def region_query(table: MatchTable, row: MatchRow) -> LinkQuery:
    """Return the view of a region that a row of the table leads to."""
    return {
        "commit": table.commit.label,
        "metric": row.metric,
        "configuration": stated(row.configuration),
    }


def _lead(table: MatchTable) -> str:
    """Answer first; where nothing is judged, say whether anything is expected."""
    if not any(table.counts.values()) and not any(
        row.expectation or row.composition for row in table.rows
    ):
        of = "" if table.metric == ALL_METRICS else f" of the {table.metric}"
        return (
            f"No verdicts yet: nothing is expected{of} of "
            f"{plural(len(table.rows), 'region')}. Declare a growth on a region's page."
        )
    return verdict_lead(table.counts)


def _flags(table: MatchTable) -> list[Flag]:
    """Return the flags that need explaining below the table."""
    return sorted(
        {flag for row in table.rows for cell in row.cells for flag in cell.flags}
    )
