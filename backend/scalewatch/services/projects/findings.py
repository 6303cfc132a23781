"""Findings about series beside the changes: failures, expectations and drifts.

They are regressions like changes: people acknowledge them, own them and mark them as
expected. One is found when its series fails, or scales worse than expected, at the
newest commit, or drifts over months; it is fixed once all of its series fare otherwise,
where they are measured.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling import Mark, Verdict
from scalewatch.services.commits.lineage import Lineage
from scalewatch.services.regressions.detection import Detected, label
from scalewatch.services.regressions.regressions import (
    Finding,
    RegressionKind,
    RegressionState,
)
from scalewatch.services.regressions.webhooks import WATCHER, record_event
from scalewatch.services.series.judged import NO_REASON, Judged
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import State, growth_or_none
from scalewatch.storage import tables
from scalewatch.storage.commits import commits
from scalewatch.storage.histories import regressions
from scalewatch.storage.judgements import verdicts
from scalewatch.storage.runs import points, series

LOOKED_BACK: Final = 100
"""Commits over which the first one of a finding is looked for."""

Key = tuple[RegressionKind, str, str]
"""Kind, region and metric: findings that fare alike are one."""


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings about a project at its newest commit.

    Parameters
    ----------
    by_key, first
        Each, and the commit that shows it first.
    measured
        Series that were judged there: what is not of them may still fare as before.
    """

    project_id: int
    commit_id: int
    by_key: Mapping[Key, Finding]
    first: Mapping[Key, int]
    measured: frozenset[int]

    def last(self, key: Key) -> int:
        """Return the commit at which a finding was noticed: drifts come over many."""
        return self.commit_id if key[0] is RegressionKind.DRIFT else self.first[key]


def findings_at(
    session: Session, project_id: int, commit_id: int, detected: Detected
) -> Findings:
    """Find what fails, scales worse than expected, or drifts, and since when."""
    now = CommitSnapshot(session, project_id, commit_id)
    scans = now.outlined(now.metrics)
    alike: dict[Key, list[Judged]] = defaultdict(list)
    for scan in scans:
        if (kind := _kind_of(scan)) is not None:
            alike[kind, scan.region, scan.metric].append(scan)
    worst = {key: min(of, key=_urgency) for key, of in alike.items()}
    known = {_key(row) for row in regressions.findings(session, project_id)}
    new = {key: scan for key, scan in worst.items() if key not in known}
    first = _first_commits(session, detected.line, new)
    drifts = dict(_drifts(detected))
    return Findings(
        project_id=project_id,
        commit_id=commit_id,
        by_key={key: _finding(key[0], worst[key], of) for key, of in alike.items()}
        | {key: finding for key, (finding, _) in drifts.items()},
        first={key: first.get(key, commit_id) for key in worst}
        | {key: since for key, (_, since) in drifts.items()},
        measured=frozenset(
            scan.series_id
            for scan in scans
            if scan.standing.state not in {State.PENDING, State.UNMEASURED}
        ),
    )


def record(session: Session, observed: Findings) -> None:
    """Store findings: new ones are open, and those that are no more are fixed.

    A missed expectation that a change of growth says already is none of its own.
    """
    said = _changed_growths(session, observed.project_id)
    by_key = {key: each for key, each in observed.by_key.items() if key not in said}
    stored = regressions.findings(session, observed.project_id)
    rows = {_key(row): row for row in stored}
    for key, finding in by_key.items():
        row = rows.get(key)
        if row is None:
            row = tables.Regression(
                project_id=observed.project_id,
                kind=str(key[0]),
                is_worse=True,
                is_sure=True,
                state=str(RegressionState.OPEN),
                first_commit_id=observed.first[key],
                last_commit_id=observed.last(key),
                sentence=finding.words,
                finding=asdict(finding),
            )
            session.add(row)
            session.flush()
            record_event(session, row, WATCHER, "found", None, is_told=False)
            continue
        before = Finding.from_json(row.finding or {})
        stays = [each for each in before.series if each not in observed.measured]
        row.finding = asdict(finding.beside(before, stays))
        row.sentence = finding.words
    gone = {key: row for key, row in rows.items() if key not in by_key}
    still_there = series.existing(
        session, {each for row in gone.values() for each in _series_of(row)}
    )
    fixed_by = label(commits.existing(session, observed.commit_id))
    for key, row in gone.items():
        if key in said:
            row.state = str(RegressionState.FIXED)
            note = "a change of growth says it"
            record_event(session, row, WATCHER, "withdrawn", note, is_told=False)
        elif not _series_of(row) & still_there - observed.measured:
            row.state = str(RegressionState.FIXED)
            row.fixed_commit_id = observed.commit_id
            note = f"by {fixed_by}"
            record_event(session, row, WATCHER, "fixed", note, is_told=False)


def _changed_growths(session: Session, project_id: int) -> set[Key]:
    """Return the expectations that regressions of growth say are missed."""
    ids = [
        row.id
        for row in regressions.of_project(session, project_id)
        if row.is_worse
        and row.kind == RegressionKind.GROWTH
        and row.state != RegressionState.FIXED
    ]
    return {
        (RegressionKind.EXPECTATION, member.region, member.metric)
        for members in regressions.members(session, ids).values()
        for member in members
    }


def _series_of(row: tables.Regression) -> set[int]:
    return set((row.finding or {})["series"])


def _key(row: tables.Regression) -> Key:
    finding = row.finding or {}
    return RegressionKind(row.kind), finding["region"], finding["metric"]


def _kind_of(scan: Judged) -> RegressionKind | None:
    if scan.standing.state is State.FAILED or scan.failures:
        return RegressionKind.FAILURE
    if scan.standing.mark is Mark.MISMATCH:
        return RegressionKind.EXPECTATION
    return None


def _urgency(scan: Judged) -> tuple[bool, float, str]:
    """Order series that failed wholly first, then by how surely they mismatch."""
    is_whole = scan.standing.state is State.FAILED
    return not is_whole, -(scan.standing.probability or 0), scan.machine


def _finding(kind: RegressionKind, worst: Judged, alike: Sequence[Judged]) -> Finding:
    words, growth, expected = "scales worse than expected", None, None
    if kind is RegressionKind.FAILURE:
        reason = worst.standing.reason or NO_REASON
        failures = worst.failures or (f"every setting: {reason}",)
        words = f"failed at {'; '.join(failures)}"
    elif worst.expectation is not None:
        growth, expected = worst.standing.growth, worst.expectation.growth
    return Finding(
        region=worst.region,
        metric=worst.metric,
        machine=worst.machine,
        others=tuple(sorted({each.machine for each in alike} - {worst.machine})),
        series=(
            worst.series_id,
            *(each.series_id for each in alike if each is not worst),
        ),
        configuration=worst.configuration,
        words=words,
        growth=None if growth is None else str(growth),
        expectation=None if expected is None else str(expected),
        probability=None
        if kind is RegressionKind.FAILURE
        else worst.standing.probability,
    )


def _drifts(detected: Detected) -> Iterator[tuple[Key, tuple[Finding, int]]]:
    """Yield drifts for the worse, the slowest of a region first, with their begin."""
    for history, drift in sorted(detected.slow, key=lambda slow: abs(slow[1].per_year)):
        at = history.series
        if (drift.total > 0) == (at.better == "lower"):
            key = RegressionKind.DRIFT, history.region, at.metric
            finding = Finding(
                region=history.region,
                metric=at.metric,
                machine=at.machine,
                others=(),
                series=(at.id,),
                configuration=at.configuration,
                words=f"{np.expm1(drift.per_year):+.1%} a year, by no single commit",
                factor=round(float(np.exp(drift.total)), 4),
            )
            yield key, (finding, detected.line.commits[history.positions[0]].id)


def _first_commits(
    session: Session, line: Lineage, new: Mapping[Key, Judged]
) -> dict[Key, int]:
    """Return the commits since which series fare as they do now, without a break."""
    ids = [commit.id for commit in line.commits[-LOOKED_BACK:]][::-1]
    fares: dict[tuple[RegressionKind, int], dict[int, bool]] = defaultdict(dict)
    of_kind = {
        kind: [scan.series_id for key, scan in new.items() if key[0] is kind]
        for kind in RegressionKind
    }
    failed = points.failed_at(session, of_kind[RegressionKind.FAILURE], ids)
    for number, commit, is_failed in failed:
        fares[RegressionKind.FAILURE, number][commit] = is_failed
    judged = verdicts.judged_at(session, of_kind[RegressionKind.EXPECTATION], ids)
    for number, commit, verdict, divergence in judged:
        mark = Mark.of_divergence(Verdict(verdict), growth_or_none(divergence))
        if mark is not Mark.UNDECIDED:
            fares[RegressionKind.EXPECTATION, number][commit] = mark is Mark.MISMATCH
    first = {}
    for key, scan in new.items():
        at = fares[key[0], scan.series_id]
        known = [(commit, at[commit]) for commit in ids if commit in at]
        bad = [*takewhile(lambda fared: fared[1], known)]
        if bad:
            first[key] = bad[-1][0]
    return first
