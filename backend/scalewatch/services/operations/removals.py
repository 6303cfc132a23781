"""Removal of a run, commit, machine or project with all that hangs on it.

With the last run of a commit, machine, series, configuration or fingerprint goes that
itself; regressions go with the commits that they began or ended at. What is left and
depended on it is analysed anew: the same commit and, since noise is learned from older
commits and reused, the next ones of the machine. All of it is one transaction.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import and_
from sqlalchemy.orm import Session

from scalewatch.services import jobs
from scalewatch.services.access import audit
from scalewatch.services.analysis import levels
from scalewatch.services.analysis.noise import MOST_COMMITS, MOST_REUSES
from scalewatch.services.commits.find import find_commit
from scalewatch.services.jobs import AnalysedCommit, JobKind
from scalewatch.storage import machines, removals, tables
from scalewatch.storage.access import projects
from scalewatch.storage.database.lists import among
from scalewatch.storage.judgements.levels import taken_from
from scalewatch.storage.removals import Condition, Pair, Removal
from scalewatch.storage.runs import runs

REACH: Final = MOST_COMMITS + MOST_REUSES + 1
"""Later commits that noise learned at a commit can reach."""

NOUNS: Final[Mapping[str, str]] = {
    "project": "projects",
    "commit": "commits",
    "machine": "machines",
    "run": "runs",
    "imported_file": "imported files",
    "point": "measurements",
    "series": "series",
    "model": "models",
    "verdict": "verdicts",
    "regression": "regressions",
    "confirmation": "confirming runs",
    "expectation": "versions of expectations",
    "token": "tokens",
    "webhook": "webhooks",
}
"""Tables whose rows people count; others hold details of these."""


@dataclass(frozen=True, slots=True)
class Removed:
    """Rows that were removed, by what they are, and analyses that are made anew."""

    what: str
    rows: Mapping[str, int]
    analyses: int


def remove_run(session: Session, uuid: UUID) -> Removed:
    """Remove a run.

    Raises
    ------
    NotFound
        If there is none with this id.
    """
    run = runs.described(session, uuid)
    project = projects.existing(session, run.project)
    touched = _Touched(project, tables.Run.id == run.id)
    return _remove(session, touched, "run", str(uuid))


def remove_commit(session: Session, project_name: str, reference: str) -> Removed:
    """Remove a commit with its runs.

    Raises
    ------
    NotFound, AmbiguousReference
        If there is no such project, or not one such commit of it.
    """
    project = projects.existing(session, project_name)
    commit = find_commit(session, project, reference)
    touched = _Touched(
        project, tables.Run.commit_id == commit.id, commits=frozenset({commit.id})
    )
    return _remove(session, touched, "commit", commit.sha)


def remove_machine(session: Session, project_name: str, name: str) -> Removed:
    """Remove a machine with its runs.

    Raises
    ------
    NotFound
        If there is no such project, or no such machine of it.
    """
    project = projects.existing(session, project_name)
    machine = machines.named(session, project.id, name)
    touched = _Touched(
        project, tables.Run.machine_id == machine.id, machines=frozenset({machine.id})
    )
    return _remove(session, touched, "machine", name)


def remove_project(session: Session, name: str) -> Removed:
    """Remove a project with its settings, tokens and webhooks.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, name)
    commits = removals.ids_of(session, tables.Commit, project.id)
    touched = _Touched(
        project,
        among(tables.Run.commit_id, commits),
        commits=frozenset(commits),
        machines=frozenset(removals.ids_of(session, tables.Machine, project.id)),
    )
    removal = _removal(session, touched)
    removal.project(project.id)
    return _noted(session, removal, name, "project", name)


@dataclass(frozen=True, slots=True)
class _Touched:
    """The extent of a removal.

    Parameters
    ----------
    runs
        Which runs go.
    commits, machines
        Those that go with them in any case.
    """

    project: tables.Project
    runs: Condition
    commits: frozenset[int] = frozenset()
    machines: frozenset[int] = frozenset()


def _remove(session: Session, touched: _Touched, kind: str, name: str) -> Removed:
    """Remove a part of a project, and queue what has to be analysed anew."""
    affected = _affected(session, touched)
    homeless = taken_from(
        session,
        {commit_id for commit_id, _ in affected},
        {machine_id for _, machine_id in affected},
    )
    removal = _removal(session, touched)
    levels.renew(session, homeless)
    left = removals.measured_by(
        session,
        and_(
            among(tables.Run.commit_id, {commit_id for commit_id, _ in affected}),
            among(tables.Run.machine_id, {machine_id for _, machine_id in affected}),
        ),
    )
    anew = [pair for pair in affected if pair in left]
    for commit_id, machine_id in anew:
        removal.noise(commit_id, machine_id)
        subject = AnalysedCommit(commit_id, machine_id)
        jobs.enqueue(session, JobKind.ANALYSE, touched.project.id, str(subject))
    jobs.enqueue(session, JobKind.WATCH, touched.project.id)
    return _noted(session, removal, touched.project.name, kind, name, len(anew))


def _affected(session: Session, touched: _Touched) -> list[Pair]:
    """Return the commits and machines of runs, and those their noise can reach."""
    pairs = removals.measured_by(session, touched.runs)
    later = [
        (later_id, machine_id)
        for commit_id, machine_id in sorted(pairs)
        if machine_id not in touched.machines
        for later_id in removals.measured_after(
            session, session.get_one(tables.Commit, commit_id), machine_id, REACH
        )
    ]
    return list(dict.fromkeys([*sorted(pairs), *later]))


def _removal(session: Session, touched: _Touched) -> Removal:
    """Delete runs with their findings, and all that has no run left."""
    project_id = touched.project.id
    pairs = removals.measured_by(session, touched.runs)
    at_commits = touched.commits | {commit_id for commit_id, _ in pairs}
    at_machines = touched.machines | {machine_id for _, machine_id in pairs}
    brought = removals.series_of(session, touched.runs)
    removal = Removal(session)
    removal.runs(touched.runs)
    removal.files(project_id)
    removal.findings(at_commits, at_machines)
    left = removals.measured_by(session, among(tables.Run.commit_id, at_commits))
    commits = touched.commits | at_commits - {commit_id for commit_id, _ in left}
    left = removals.measured_by(session, among(tables.Run.machine_id, at_machines))
    machines = touched.machines | at_machines - {machine_id for _, machine_id in left}
    kept = removals.series_of(session, among(tables.Run.machine_id, at_machines))
    series = removals.series_on(session, machines) | brought - kept
    regressions = removals.regressions_of(session, project_id, commits, series)
    deliveries = removals.deliveries_of(session, regressions)
    notices = [f"{webhook}/{event}" for webhook, event in deliveries]
    removal.jobs(JobKind.NOTIFY, notices)
    removal.regressions(project_id, regressions, commits)
    removal.series(series)
    gone = [pair for pair in pairs if pair[0] in commits or pair[1] in machines]
    removal.jobs(JobKind.ANALYSE, [str(AnalysedCommit(*pair)) for pair in gone])
    removal.commits(commits)
    removal.states(at_machines)
    removal.machines(machines)
    removal.configurations(project_id)
    return removal


def _noted(  # noqa: PLR0913, PLR0917 - what the audit log has to say
    session: Session,
    removal: Removal,
    project: str,
    kind: str,
    name: str,
    analyses: int = 0,
) -> Removed:
    """Return the removed rows by noun, and note them in the audit log."""
    rows = {
        noun: removal.rows[table]
        for table, noun in NOUNS.items()
        if removal.rows[table]
    }
    audit.note(session, f"{kind} removed", project, name, **rows)
    return Removed(f"{kind} {name}", rows, analyses)
