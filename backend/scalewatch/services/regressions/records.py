"""Keep the changes that a detection found in a project: its regressions.

A regression stands for one cause. The next detection finds its series again, now with
more commits: then the regression gets what is known better, and stays the same thing
with its owner and its notes. It is fixed when the former level returns. What is stored
is read first, then it is decided, then written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.figures.notation import UNJUDGED
from scalewatch.modelling.attribution import Cause
from scalewatch.modelling.common_mode.origins import Origin
from scalewatch.services.commits.main_line import BEFORE, positions_on
from scalewatch.services.confirmations.requests import ask, withdraw
from scalewatch.services.regressions import confirming
from scalewatch.services.regressions.changes import LEAST_EFFECT, HistoryChange
from scalewatch.services.regressions.detection import Detected, label
from scalewatch.services.regressions.summary import summary
from scalewatch.services.regressions.webhooks import WATCHER, record_event
from scalewatch.services.shared_cores import left_out_at
from scalewatch.storage import tables
from scalewatch.storage.histories import regressions
from scalewatch.storage.runs import points
from scalewatch.storage.work import confirmations

RETURNED: Final = 0.34
"""A level has returned if no more than this share of the change remains."""

OPEN: Final = frozenset({"open", "acknowledged"})
"""States of regressions that are still there."""


@dataclass(frozen=True, slots=True)
class _Known:
    """The stored regressions of a project, before a detection is recorded.

    Parameters
    ----------
    rows, members
        All regressions, and the series that each is about.
    position_of
        Positions of their commits on the line, by id.
    is_judged_anew
        Whether histories were judged before, and not beside the common mode.
    """

    rows: Sequence[tables.Regression]
    members: Mapping[int, Sequence[regressions.Member]]
    position_of: Mapping[int, int]
    is_judged_anew: bool

    def series_of(self, row: tables.Regression) -> set[int]:
        """Return the ids of the series that a regression is about."""
        return {each.series_id for each in self.members.get(row.id, ())}


@dataclass(frozen=True, slots=True)
class _Event:
    """Something that happens to a regression; webhooks hear of it if it is told."""

    action: str
    note: str | None = None
    is_told: bool = True


def record(session: Session, detected: Detected) -> None:
    """Store what was found: update regressions, open new ones, close fixed ones."""
    wanted = record_causes(session, detected, is_newest=True)
    regressions.put_detection(session, detected.project_id, summary(detected))
    for run in [*wanted, *confirming.of_undecided_steps(detected)]:
        subject = (run.commit_id, run.machine_id)
        ask(session, detected.project_id, subject, run.why)
    waiting = confirmations.unclaimed(session, detected.project_id)
    if waiting:
        worse = _worse(session, detected.project_id)
        for run_id, outcome in confirming.needless(waiting, detected, worse):
            withdraw(session, run_id, outcome)


def record_causes(
    session: Session, detected: Detected, *, is_newest: bool
) -> list[confirming.WantedRun]:
    """Store the causes alone; return the runs that would tell what is in doubt.

    Parameters
    ----------
    is_newest
        Whether the line ends with the newest commit. An older one does not show what
        came later, and thus opens nothing again that was fixed.
    """
    known = _known(session, detected)
    row_of = _matched(detected, known)
    unseen = [row for row in known.rows if row not in row_of.values()]
    no_evidence = _without_evidence(session, known, unseen)
    wanted: list[confirming.WantedRun] = []
    for number, cause in enumerate(detected.causes):
        row = row_of.get(number)
        opened = row is None
        if row is None:
            row = tables.Regression(
                project_id=detected.project_id,
                kind=str(cause.kind),
                is_worse=cause.is_worse,
                state="open" if cause.is_worse else "improved",
                **_facts(detected, cause),
            )
            session.add(row)
            session.flush()
        columns, events = _decided(row, detected, cause, is_newest=is_newest)
        if opened:
            note = None if row.is_sure else "suspected: needs another run"
            events.insert(0, _Event("found", note, not known.is_judged_anew))
        regressions.put_shifts(session, row.id, _shift_rows(detected, cause))
        _write(session, row, columns, events)
        if cause.is_worse:
            wanted += confirming.of_doubt(row, detected, cause)
    for row in unseen:
        event = _withdrawn(row, detected, known, no_evidence)
        if event is not None:
            _write(session, row, {"state": "fixed"}, [event])
    return wanted


def _known(session: Session, detected: Detected) -> _Known:
    rows = list(regressions.of_project(session, detected.project_id))
    ends = {each for row in rows for each in (row.first_commit_id, row.last_commit_id)}
    former = regressions.detection_of(session, detected.project_id)
    return _Known(
        rows=rows,
        members=regressions.members(session, [row.id for row in rows]),
        position_of=positions_on(session, detected.line, ends),
        is_judged_anew=former is not None and "nights" not in former.details,
    )


def _without_evidence(
    session: Session, known: _Known, unseen: Sequence[tables.Regression]
) -> set[int]:
    """Return the regressions whose times are all no evidence."""
    ids = set()
    for row in unseen:
        position = known.position_of.get(row.last_commit_id, BEFORE)
        if row.state in OPEN and position > BEFORE:
            series = known.series_of(row)
            measured = points.of_series(session, row.last_commit_id, series)
            left_out = left_out_at(session, row.project_id, measured)
            if measured and {each.series_id for each in measured} <= left_out.series:
                ids.add(row.id)
    return ids


def _worse(session: Session, project_id: int) -> list[confirming.Suspicion]:
    """Read the regressions for the worse, each with the series that it is about."""
    rows = {
        row.id: row
        for row in regressions.of_project(session, project_id)
        if row.is_worse
    }
    return [
        (rows[number], member)
        for number, members in regressions.members(session, [*rows]).items()
        for member in members
    ]


def _write(
    session: Session,
    row: tables.Regression,
    columns: Mapping[str, Any],
    events: Sequence[_Event],
) -> None:
    for name, value in columns.items():
        setattr(row, name, value)
    for event in events:
        record_event(
            session, row, WATCHER, event.action, event.note, is_told=event.is_told
        )


def _matched(detected: Detected, known: _Known) -> dict[int, tables.Regression]:
    """Return the regressions that causes are already, by the number of the cause.

    It is the one that shares most series, among those whose commits touch.
    """
    matched: dict[int, tables.Regression] = {}
    free = list(known.rows)
    for number, cause in enumerate(detected.causes):
        series = {
            detected.changes[each.subject].history.series.id for each in cause.series
        }
        shared = {
            row.id: len(series & known.series_of(row))
            for row in free
            if _touches(row, cause, known.position_of)
        }
        most = max(shared.values(), default=0)
        if most:
            row = next(row for row in free if shared.get(row.id) == most)
            matched[number] = row
            free.remove(row)
    return matched


def _touches(
    row: tables.Regression, cause: Cause[int], position_of: Mapping[int, int]
) -> bool:
    first = position_of.get(row.first_commit_id)
    last = position_of.get(row.last_commit_id)
    if row.is_worse != cause.is_worse or first is None or last is None:
        return False
    return first <= cause.last + 1 and last >= cause.first - 1


def _facts(detected: Detected, cause: Cause[int]) -> dict[str, Any]:
    return {
        "is_sure": any(detected.details[each.subject].is_sure for each in cause.series),
        "first_commit_id": detected.line.commits[cause.first].id,
        "last_commit_id": detected.line.commits[cause.last].id,
        "suspect": cause.suspect and str(cause.suspect),
        "sentence": cause.sentence,
    }


def _decided(
    row: tables.Regression, detected: Detected, cause: Cause[int], *, is_newest: bool
) -> tuple[dict[str, Any], list[_Event]]:
    """Return the columns of a regression that a cause changes, and what happens."""
    columns = _facts(detected, cause) | {"kind": str(cause.kind)}
    events = []
    if row.kind != cause.kind:
        events.append(_Event("explained anew", f"{row.kind} → {cause.kind}"))
    if columns["is_sure"] and not row.is_sure:
        events.append(_Event("confirmed"))
    returns = [
        _return(detected, detected.changes[each.subject]) for each in cause.series
    ]
    back = [position for position in returns if position is not None]
    if not cause.is_worse:
        return columns, events
    if len(back) < len(returns) and row.state == "fixed" and is_newest:
        columns |= {"state": "open", "fixed_commit_id": None}
        events.append(_Event("opened again"))
    elif len(back) == len(returns) and row.state in OPEN:
        by = detected.line.commits[max(back)]
        columns |= {"state": "fixed", "fixed_commit_id": by.id}
        events.append(_Event("fixed", f"by {label(by)}"))
    return columns, events


def _return(detected: Detected, change: HistoryChange) -> int | None:
    """Return the commit at which a history came back to its former level, if it did."""
    former = change.shift.segments
    size = np.abs(former.after - former.before).max()
    for later in detected.changes:
        if later.history is not change.history or later.first <= change.last:
            continue
        remaining = np.abs(later.shift.segments.after - former.before).max()
        if remaining <= max(RETURNED * size, LEAST_EFFECT):
            return later.last
    return None


def _shift_rows(detected: Detected, cause: Cause[int]) -> list[dict[str, Any]]:
    rows = {}
    for member in cause.series:
        change = detected.changes[member.subject]
        rows[change.history.series.id] = {
            "series_id": change.history.series.id,
            "first_commit_id": detected.line.commits[change.first].id,
            "last_commit_id": detected.line.commits[change.last].id,
            "details": detected.details[member.subject].to_json(),
        }
    return list(rows.values())


def _withdrawn(  # noqa: PLR0911 - the first that is true
    row: tables.Regression,
    detected: Detected,
    known: _Known,
    no_evidence: set[int],
) -> _Event | None:
    """Return why a regression that no cause is any more is withdrawn; None if it stays.

    A sure one stays, unless rules, machines or shared cores explain it.
    """
    if row.state not in OPEN or row.last_commit_id not in known.position_of:
        return None
    if known.is_judged_anew:
        machines = {each.machine for each in known.members.get(row.id, ())}
        note = f"judged anew: {_explanation(detected, machines)}"
        return _Event("withdrawn", note, is_told=False)
    if _has_become_small(row, detected, known):
        return _Event("withdrawn", "smaller than the effect that matters: a drift")
    passed = _passed(row, detected, known)
    if passed is not None:
        return _Event("fixed", f"passing: the level returned at {passed}")
    if row.id in no_evidence:
        return _Event("withdrawn", f"{UNJUDGED}: it is no evidence")
    if row.state == "open" and not row.is_sure:
        return _Event("withdrawn", "further commits do not show it")
    return None


def _explanation(detected: Detected, machines: set[str]) -> str:
    """Return why a change on machines is no change any more."""
    moved = [
        f"{each.machine} since {label(detected.line.commits[each.position])}"
        for each in detected.steps
        if each.origin is Origin.MACHINE and each.machine in machines
    ]
    if moved:
        return f"all regions moved alike: {', '.join(sorted(moved))}"
    if machines & {each.machine for each in detected.nights}:
        return "the nights of its machine, which all regions share, explain it"
    return "it is no more than commits of its machine differ by"


def _has_become_small(
    row: tables.Regression, detected: Detected, known: _Known
) -> bool:
    """Tell whether all series of a regression are drifts by the rules in force."""
    first = known.position_of.get(row.first_commit_id)
    last = known.position_of[row.last_commit_id]
    if first is None:
        return False
    drifts = {
        each.history.series.id
        for each in detected.drifts
        if each.first <= last and first <= each.last
    }
    series = known.series_of(row)
    return bool(series) and series <= drifts


def _passed(row: tables.Regression, detected: Detected, known: _Known) -> str | None:
    """Return the commit at which all series of a regression had returned, if any."""
    first = known.position_of.get(row.first_commit_id)
    last = known.position_of[row.last_commit_id]
    events = {
        each.history.series.id: each.returned
        for each in detected.passing
        if first is not None and first <= each.first <= last
    }
    series = known.series_of(row)
    if not series or not series <= events.keys():
        return None
    return label(detected.line.commits[max(events[each] for each in series)])
