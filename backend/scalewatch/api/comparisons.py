"""Machines or commits side by side, and what a commit changed."""

from typing import Annotated, Final

from fastapi import Query, Response

from scalewatch.api.http import answers, problems
from scalewatch.errors import NotFound
from scalewatch.figures.scaling import machines_figure
from scalewatch.services.commit_reports.report import CommitReport
from scalewatch.services.comparisons import figures, values, winners
from scalewatch.services.comparisons.compare import compare_sides, split_sides
from scalewatch.services.comparisons.ratios import MOST_RATIOS, ratios_of
from scalewatch.services.gates.gate import gated_report
from scalewatch.web import queries, sessions

router = answers.api_router("comparisons")

SIDE: Final = "A machine, or a commit: hash, its beginning, or tag."


@router.get(
    "/projects/{project}/compare",
    responses=answers.of(values.ComparedSides, 404, 409, 422),
)
def compare(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    a: Annotated[str, Query(description=SIDE)],
    b: Annotated[list[str], Query(description="One or more of the same.")],
    cursor: queries.CursorQuery = None,
) -> Response:
    """Return machines, or commits, side by side: the ones most apart first."""
    return answers.answer(compare_sides(session, view, (a, *b)), cursor)


@router.get(
    "/projects/{project}/changes", responses=answers.of(CommitReport, 404, 409, 422)
)
def list_changes(
    session: sessions.ReadingDep,
    alarming_share: sessions.AlarmingShareDep,
    view: queries.ViewDep,
    vs: Annotated[
        str | None, Query(description="The baseline; else merge base or parent.")
    ] = None,
    cursor: queries.CursorQuery = None,
) -> Response:
    """Return what a commit changed against a baseline, worst first."""
    report, _ = gated_report(session, view, vs or None, alarming_share)
    return answers.answer(report, cursor)


@router.get(
    "/figures/ratios",
    name="ratios-figure",
    tags=["figures"],
    responses=problems.of(404, 409, 422),
)
def show_ratios_figure(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    subjects: Annotated[str, Query(examples=["juqueen...pizdaint"])],
    side: Annotated[
        int, Query(ge=1, description="Which one is compared with the first.")
    ] = 1,
    wanted: answers.DrawnQuery = answers.Drawn.JSON,
) -> Response:
    """Return how a further side compares with the first one, as ratios over scale."""
    shown = compare_sides(session, view, split_sides(subjects))
    if side >= len(shown.sides):
        raise NotFound("side", side)
    ratios = ratios_of(session, shown, shown.rows[:MOST_RATIOS])
    duel = winners.duels_of(shown, ratios)[side - 1]
    drawn = figures.ratios_drawn(duel, ratios, side - 1)
    title = f"{duel.other} / {duel.first}"
    return answers.figure_answer(drawn, wanted, title, of=view)


@router.get(
    "/figures/comparison",
    name="comparison-figure",
    tags=["figures"],
    responses=problems.of(404, 409, 422),
)
def show_comparison_figure(
    session: sessions.ReadingDep,
    view: queries.ViewDep,
    subjects: Annotated[str, Query(examples=["juqueen...pizdaint"])],
    region: str,
    wanted: answers.DrawnQuery = answers.Drawn.JSON,
) -> Response:
    """Return measurements and models of a region on all sides, on common axes."""
    names = split_sides(subjects)
    figure = machines_figure(figures.compared_scalings(session, view, region, names))
    title = (region, " and ".join(names))
    return answers.figure_answer(figure, wanted, *title, of=view)
