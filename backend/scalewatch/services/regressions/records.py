"""Keep what was detected in all histories of a project: regressions.

A regression stands for one cause. The next detection finds its series again, now with
more commits: then the regression gets what is known better, and stays the same thing
with its owner and its notes. It is fixed when the former level returns.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling.attribution.causes import Cause
from scalewatch.modelling.common_mode.origins import Origin
from scalewatch.services.common_mode.watched_line import BEFORE, positions_on
from scalewatch.services.confirmations.requests import ask
from scalewatch.services.regressions.changes import HistoryChange
from scalewatch.services.regressions.detection import LEAST_EFFECT, Detected, label
from scalewatch.services.regressions.events import WATCHER, record_event
from scalewatch.services.regressions.other_nights import ask_other_nights
from scalewatch.services.regressions.summary import summary
from scalewatch.services.regressions.withdrawals import withdraw_needless
from scalewatch.services.shared_cores import SHARED_CORES, left_out_at
from scalewatch.storage import tables
from scalewatch.storage.histories import regressions
from scalewatch.storage.runs import points

RETURNED: Final = 0.34
"""A level has returned if no more than this share of the change remains."""


def record(session: Session, detected: Detected) -> None:
    """Keep what was found: update regressions, open new ones, close fixed ones."""
    known = list(regressions.of_project(session, detected.project_id))
    members = regressions.members(session, [row.id for row in known])
    told = {each for row in known for each in (row.first_commit_id, row.last_commit_id)}
    position_of = positions_on(session, detected.line, told)
    free = {row.id: row for row in known}
    is_anew = _is_anew(session, detected.project_id)
    for cause in detected.causes:
        row = _known(cause, detected, free, members, position_of)
        if row is None:
            row = _opened(session, detected, cause, is_told=not is_anew)
        else:
            del free[row.id]
            _update(session, row, detected, cause)
        rows = _shift_rows(detected, cause)
        regressions.put_shifts(session, row.id, rows)
        if cause.is_worse:
            _fix(session, row, detected, cause)
            _doubt(session, row, detected, cause)
    for row in free.values():
        series = [each.series_id for each in members.get(row.id, ())]
        if is_anew and row.last_commit_id in position_of:
            machines = {each.machine for each in members.get(row.id, ())}
            _explain_away(session, row, _reason(detected, machines))
        if _has_become_small(detected, row, series, position_of):
            _withdraw(session, row, "smaller than the effect that matters: a drift")
        _doubt_unseen(session, row, series, position_of.get(row.last_commit_id))
    regressions.put_detection(session, detected.project_id, summary(detected))
    ask_other_nights(session, detected)
    withdraw_needless(session, detected)


def _is_anew(session: Session, project_id: int) -> bool:
    """Tell whether histories were judged before, and not by the nights of machines."""
    former = regressions.detection_of(session, project_id)
    return former is not None and "nights" not in former.details


def _explain_away(session: Session, row: tables.Regression, reason: str) -> None:
    """Close, without telling everybody, what is no change any more."""
    if row.state in {"open", "acknowledged"}:
        row.state = "fixed"
        note = f"judged anew: {reason}"
        record_event(session, row, WATCHER, "withdrawn", note, is_told=False)


def _reason(detected: Detected, machines: set[str]) -> str:
    """Return why what machines showed is no change any more."""
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


def _series_of(detected: Detected, cause: Cause[int]) -> set[int]:
    return {detected.changes[each.subject].history.series.id for each in cause.series}


def _known(
    cause: Cause[int],
    detected: Detected,
    free: Mapping[int, tables.Regression],
    members: Mapping[int, Sequence[regressions.Member]],
    position_of: Mapping[int, int],
) -> tables.Regression | None:
    """Return the regression that a cause is, if it is known already."""
    series = _series_of(detected, cause)
    best, most = None, 0
    for row in free.values():
        first = position_of.get(row.first_commit_id)
        last = position_of.get(row.last_commit_id)
        if row.is_worse != cause.is_worse or first is None or last is None:
            continue
        if first > cause.last + 1 or last < cause.first - 1:
            continue
        shared = len(series & {each.series_id for each in members.get(row.id, ())})
        if shared > most:
            best, most = row, shared
    return best


def _opened(
    session: Session, detected: Detected, cause: Cause[int], *, is_told: bool
) -> tables.Regression:
    row = tables.Regression(
        project_id=detected.project_id,
        kind=str(cause.kind),
        is_worse=cause.is_worse,
        state="open" if cause.is_worse else "improved",
        **_facts(detected, cause),
    )
    session.add(row)
    session.flush()
    note = None if row.is_sure else "suspected: another run would tell"
    record_event(session, row, WATCHER, "found", note, is_told=is_told)
    return row


def _facts(detected: Detected, cause: Cause[int]) -> dict[str, Any]:
    return {
        "is_sure": any(detected.details[each.subject].is_sure for each in cause.series),
        "first_commit_id": detected.line.commits[cause.first].id,
        "last_commit_id": detected.line.commits[cause.last].id,
        "suspect": cause.suspect and str(cause.suspect),
        "sentence": cause.sentence,
    }


def _update(
    session: Session, row: tables.Regression, detected: Detected, cause: Cause[int]
) -> None:
    if row.kind != cause.kind:
        note = f"{row.kind} → {cause.kind}"
        record_event(session, row, WATCHER, "explained anew", note)
        row.kind = str(cause.kind)
    facts = _facts(detected, cause)
    if facts["is_sure"] and not row.is_sure:
        record_event(session, row, WATCHER, "confirmed", None)
    for name, value in facts.items():
        setattr(row, name, value)


def _shift_rows(detected: Detected, cause: Cause[int]) -> list[dict[str, Any]]:
    rows = {}
    for each in cause.series:
        change = detected.changes[each.subject]
        rows[change.history.series.id] = {
            "series_id": change.history.series.id,
            "first_commit_id": detected.line.commits[change.first].id,
            "last_commit_id": detected.line.commits[change.last].id,
            "details": detected.details[each.subject].to_json(),
        }
    return list(rows.values())


def _fix(
    session: Session, row: tables.Regression, detected: Detected, cause: Cause[int]
) -> None:
    """Close a regression whose series are all back where they were."""
    returns = [
        _return(detected, detected.changes[each.subject]) for each in cause.series
    ]
    if any(position is None for position in returns):
        if row.state == "fixed":
            row.state, row.fixed_commit_id = "open", None
            record_event(session, row, WATCHER, "opened again", None)
        return
    if row.state in {"open", "acknowledged"}:
        last = max(position for position in returns if position is not None)
        row.state = "fixed"
        row.fixed_commit_id = detected.line.commits[last].id
        record_event(
            session, row, WATCHER, "fixed", f"by {label(detected.line.commits[last])}"
        )


def _doubt(
    session: Session, row: tables.Regression, detected: Detected, cause: Cause[int]
) -> None:
    """Ask the machines for another run where one job alone tells of a regression."""
    if row.is_sure or row.state != "open":
        return
    for each in cause.series:
        change = detected.changes[each.subject]
        noticed = detected.line.commits[
            change.history.positions[change.shift.segments.at]
        ]
        ask(
            session,
            detected.project_id,
            (noticed.id, change.history.series.machine_id),
            f"regression {row.id} is suspected: {row.sentence}",
        )


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


def _doubt_unseen(
    session: Session,
    row: tables.Regression,
    series: Sequence[int],
    position: int | None,
) -> None:
    """Withdraw what no commit shows any more: a sure one, if it was no evidence."""
    if row.state not in {"open", "acknowledged"} or position is None:
        return
    if position > BEFORE and _is_left_out(session, row.last_commit_id, series):
        _withdraw(session, row, f"{SHARED_CORES}: it is no evidence")
    elif row.state == "open" and not row.is_sure:
        _withdraw(session, row, "further commits do not show it")


def _has_become_small(
    detected: Detected,
    row: tables.Regression,
    series: Sequence[int],
    position_of: Mapping[int, int],
) -> bool:
    """Tell whether all that a regression changed are drifts by the rules in force."""
    if row.state not in {"open", "acknowledged"}:
        return False
    first, last = (
        position_of.get(each) for each in (row.first_commit_id, row.last_commit_id)
    )
    if first is None or last is None:
        return False
    drifts = {
        each.history.series.id
        for each in detected.drifts
        if each.first <= last and first <= each.last
    }
    return bool(series) and set(series) <= drifts


def _is_left_out(session: Session, commit_id: int, series: Sequence[int]) -> bool:
    """Tell whether times of all these series are no evidence at a commit."""
    measured = points.of_series(session, commit_id, series)
    left_out = left_out_at(session, commit_id, measured)
    return bool(measured) and {each.series_id for each in measured} <= left_out.series


def _withdraw(session: Session, row: tables.Regression, reason: str) -> None:
    row.state = "fixed"
    record_event(session, row, WATCHER, "withdrawn", reason)
