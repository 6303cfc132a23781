"""The report of a commit: what changed against a named baseline, worst first."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup
from sqlalchemy.orm import Session

from scalewatch.exporters.listing import Columns, Listing
from scalewatch.pages.comparisons.sentences import versions_sentence
from scalewatch.pages.rendering import addresses, navigation, plots, templates
from scalewatch.pages.rendering.downloads import Format, FormatQuery, download, markdown
from scalewatch.pages.wording import formats, intervals, marks, sentences
from scalewatch.services.commit_reports import changes, report
from scalewatch.services.commit_reports.report import Effect, largest_effect
from scalewatch.services.commits.forges import forge_of
from scalewatch.services.comparisons import compare
from scalewatch.services.gates.gate import gated_report
from scalewatch.services.match_table.single_values import values_of_report
from scalewatch.services.selection.pages import Page
from scalewatch.services.selection.view import View
from scalewatch.web import queries
from scalewatch.web.sessions import AlarmingShareDep, ReadingDep

router = APIRouter(include_in_schema=False, dependencies=navigation.DELAY)


@dataclass(frozen=True, slots=True)
class Expansion:
    """The expansion below the row of a series.

    Parameters
    ----------
    subjects
        Both commits, as the address of their comparison names them.
    """

    series_id: int
    sentence: Markup
    subjects: str
    plot: plots.Plot


@router.get("/p/{project}/c", name="commit")
def show_newest(request: Request, project: str) -> Response:
    """Redirect to the report of the newest commit."""
    return RedirectResponse(
        addresses.path_to(request, "commit-report", project=project, sha="newest"), 303
    )


@router.get("/p/{project}/c/{sha}", name="commit-report")
def show_commit(  # noqa: PLR0913, PLR0917 - parts of the address
    request: Request,
    session: ReadingDep,
    alarming_share: AlarmingShareDep,
    project: str,
    sha: str,
    vs: str | None = None,
    metric: str | None = None,
    machine: str | None = None,
    configuration: Annotated[list[str] | None, Query()] = None,
    expand: str | None = None,
    cursor: queries.CursorQuery = None,
    *,
    all_rows: Annotated[bool, Query(alias="all")] = False,
    wanted: FormatQuery = Format.HTML,
) -> Response:
    """Show the report of a commit: ?vs=v5.0.8&metric=time&all=1; expand names a row."""
    reference = None if sha == "newest" else sha
    view = View.stated(project, reference, metric, machine, configuration or [])
    report, gate = gated_report(session, view, vs or None, alarming_share)
    if wanted is not Format.HTML:
        name = f"{report.project}-{report.commit.label}-changes"
        return download(
            wanted, name, report, changes_listing, changes_overview, cursor=cursor
        )
    lead = marks.counts_sentence(report, gate)
    against = sentences.baseline_sentence(report.baseline)
    effect = largest_effect(session, report)
    return templates.render(
        request,
        "commits/show.html",
        report=report,
        forge=forge_of(session, project),
        gate=gate,
        all_rows=all_rows,
        changed=Page.of(report.changed, None if all_rows else cursor, report.CELLS),
        same=Page.of(report.same, cursor if all_rows else None, report.CELLS),
        change_name=change_name,
        expanded=_expanded(request, session, report, expand) if expand else None,
        lead=lead,
        headline=effect and effect_headline(effect),
        against=against,
        gap=sentences.gap(report.baseline),
        single=values_of_report(session, report),
        markdown=markdown(
            changes_overview(report),
            f"{report.project} {report.commit.label}: {lead}."
            + (f" Compared with {against}." if report.baseline else ""),
        ),
        query={
            "vs": vs,
            "metric": view.metric,
            "machine": view.machine,
            "configuration": view.settings,
        },
    )


def effect_headline(effect: Effect) -> Markup:
    """Name the series that changed most: region, factor, scale and machine."""
    change = effect.change
    return Markup("{} is {} on {}").format(
        formats.named(change.region),
        intervals.factor_words(effect.factor, change.metric, effect.at),
        formats.named(change.machine),
    )


def change_name(change: changes.SeriesChange) -> str:
    """Name a row in an address: region, machine, metric and settings."""
    place = (change.region, change.machine, change.metric)
    return " ".join([*place, *formats.stated(change.configuration)])


def _expanded(
    request: Request, session: Session, report: report.CommitReport, name: str
) -> Expansion | None:
    """Return the expansion of the row of this name, if there is one."""
    change = next((e for e in report.changes if change_name(e) == name), None)
    if change is None or report.baseline is None:
        return None
    before, now = report.baseline.commit.label, report.commit.label
    subjects = compare.SEPARATOR.join((before, now))
    query: dict[str, str | list[str] | None] = {
        "project": report.project,
        "subjects": subjects,
        "region": change.region,
        "metric": change.metric,
        "machine": change.machine,
        "configuration": formats.stated(change.configuration),
    }
    return Expansion(
        change.series_id,
        versions_sentence(before, now, compare.change_of(session, report, change)),
        subjects,
        plots.Plot(addresses.path_to(request, "comparison-figure", query)),
    )


def changes_listing(report: report.CommitReport) -> Listing:
    """Return all series of a report, one line each."""
    return Columns[changes.SeriesChange](
        {
            "outcome": lambda change: change.outcome,
            "change": lambda change: change.kind,
            "region": lambda change: change.region,
            "metric": lambda change: change.metric,
            "machine": lambda change: change.machine,
            "configuration": lambda change: formats.assignments(change.configuration),
            "growth_before": lambda change: change.before.growth,
            "growth_after": lambda change: change.after.growth,
            "verdict_before": lambda change: change.before.verdict,
            "verdict_after": lambda change: change.after.verdict,
            "failures": lambda change: "; ".join(change.failures),
            "probability": lambda change: change.after.probability,
            "faster_probability": lambda change: change.odds and change.odds.faster,
            "slower_probability": lambda change: change.odds and change.odds.slower,
        }
    ).listing(zip(report.changes))


def changes_overview(report: report.CommitReport) -> Listing:
    """Return the changed series, one line each."""
    return Columns[changes.SeriesChange](
        {
            "Outcome": lambda change: (
                change.outcome
                and f"{marks.OUTCOME_SYMBOLS[change.outcome]} {change.outcome}"
            ),
            "Change": lambda change: f"{marks.SYMBOLS[change.kind]} {change.kind}",
            "Region": lambda change: change.region,
            "Metric": lambda change: change.metric,
            "Machine": lambda change: change.machine,
            "Configuration": lambda change: formats.settings(change.configuration),
            "From → to": marks.change_sentence,
            "Sure": lambda change: formats.percent(change.after.probability),
        }
    ).listing(zip(report.changed))
