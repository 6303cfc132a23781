"""Policies of projects: visibility, and how long repetitions are kept."""

from dataclasses import asdict, dataclass

from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport
from scalewatch.services.access import audit
from scalewatch.storage.access import policies, projects


@dataclass(frozen=True, slots=True)
class Policy:
    """The policy of a project.

    Parameters
    ----------
    is_private
        Whether it is invisible without a token for it.
    retention_days
        Repetitions of older runs are thinned; None: never.
    kept_repetitions
        How many of each measurement stay then.
    """

    is_private: bool = False
    retention_days: int | None = None
    kept_repetitions: int | None = None


def policy_of(session: Session, project: str) -> Policy:
    """Return the policy of a project.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    row = policies.of_project(session, projects.existing(session, project).id)
    return Policy(row.is_private, row.retention_days, row.kept_repetitions)


def change(session: Session, project: str, policy: Policy) -> None:
    """Change the policy of a project.

    Raises
    ------
    NotFound
        If there is no such project.
    InvalidReport
        If the numbers make no sense.
    """
    if (policy.retention_days is None) is not (policy.kept_repetitions is None):
        reason = "days and repetitions belong together: give both, or none"
        raise InvalidReport([("kept_repetitions", reason)])
    for name, least in (("retention_days", 1), ("kept_repetitions", 5)):
        number = getattr(policy, name)
        if number is not None and not least <= number <= 1_000_000:
            raise InvalidReport([(name, f"a number from {least} to 1,000,000")])
    before = policy_of(session, project)
    if policy != before:
        project_id = projects.existing(session, project).id
        policies.change(session, project_id, asdict(policy))
        audit.note(
            session,
            "policy changed",
            project,
            before=asdict(before),
            after=asdict(policy),
        )


def administered(session: Session) -> tuple[str, ...]:
    """Return the names of all projects that the session can find."""
    return tuple(project.name for project in projects.listed(session))
