"""Changes between two commits, as listings for download."""

from scalewatch.exporters.listing import Listing
from scalewatch.pages.wording.changes import OUTCOME_SYMBOLS, SYMBOLS, change_sentence
from scalewatch.pages.wording.formats import assignments, percent, settings
from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.report import CommitReport


def changes_listing(report: CommitReport) -> Listing:
    """Return all series of a report, one line each."""
    return Listing(
        (
            "outcome",
            "change",
            "region",
            "metric",
            "machine",
            "configuration",
            "growth_before",
            "growth_after",
            "verdict_before",
            "verdict_after",
            "probability",
            "faster_probability",
            "slower_probability",
        ),
        [
            (
                change.outcome,
                change.kind,
                change.region,
                change.metric,
                change.machine,
                assignments(change.configuration),
                change.before.growth,
                change.after.growth,
                change.before.verdict,
                change.after.verdict,
                change.after.probability,
                change.odds and change.odds.faster,
                change.odds and change.odds.slower,
            )
            for change in report.changes
        ],
    )


def changes_overview(report: CommitReport) -> Listing:
    """Return the changed series, one line each."""
    return Listing(
        (
            "Outcome",
            "Change",
            "Region",
            "Metric",
            "Machine",
            "Configuration",
            "From → to",
            "Sure",
        ),
        [
            (
                _outcome(change),
                f"{SYMBOLS[change.kind]} {change.kind}",
                change.region,
                change.metric,
                change.machine,
                settings(change.configuration),
                change_sentence(change),
                percent(change.after.probability),
            )
            for change in report.changed
        ],
    )


def _outcome(change: SeriesChange) -> str:
    outcome = change.outcome
    return "" if outcome is None else f"{OUTCOME_SYMBOLS[outcome]} {outcome}"
