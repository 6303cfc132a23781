"""Fill a database from a store, so that it tells what a server would that was fed it.

Commits are recorded in the order in which they were made: by parents, then by time.
Each stride of them is located and searched for changes, so that changes of any age are
found, as by a server that was there all the time. Models are made of those commits
alone that somebody looks at: where repetitions lie is all that histories need.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import ScalewatchError
from scalewatch.services import jobs as queue
from scalewatch.services import shared_cores
from scalewatch.services.analysis import analysis
from scalewatch.services.commits.baselines import baseline_of, merge_base_of
from scalewatch.services.commits.find import find_commit
from scalewatch.services.expectations import declarations
from scalewatch.services.jobs import AnalysedCommit, JobKind
from scalewatch.services.projects import overviews
from scalewatch.services.regressions.regressions import (
    SETTABLE,
    RegressionState,
    regression_of,
    regressions_of,
)
from scalewatch.services.regressions.triage import Triage, triage
from scalewatch.services.runs.record import (
    PreparedRun,
    Receipt,
    prepare,
    record_prepared,
)
from scalewatch.services.stores.order import CommitFiles
from scalewatch.settings import ALARMING_SHARE
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.database.session import Sessions, transact
from scalewatch.storage.histories import locations
from scalewatch.storage.judgements import editions
from scalewatch.storage.tables.base import as_of
from scalewatch.storage.work import jobs
from scalewatch.stores import files
from scalewatch.stores.decisions import Decision
from scalewatch.stores.files import StoredRun, StoreFault, moment_of
from scalewatch.stores.store import Contents

STRIDE: Final = 200
"""Commits that are recorded between two searches for changes."""

AT_ONCE: Final = 100
"""Commits whose runs are recorded, or located, in one transaction."""

_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Filled:
    """The runs, projects and faults of a store that was recorded.

    Parameters
    ----------
    runs, known
        How many were recorded, and how many of these were there before.
    projects
        Names of the projects that were recorded.
    faults
        Lines and files that do not count.
    """

    runs: int = 0
    known: int = 0
    projects: set[str] = field(default_factory=set)
    faults: list[StoreFault] = field(default_factory=list)


def fill(
    sessions: Sessions,
    contents: Contents,
    in_order: Sequence[CommitFiles],
    state: Callable[[Session, str], None] = lambda _session, _project: None,
) -> Filled:
    """Record commits, write down where they lie, and search them for changes.

    Parameters
    ----------
    state
        Writes down what is expected of a project, once it is known.
    """
    filled = Filled()
    for of_project in _by_project(in_order):
        for start in range(0, len(of_project), STRIDE):
            stride = of_project[start : start + STRIDE]
            names, last = _record(sessions, contents, stride, filled)
            with as_of(last):
                for name in names - filled.projects:
                    transact(sessions, partial(_stated, state=state, name=name))
                filled.projects |= names
                _locate(sessions)
                _detect(sessions, names)
    transact(sessions, partial(decide, decisions=contents.decisions))
    filled.faults += contents.faults
    return filled


def decide(session: Session, decisions: Sequence[Decision]) -> None:
    """Give regressions what people have decided on them, each once."""
    for decision in decisions:
        if projects.named(session, decision.project) is None:
            continue
        for regression in regressions_of(session, decision.project).regressions:
            if (
                regression.kind != decision.kind
                or regression.first.sha != decision.first
                or {*regression.regions}.isdisjoint(decision.regions)
            ):
                continue
            events = regression_of(session, decision.project, regression.id).events
            is_said = decision.note in {event.note for event in events}
            state = decision.state if regression.state in SETTABLE else None
            said = Triage(
                state=RegressionState(state) if state else None,
                owner=decision.owner,
                note=None if is_said else decision.note,
                link=decision.link,
            )
            with as_of(decision.at):
                triage(session, decision.project, regression.id, said, decision.author)


def project_names(sessions: Sessions) -> Sequence[str]:
    """Return the names of all projects of a filled database."""
    with sessions.reading() as session:
        return [project.name for project in projects.listed(session)]


def analyse(sessions: Sessions, project: str, shas: Collection[str]) -> None:
    """Model and judge some commits of a project that nobody has analysed yet."""
    with sessions.reading() as session:
        project_id = projects.existing(session, project).id
        rows = commits.with_hashes(session, project_id, [*shas])
        subjects = editions.missing(session, [row.id for row in rows])
    _analyse(sessions, [AnalysedCommit(*subject) for subject in subjects])
    if subjects:
        _detect(sessions, [project])


def analyse_for_gate(
    sessions: Sessions, project: str, commit: str, baseline: str | None
) -> None:
    """Analyse a commit and what its gate compares it with.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or a commit is unknown.
    """
    with sessions.reading() as session:
        row = projects.existing(session, project)
        measured = find_commit(session, row, commit)
        reference = baseline or merge_base_of(session, row, measured)
        before = baseline_of(session, row, measured, reference)
        shas = [measured.sha, *([before.commit.sha] if before else [])]
    analyse(sessions, project, shas)


def queue_others(sessions: Sessions) -> int:
    """Let workers analyse all commits that nobody has analysed; return how many."""
    with sessions.reading() as session:
        waiting = editions.missing(session)

    def write(session: Session) -> None:
        for commit_id, machine_id in waiting:
            project_id = commits.existing(session, commit_id).project_id
            subject = str(AnalysedCommit(commit_id, machine_id))
            queue.enqueue(session, JobKind.ANALYSE, project_id, subject)

    transact(sessions, write)
    return len(waiting)


def _analyse(sessions: Sessions, subjects: Iterable[AnalysedCommit]) -> None:
    """Analyse commits, each as of its first run: a store has no other moments."""
    for subject in subjects:
        with sessions.reading() as session:
            commit = commits.existing(session, subject.commit_id)
            with as_of(commit.first_run_at):
                analysed = analysis.analyse(session, subject)
        with as_of(commit.first_run_at):
            transact(sessions, partial(analysis.record, analysis=analysed))


def _stated(session: Session, state: Callable[[Session, str], None], name: str) -> None:
    state(session, name)
    # What was analysed before is analysed again, where that changes it.
    project_id = projects.existing(session, name).id
    if jobs.queued(session, JobKind.REJUDGE):
        declarations.queue_unjudged(session, project_id)
    if jobs.queued(session, JobKind.REANALYSE):
        shared_cores.queue_ruled(session, project_id)
    for kind in (JobKind.REJUDGE, JobKind.REANALYSE):
        jobs.withdraw(session, kind, [str(project_id)])


def _by_project(all_commits: Sequence[CommitFiles]) -> list[list[CommitFiles]]:
    grouped: dict[str, list[CommitFiles]] = defaultdict(list)
    for commit in all_commits:
        grouped[commit.project].append(commit)
    return [*grouped.values()]


def _record(
    sessions: Sessions,
    contents: Contents,
    stride: Sequence[CommitFiles],
    filled: Filled,
) -> tuple[set[str], datetime]:
    """Record the runs of commits; return their projects and when the last one ended."""
    names: set[str] = set()
    last = _LONG_AGO
    for start in range(0, len(stride), AT_ONCE):
        runs: list[StoredRun] = []
        for commit in stride[start : start + AT_ONCE]:
            of_commit: list[StoredRun] = []
            for _, some in contents.runs(commit.files, filled.faults.append):
                of_commit += some
            runs += files.in_order(of_commit)
        names |= {run.report.project for run in runs}
        moments = [moment_of(run.report) or last for run in runs]
        last = max([last, *moments])
        _record_some(sessions, runs, filled)
    return names, last


def _record_some(sessions: Sessions, runs: Sequence[StoredRun], filled: Filled) -> None:
    """Record runs together; where one is refused, each for itself, so it goes alone."""
    prepared = [prepare(run.report, run.line) for run in runs]
    try:
        receipts = transact(sessions, partial(_recorded, prepared=prepared))
    except ScalewatchError as error:
        if len(runs) == 1:
            name = f"run {runs[0].report.id}"
            filled.faults.append(StoreFault(name, None, str(error)))
            return
        middle = len(runs) // 2
        for half in (runs[:middle], runs[middle:]):
            _record_some(sessions, half, filled)
        return
    filled.runs += len(receipts)
    filled.known += sum(not receipt.is_new for receipt in receipts)


def _recorded(session: Session, prepared: Sequence[PreparedRun]) -> Sequence[Receipt]:
    return record_prepared(session, _at_their_moments(prepared))


def _at_their_moments(prepared: Iterable[PreparedRun]) -> Iterator[PreparedRun]:
    """Yield runs; each is received when it ended."""
    for run in prepared:
        with as_of(moment_of(run.report) or _LONG_AGO):
            yield run


def _locate(sessions: Sessions) -> None:
    """Write down where the repetitions of new commits lie, in place of an analysis.

    Of those that were analysed before there are more runs now: they are analysed anew.
    """
    with sessions.reading() as session:
        subjects = [*map(AnalysedCommit.read, jobs.queued(session, JobKind.ANALYSE))]
        touched = {each.commit_id for each in subjects}
        missing = {AnalysedCommit(*new) for new in editions.missing(session, touched)}
    located = [each for each in subjects if each in missing]
    for start in range(0, len(located), AT_ONCE):
        some = located[start : start + AT_ONCE]
        with sessions.reading() as session:
            rows = [row for each in some for row in analysis.located(session, each)]
        transact(sessions, partial(locations.put, rows=rows))
    _analyse(sessions, [each for each in subjects if each not in missing])
    done = [*map(str, subjects)]
    transact(sessions, partial(jobs.withdraw, kind=JobKind.ANALYSE, subjects=done))


def _detect(sessions: Sessions, names: Iterable[str]) -> None:
    """Search the histories of projects for changes, and count them for home."""
    for name in sorted(names):
        with sessions.reading() as session:
            project_id = projects.existing(session, name).id
            write = overviews.watched(session, project_id, ALARMING_SHARE)
        transact(sessions, write)
        watch = partial(jobs.withdraw, kind=JobKind.WATCH, subjects=[str(project_id)])
        transact(sessions, watch)
