"""Changes between two commits, in words."""

from typing import Final

from scalewatch.pages.wording.sentences import order
from scalewatch.services.commit_reports.changes import SAME, ChangeKind, SeriesChange
from scalewatch.services.commit_reports.report import CommitReport
from scalewatch.services.commits.baselines import Baseline, Relation
from scalewatch.services.series.standing import Standing
from scalewatch.services.shared_cores import SHARED_CORES

SHORT: Final = 10

MEANINGS: Final = {
    ChangeKind.MISMATCH: "worse than expected now, and not before",
    ChangeKind.FAILED: "nothing succeeded, or the analysis was given up",
    ChangeKind.WORSE: "grows faster than before, whatever the expectation",
    ChangeKind.WORSE_CONSTANT: "grows as before, and takes more, or yields less",
    ChangeKind.MISSING: "measured before, and not now",
    ChangeKind.BETTER: "no longer a mismatch, or grows slower than before",
    ChangeKind.BETTER_CONSTANT: "grows as before, and takes less, or yields more",
    ChangeKind.NEW: "not measured before",
    ChangeKind.UNDECIDED: "too little is known of one of both to tell",
    ChangeKind.UNCHANGED: "nothing tells it from what it was",
}

NOTHING_COMPARED: Final = "No series was measured at both commits"

SYMBOLS: Final = {
    ChangeKind.MISMATCH: "✗",
    ChangeKind.FAILED: "!",
    ChangeKind.WORSE: "↗",
    ChangeKind.WORSE_CONSTANT: "↑",
    ChangeKind.MISSING: "−",
    ChangeKind.BETTER: "↘",
    ChangeKind.BETTER_CONSTANT: "↓",
    ChangeKind.NEW: "+",
    ChangeKind.UNDECIDED: "?",
    ChangeKind.UNCHANGED: "=",
}

PLURALS: Final = {
    ChangeKind.MISMATCH: "new mismatches",
    ChangeKind.WORSE: "grow faster",
    ChangeKind.WORSE_CONSTANT: "worse constants",
    ChangeKind.BETTER: "improvements",
    ChangeKind.BETTER_CONSTANT: "better constants",
}

RELATIONS: Final = {
    Relation.ASKED: "as asked for",
    Relation.PARENT: "its parent",
    Relation.EARLIER: "the commit measured before it; none of its parents was measured",
}


def baseline_sentence(baseline: Baseline | None) -> str:
    """Name the baseline of a commit: `v5.0.8, its parent`."""
    if baseline is None:
        return "nothing: no earlier commit was measured"
    return f"{baseline.commit.label}, {RELATIONS[baseline.relation]}"


def gap(baseline: Baseline | None) -> str | None:
    """Warn of commits between baseline and commit that were not measured."""
    if baseline is None or not baseline.unmeasured:
        return None
    parents = ", ".join(sha[:SHORT] for sha in baseline.unmeasured)
    noun = "parent" if len(baseline.unmeasured) == 1 else "parents"
    return (
        f"Commits between {baseline.commit.label} and this one were not measured, its "
        f"{noun} {parents} among them: what changed may be due to any of them"
    )


def counts_sentence(report: CommitReport) -> str:
    """Count what changed: `2 new mismatches, 1 improvement; 37 unchanged`."""
    if report.baseline is None:
        return "There is nothing to compare it with yet"
    words = {
        kind: f"{number:,} {kind if number == 1 else PLURALS.get(kind, kind)}"
        for kind, number in report.counts.items()
        if number
    }
    changed = [text for kind, text in words.items() if kind not in SAME]
    same = [text for kind, text in words.items() if kind in SAME]
    nothing = "Nothing changed" if report.is_compared else NOTHING_COMPARED
    what = ", ".join(changed) or nothing
    crowded = f"{SHARED_CORES} in {report.crowded:,}" if report.crowded else ""
    return "; ".join(filter(None, [what, ", ".join(same), crowded]))


def change_sentence(change: SeriesChange) -> str:
    """Tell growth and verdict before and after: `O(log p), match → O(p), mismatch`."""
    if change.constant:
        return f"{_state(change.after)}: {change.constant.sentence}"
    return f"{_state(change.before)} → {_state(change.after)}"


def _state(standing: Standing) -> str:
    found = order(standing.growth) if standing.growth else str(standing.state)
    return f"{found}, {standing.verdict}" if standing.verdict else found
