"""Jobs: open a session, call one service.

A job reads and computes in one session and writes in another, so that a database
with a single writer is not held up by a fit. Its result and its end are one
transaction, which a worker that lost its lease cannot commit. The embedded worker
and Celery's workers call the same functions.
"""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.errors import LeaseLost, ScalewatchError
from scalewatch.jobs.heartbeat import heartbeat
from scalewatch.services import jobs as queue
from scalewatch.services import shared_cores
from scalewatch.services.analysis import analysis, levels
from scalewatch.services.expectations import declarations
from scalewatch.services.jobs import AnalysedCommit, JobKind, JobTerms
from scalewatch.services.operations import retention
from scalewatch.services.projects import overviews
from scalewatch.services.regressions import webhooks
from scalewatch.settings import get_settings
from scalewatch.storage import tables
from scalewatch.storage.database.session import Sessions, transact
from scalewatch.storage.judgements import levels as stored_levels
from scalewatch.storage.work.jobs import Claim

Effect = Callable[[Session], None]
"""The writes of a job, once all is computed."""

_LOG: Final = logging.getLogger(__name__)


def analyse(session: Session, subject: str) -> Effect:
    """Model and judge what a machine measured of a commit."""
    analysed = analysis.analyse(session, AnalysedCommit.read(subject))
    return partial(analysis.record, analysis=analysed)


def rejudge(_session: Session, subject: str) -> Effect:
    """Analyse again what expectations have changed for, take levels, and count."""

    def effect(session: Session) -> None:
        declarations.queue_unjudged(session, int(subject))
        levels.renew(session, stored_levels.missing(session, int(subject)))
        queue.enqueue(session, JobKind.WATCH, int(subject))

    return effect


def reanalyse(_session: Session, subject: str) -> Effect:
    """Analyse again what the rules of a project read in another way."""
    return partial(shared_cores.queue_ruled, project_id=int(subject))


def watch(session: Session, subject: str) -> Effect:
    """Look for changes in the histories of a project, and count it for home."""
    return overviews.watched(session, int(subject), get_settings().alarming_share)


def notify(session: Session, subject: str) -> Effect:
    """Tell a webhook what happened to a regression."""
    delivered = webhooks.deliver(session, subject, get_settings().key_file)
    return partial(webhooks.note, delivered=delivered)


def thin(session: Session, subject: str) -> Effect:
    """Export the next old runs of a project, and keep some of their repetitions."""
    at = retention.ThinnedRuns.read(subject)
    project = session.get_one(tables.Project, at.project_id).name
    folder = get_settings().home / "exports"
    batch = retention.export_next(session, project, at.after, folder)
    return partial(retention.continue_after, subject=at, batch=batch)


KINDS: Final[Mapping[str, Callable[[Session, str], Effect]]] = {
    JobKind.ANALYSE: analyse,
    JobKind.REJUDGE: rejudge,
    JobKind.REANALYSE: reanalyse,
    JobKind.WATCH: watch,
    JobKind.NOTIFY: notify,
    JobKind.THIN: thin,
}


def perform_next(
    sessions: Sessions,
    owner: str,
    terms: JobTerms | None = None,
    overdue: Callable[[], None] | None = None,
) -> bool:
    """Claim and perform the next job in turn; return whether there was one.

    Parameters
    ----------
    overdue
        Ends the process; called once the job has taken longer than its terms allow.
    """
    with sessions.reading() as session:
        if not queue.is_due(session):
            return False
    terms = terms or JobTerms()
    claim = transact(sessions, partial(queue.claim, owner=owner, lease=terms.lease))
    if claim is None:
        return False
    try:
        with heartbeat(sessions, claim, terms, overdue):
            with sessions.reading() as session:
                effect = KINDS[claim.kind](session, claim.subject)

            def write(session: Session) -> None:
                effect(session)
                queue.finish(session, claim)

            transact(sessions, write)
    except LeaseLost as lost:
        _LOG.warning("%s; its result is dropped", lost)
    except Exception as error:  # noqa: BLE001 - the worker lives on, the job says why
        _LOG.exception("job %d (%s %s) failed", claim.id, claim.kind, claim.subject)
        _give_back(sessions, claim, error)
    return True


def _give_back(sessions: Sessions, claim: Claim, error: Exception) -> None:
    reason = f"{type(error).__name__}: {error}"
    # A deliberate error would repeat; an outage of the database ends.
    for_good = isinstance(error, ScalewatchError)
    fail = partial(queue.fail, claim=claim, reason=reason, for_good=for_good)
    try:
        transact(sessions, fail)
    except LeaseLost as lost:
        _LOG.warning("%s", lost)
