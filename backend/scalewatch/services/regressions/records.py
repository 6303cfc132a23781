"""Keep what a look at all histories of a project found, as regressions.

A regression stands for one cause. The next look finds its series again, now with more
commits: then the regression gets what is known better, and stays the same thing with
its owner and its notes. It is fixed when the former level returns.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling.attribution.causes import Cause
from scalewatch.modelling.histories.changes import FALSE_SHARE
from scalewatch.services.confirmations.requests import ask
from scalewatch.services.regressions.detection import LEAST_EFFECT, Seen, label
from scalewatch.services.regressions.events import WATCHER, happened
from scalewatch.services.regressions.series_histories import Moved as Change
from scalewatch.services.regressions.withdrawals import settle
from scalewatch.storage import tables
from scalewatch.storage.histories import regressions

RETURNED: Final = 0.34
"""A level has returned if no more than this share of the change remains."""


def record(session: Session, seen: Seen) -> None:
    """Keep what was found: update regressions, open new ones, close fixed ones."""
    known = list(regressions.of_project(session, seen.project_id))
    members = regressions.members(session, [row.id for row in known])
    place_of = {commit.id: place for place, commit in enumerate(seen.line.commits)}
    free = {row.id: row for row in known}
    for cause in seen.causes:
        row = _known(cause, seen, free, members, place_of)
        if row is None:
            row = _opened(session, seen, cause)
        else:
            del free[row.id]
            _update(session, row, seen, cause)
        rows = _shift_rows(seen, cause)
        regressions.put_shifts(session, row.id, rows)
        if cause.is_worse:
            _fix(session, row, seen, cause)
            _doubt(session, row, seen, cause)
    for row in free.values():
        _withdraw(session, row, place_of)
    regressions.put_watch(session, seen.project_id, _summary(seen))
    settle(session, seen)


def _series_of(seen: Seen, cause: Cause[int]) -> set[int]:
    return {seen.changes[each.subject].track.series.id for each in cause.moved}


def _known(
    cause: Cause[int],
    seen: Seen,
    free: Mapping[int, tables.Regression],
    members: Mapping[int, Sequence[regressions.Member]],
    place_of: Mapping[int, int],
) -> tables.Regression | None:
    """Return the regression that a cause is, if it is known already."""
    series = _series_of(seen, cause)
    best, most = None, 0
    for row in free.values():
        first = place_of.get(row.first_commit_id)
        last = place_of.get(row.last_commit_id)
        if row.is_worse != cause.is_worse or first is None or last is None:
            continue
        if first > cause.last + 1 or last < cause.first - 1:
            continue
        shared = len(series & {each.series_id for each in members.get(row.id, ())})
        if shared > most:
            best, most = row, shared
    return best


def _opened(session: Session, seen: Seen, cause: Cause[int]) -> tables.Regression:
    row = tables.Regression(
        project_id=seen.project_id,
        kind=str(cause.kind),
        is_worse=cause.is_worse,
        state="open" if cause.is_worse else "improved",
        **_facts(seen, cause),
    )
    session.add(row)
    session.flush()
    note = None if row.is_sure else "suspected: another run would tell"
    happened(session, row, WATCHER, "found", note)
    return row


def _facts(seen: Seen, cause: Cause[int]) -> dict[str, Any]:
    return {
        "is_sure": any(seen.details[each.subject].is_sure for each in cause.moved),
        "first_commit_id": seen.line.commits[cause.first].id,
        "last_commit_id": seen.line.commits[cause.last].id,
        "suspect": cause.suspect and str(cause.suspect),
        "sentence": cause.sentence,
    }


def _update(
    session: Session, row: tables.Regression, seen: Seen, cause: Cause[int]
) -> None:
    if row.kind != cause.kind:
        note = f"{row.kind} → {cause.kind}"
        happened(session, row, WATCHER, "explained anew", note)
        row.kind = str(cause.kind)
    facts = _facts(seen, cause)
    if facts["is_sure"] and not row.is_sure:
        happened(session, row, WATCHER, "confirmed", None)
    for name, value in facts.items():
        setattr(row, name, value)


def _shift_rows(seen: Seen, cause: Cause[int]) -> list[dict[str, Any]]:
    rows = {}
    for each in cause.moved:
        change = seen.changes[each.subject]
        rows[change.track.series.id] = {
            "series_id": change.track.series.id,
            "first_commit_id": seen.line.commits[change.first].id,
            "last_commit_id": seen.line.commits[change.last].id,
            "details": seen.details[each.subject].to_json(),
        }
    return list(rows.values())


def _fix(
    session: Session, row: tables.Regression, seen: Seen, cause: Cause[int]
) -> None:
    """Close a regression whose series are all back where they were."""
    returns = [_return(seen, seen.changes[each.subject]) for each in cause.moved]
    if any(place is None for place in returns):
        if row.state == "fixed":
            row.state, row.fixed_commit_id = "open", None
            happened(session, row, WATCHER, "opened again", None)
        return
    if row.state in {"open", "acknowledged"}:
        last = max(place for place in returns if place is not None)
        row.state = "fixed"
        row.fixed_commit_id = seen.line.commits[last].id
        happened(session, row, WATCHER, "fixed", f"by {label(seen.line.commits[last])}")


def _doubt(
    session: Session, row: tables.Regression, seen: Seen, cause: Cause[int]
) -> None:
    """Ask the machines for another run where one job alone tells of a regression."""
    if row.is_sure or row.state != "open":
        return
    for each in cause.moved:
        change = seen.changes[each.subject]
        noticed = seen.line.commits[change.track.places[change.shift.segments.at]]
        ask(
            session,
            seen.project_id,
            (noticed.id, change.track.series.machine_id),
            f"regression {row.id} is suspected: {row.sentence}",
        )


def _return(seen: Seen, change: Change) -> int | None:
    """Return the commit at which a track came back to its former level, if it did."""
    former = change.shift.segments
    size = np.abs(former.after - former.before).max()
    for later in seen.changes:
        if later.track is not change.track or later.first <= change.last:
            continue
        remaining = np.abs(later.shift.segments.after - former.before).max()
        if remaining <= max(RETURNED * size, LEAST_EFFECT):
            return later.last
    return None


def _withdraw(
    session: Session, row: tables.Regression, place_of: Mapping[int, int]
) -> None:
    """Say of a suspicion that it is seen no more; a sure one stays as it is."""
    if row.state != "open" or row.is_sure or row.last_commit_id not in place_of:
        return
    row.state = "fixed"
    happened(session, row, WATCHER, "withdrawn", "further commits do not show it")


def _summary(seen: Seen) -> dict[str, Any]:
    newest = seen.line.commits[-1].sha if seen.line.commits else None
    return {
        "newest": newest,
        "commits": len(seen.line.commits),
        "series": seen.false.series,
        "changes": len(seen.changes),
        "sure": seen.false.sure,
        "expected_false": seen.false.expected,
        "false_share": FALSE_SHARE,
        "baselines": list(seen.baselines),
        "remarks": list(seen.line.remarks),
    }
