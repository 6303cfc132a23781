"""The match table of a project at a commit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, Request, Response
from markupsafe import Markup
from sqlalchemy.orm import Session

from scalewatch.exporters.listing import Columns, Listing
from scalewatch.modelling import Attribution, Growth, Suspect
from scalewatch.pages.rendering import navigation, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download
from scalewatch.pages.wording import formats, intervals, mathematics, sentences
from scalewatch.services.access.callers import Role, may
from scalewatch.services.machines.silence import silent_in
from scalewatch.services.match_table.cells import Cell, MatchRow
from scalewatch.services.match_table.table import (
    ALL_METRICS,
    MatchTable,
    Only,
    RowChoice,
    Sort,
    largest_excess,
    leaving,
    match_table,
)
from scalewatch.services.projects.rows import worst_open
from scalewatch.services.series.standing import Standing
from scalewatch.texts.numbers import significant
from scalewatch.web import queries, sessions

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


class Layout(StrEnum):
    """How the rows are laid out: verdicts alone, or with all that is known."""

    MAP = "map"
    TABLE = "table"


SORTS: Final = {
    Sort.WORST: "worst first",
    Sort.NAME: "by name",
    Sort.CHANGED: "changed first",
    Sort.GROWTH: "steepest growth first",
    Sort.COST: "largest value first",
}


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Layout, filter, order, page and expansion of the rows of a match table."""

    filter: Annotated[str, Query()] = ""
    sort: Sort = Sort.WORST
    only: Only = Only.ALL
    vs: Annotated[str, Query()] = ""
    expand: Annotated[str, Query()] = ""
    view: Annotated[Layout | None, Query()] = None
    cursor: Annotated[str, Query()] = ""

    @property
    def layout(self) -> Layout:
        """The layout that is asked for; a row can be expanded in a table only."""
        return self.view or (Layout.TABLE if self.expand else Layout.MAP)

    @property
    def choice(self) -> RowChoice:
        """Which rows are wanted."""
        return RowChoice(self.sort, self.only, self.filter, self.cursor or None)

    def expands(self, row: MatchRow) -> bool:
        """Tell whether a row is expanded."""
        return bool(self.expand) and self.expand == row_name(row)


@router.get("/p/{project}", name="report")  # noqa: FAST003, the view has it
def show_report(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: sessions.ReadingDep,
    door: sessions.DoorDep,
    view: queries.ViewDep,
    arrangement: Annotated[Arrangement, Depends()],
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show regions × machines; the query string holds the whole state of the view."""
    choice, vs = arrangement.choice, arrangement.vs or None
    if wanted is not Format.HTML:
        # All rows, a page after the other, worst first: JSON tells of the next one.
        choice = RowChoice(cursor=choice.cursor)
        table = match_table(session, view, vs=vs, choice=choice)
        metric = "all" if table.metric == ALL_METRICS else table.metric
        name = f"{table.project}-{table.commit.label}-{metric}"
        same = replace(view, commit=table.commit.sha)

        def following(cursor: str) -> MatchTable:
            with door.reading() as later:
                return match_table(later, same, vs=vs, choice=RowChoice(cursor=cursor))

        return download(wanted, name, table, cells, overview, following)
    table = match_table(session, view, vs=vs, choice=choice)
    has_details = arrangement.layout is Layout.TABLE and not table.has_single_values
    return templates.render(
        request,
        "match_table/show.html",
        table=table,
        # Those that need explaining below the table.
        flags=sorted(
            {f for row in table.rows for cell in row.cells for f in cell.flags}
        ),
        suspicions=suspicions_in_words(table.suspicions),
        headline=headline(session, table),
        lead=lead(table),
        may_accept=is_unexpected(table)
        and not navigation.is_frozen(request)
        and may(session, Role.ADMIN, table.project),
        silent=silent_in(session, table.project),
        arrangement=arrangement,
        leaving=leaving(session, table) if has_details else {},
        sorts=SORTS,
        contains=choice.contains,
        shown=sum(map(choice.contains, table.rows)),
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
        row_name=row_name,
        against=sentences.baseline_sentence(table.baseline) if table.baseline else None,
        gap=sentences.gap(table.baseline),
        drawn_metrics=table.metrics if table.metric == ALL_METRICS else [table.metric],
    )


def row_name(row: MatchRow) -> str:
    """Name a row in an address: region, metric and settings."""
    return " ".join([row.region, row.metric, *formats.stated(row.configuration)])


def headline(session: Session, table: MatchTable) -> Markup | None:
    """Name what is worst: the largest open regression, else the largest excess."""
    is_newest = table.neighbours.newer is None
    worst = worst_open(session, table.project) if is_newest else None
    if worst is not None:
        return Markup("{}.").format(sentences.open_words(*worst))
    excess = largest_excess(session, table)
    if excess is None:
        return None
    return Markup("{} grew {} than expected on {} from {} to {}.").format(
        formats.named(excess.row.region),
        f"{significant(excess.factor, 2)}× more",
        formats.named(excess.cell.machine),
        intervals.scale_words(excess.first),
        intervals.scale_words(excess.last),
    )


def is_unexpected(table: MatchTable) -> bool:
    """Tell whether nothing is judged or expected of regions that have growths."""
    return not (
        table.has_single_values
        or any(table.counts.values())
        or any(row.expectation or row.composition for row in table.rows)
    )


def lead(table: MatchTable) -> str:
    """Answer first; where nothing is judged, say whether anything is expected.

    Of single values the gate has the word.
    """
    if table.has_single_values:
        rows = formats.plural(table.total, "benchmark")
        return formats.sentence(table.gate or f"{rows} measured for the first time")
    if is_unexpected(table):
        of = "" if table.metric == ALL_METRICS else f" of the {table.metric}"
        return (
            f"No verdicts yet: nothing is expected{of} of "
            f"{formats.plural(table.total, 'region')}. "
            "Save an expected growth on a region's page."
        )
    return sentences.verdict_lead(table.counts)


def cells(table: MatchTable) -> Listing:
    """Return a match table with one line per cell."""
    return Columns[MatchRow, Cell, Standing](
        {
            "region": lambda row, _, __: row.region,
            "metric": lambda row, _, __: row.metric,
            "configuration": lambda row, _, __: formats.assignments(row.configuration),
            "machine": lambda _, cell, __: cell.machine,
            "state": lambda _, __, standing: standing.state,
            "expectation": lambda row, _, __: _expected(row),
            "deviation_limit": lambda _, __, standing: standing.deviation_limit,
            "growth": lambda _, __, standing: standing.growth,
            "model": lambda _, __, standing: standing.model and standing.model.formula,
            "adjusted_r2": lambda _, __, standing: standing.adjusted_r2,
            "divergence": lambda _, __, standing: standing.divergence,
            "verdict": lambda _, __, standing: standing.verdict,
            "probability": lambda _, __, standing: standing.probability,
            "points": lambda _, __, standing: standing.points,
            "repetitions": lambda _, __, standing: standing.repetitions,
            "failures": lambda _, cell, __: "; ".join(cell.failures),
            "flags": lambda _, cell, __: ", ".join(cell.flags),
            "change": lambda _, cell, __: cell.change,
            "guidelines": lambda _, cell, __: "; ".join(cell.broken),
            "reason": lambda _, __, standing: standing.reason,
        }
    ).listing((row, cell, cell.standing) for row in table.rows for cell in row.cells)


def overview(table: MatchTable) -> Listing:
    """Return a match table with a line per region and a column per machine."""
    return Listing(
        ("Region", "Expectation", *(column.machine for column in table.columns)),
        [
            (
                " ".join((row.region, formats.settings(row.configuration))).strip(),
                mathematics.order(row.expectation.growth)
                if row.expectation
                else _expected(row),
                *map(_cell, row.cells),
            )
            for row in table.rows
        ],
    )


def _expected(row: MatchRow) -> Growth | str | None:
    """Return the growth that is expected of a row, or the formula."""
    if row.composition is not None:
        return str(row.composition.formula)
    return row.expectation.growth if row.expectation else None


def _cell(cell: Cell) -> str:
    standing = cell.standing
    grown = standing.reason or str(standing.state)
    if standing.nearest is not None:
        fit = formats.determination(standing.adjusted_r2)
        grown = f"{mathematics.found_order(standing)}, R̄² {fit}"
    if standing.mark is None:
        return grown
    delta = f", δ {standing.divergence.unicode()}" if standing.divergence else ""
    return f"{sentences.SYMBOLS[standing.mark]} {standing.mark}: {grown}{delta}"


MOST_NAMES: Final = 4
"""Regions and machines that a sentence names; of more it tells the number."""

LITMUS_FAILS: Final = Markup(
    "<strong>Likely this machine:</strong> on <bdi>{machine}</bdi> the litmus test "
    "<bdi>{litmus}</bdi> {grows} like {growth} instead of {expected}, although its "
    "algorithm is known: check network, placement and neighbours."
)
MACHINE: Final = Markup(
    "<strong>Likely this machine:</strong> {regions} {scale} worse than expected on "
    "<bdi>{machine}</bdi>, and as expected elsewhere."
)
MACHINE_LIBRARY: Final = Markup(
    " The litmus test <bdi>{litmus}</bdi> acquits its network: check its libraries."
)
LIBRARY: Final = Markup(
    "<strong>Likely the library:</strong> <bdi>{region}</bdi> scales worse than "
    "expected on {machines}, where the litmus test <bdi>{litmus}</bdi> acquits the "
    "network."
)
CODE: Final = Markup(
    "<strong>Likely the code:</strong> <bdi>{region}</bdi> scales worse than expected "
    "on {machines}: check its algorithm, its implementation or the expectation "
    "{expected}."
)
OPEN: Final = Markup(
    "<strong>Code or machine (undecidable):</strong> <bdi>{region}</bdi> "
    "scales worse than expected on {machines}, and as expected on others."
)


@dataclass(frozen=True, slots=True)
class SaidSuspicion:
    """A suspicion in words, with the two lines of machines that it rests on."""

    sentence: Markup
    evidence: Sequence[tuple[str, Markup]]


def suspicions_in_words(suspicions: Iterable[Attribution]) -> list[SaidSuspicion]:
    """Say whom to suspect, and on which machines it is so and on which not."""
    return [
        SaidSuspicion(
            _suspicion(each),
            [
                ("worse than expected", _named(each.machines, "machine")),
                (
                    "as expected",
                    _named(each.behaving, "machine")
                    if each.behaving
                    else Markup("none"),
                ),
            ],
        )
        for each in suspicions
    ]


def _suspicion(suspicion: Attribution) -> Markup:
    first = suspicion.cells[0]
    expected = mathematics.big_o(first.expectation)
    machines = _named(suspicion.machines, "machine")
    if suspicion.suspect is None:
        return OPEN.format(region=suspicion.subject, machines=machines)
    if suspicion.suspect is Suspect.LIBRARY:
        words = CODE if suspicion.litmus is None else LIBRARY
        return words.format(
            region=suspicion.subject,
            machines=machines,
            litmus=suspicion.litmus,
            expected=expected,
        )
    if not suspicion.is_accused_by_litmus:
        acquitted = MACHINE_LIBRARY.format(litmus=suspicion.litmus)
        return MACHINE.format(
            machine=suspicion.subject,
            regions=_named(suspicion.regions, "region"),
            scale="scales" if len(suspicion.regions) == 1 else "scale",
        ) + (acquitted if suspicion.litmus is not None else "")
    explained = [name for name in suspicion.regions if name != suspicion.litmus]
    explains = Markup(" It would explain {}.").format(_named(explained, "region"))
    return LITMUS_FAILS.format(
        machine=suspicion.subject,
        litmus=suspicion.litmus,
        grows=mathematics.verb(first.growth),
        growth=mathematics.big_o(first.growth),
        expected=expected,
    ) + (explains if explained else "")


def _named(names: Sequence[str], noun: str) -> Markup:
    """Name a few things, or say how many they are."""
    if len(names) > MOST_NAMES:
        return Markup('<span title="{}">{}</span>').format(
            ", ".join(names), formats.plural(len(names), noun)
        )
    return formats.listed([Markup("<bdi>{}</bdi>").format(name) for name in names])
