"""The one value of each series of a commit, where none was measured at more settings.

There is no growth then: a value, how it differs from the baseline, and the word of the
gate on it are all that is known.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.commit_reports.pairs import STILL, SeriesOutcome
from scalewatch.services.commit_reports.report import CommitReport
from scalewatch.services.gates.gate import gated_report
from scalewatch.services.selection.view import View
from scalewatch.services.series.judged import Middles
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import Standing
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits

WORSE: Final = frozenset({SeriesOutcome.WORSE, SeriesOutcome.SUSPECTED})


@dataclass(frozen=True, slots=True)
class SingleValue:
    """The value of a series at a commit.

    Parameters
    ----------
    value
        The median of its repetitions; None where nothing succeeded.
    factor
        It over that of the baseline; None where one of both is missing.
    outcome
        The word of the gate; None where nothing was measured before.
    """

    value: float | None
    factor: float | None = None
    outcome: SeriesOutcome | None = None

    @property
    def is_changed(self) -> bool:
        """Whether a change of it is known."""
        return self.outcome is not None and self.outcome not in STILL

    @property
    def is_worse(self) -> bool:
        """Whether it is worse than at the baseline, or suspected to be."""
        return self.outcome in WORSE

    @property
    def urgency(self) -> int:
        """The place of its outcome, worst first; larger where there is none."""
        return _RANK[self.outcome]


_RANK: Final = {outcome: place for place, outcome in enumerate([*SeriesOutcome, None])}


def are_single(standings: Iterable[Standing]) -> bool:
    """Tell whether none of these has several settings, or a verdict."""
    measured = [each for each in standings if each.points]
    return bool(measured) and all(
        each.points == 1 and each.verdict is None for each in measured
    )


def single_values(
    now: CommitSnapshot,
    before: CommitSnapshot | None,
    outcomes: Mapping[int, SeriesOutcome | None],
) -> Mapping[int, SingleValue]:
    """Return the values of a commit beside those of its baseline, by series.

    Parameters
    ----------
    outcomes
        The words of the gate, by series.
    """
    ids = [each.series_id for each in now.outlined(now.metrics)]
    values = {key: _only(each) for key, each in now.medians(ids).items()}
    then = before.medians(ids) if before else {}
    earlier = {key: _only(each) for key, each in then.items()}
    return {
        key: SingleValue(
            values.get(key), _over(values.get(key), earlier.get(key)), outcomes.get(key)
        )
        for key in ids
    }


def judged_values(
    session: Session,
    now: CommitSnapshot,
    before: CommitSnapshot | None,
    view: View,
    vs: str | None,
) -> tuple[Mapping[int, SingleValue], str | None]:
    """Return the values of a commit, and what the gate says of all.

    Parameters
    ----------
    view, vs
        The commit, and its baseline where one is named.
    """
    if before is None:
        return single_values(now, None, {}), None
    report, gate = gated_report(session, View(view.project, commit=view.commit), vs)
    outcomes = {each.series_id: each.outcome for each in report.changes}
    return single_values(now, before, outcomes), f"{gate.outcome}: {gate.sentence}"


def values_of_report(
    session: Session, report: CommitReport
) -> Mapping[int, SingleValue] | None:
    """Return the values of a report that is of single values; None of any other."""
    changes, project_id = report.changes, projects.existing(session, report.project).id
    if report.baseline is None or not are_single(
        standing for each in changes for standing in (each.before, each.after)
    ):
        return None
    (row,) = commits.with_hashes(session, project_id, [report.commit.sha])
    return single_values(
        CommitSnapshot.of(session, row),
        CommitSnapshot(session, project_id, report.baseline.id),
        {each.series_id: each.outcome for each in changes},
    )


def _only(measured: Middles) -> float | None:
    """Return the value of the only setting."""
    return next(iter(measured.values.values()), None)


def _over(value: float | None, earlier: float | None) -> float | None:
    return value / earlier if value is not None and earlier else None
