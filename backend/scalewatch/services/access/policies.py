"""Policies of projects: visibility, retention, repository, and owners of regions."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from pydantic import TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport
from scalewatch.services.access import audit
from scalewatch.services.commits.forges import ForgeKind
from scalewatch.storage.access import projects
from scalewatch.wire import Repository, faults


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
    row = projects.policy_of(session, projects.existing(session, project).id)
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
        projects.change_policy(session, project_id, asdict(policy))
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


_REPOSITORY: TypeAdapter[str] = TypeAdapter(Repository)


@dataclass(frozen=True, slots=True)
class StatedRepository:
    """The address of a project's repository, as stated.

    Parameters
    ----------
    address
        As administrators state it; None as runs do.
    forge
        Software that answers there; None by the address.
    told
        As runs state it.
    """

    address: str | None
    forge: str | None
    told: str | None


def repository_of(session: Session, project_name: str) -> StatedRepository:
    """Return where the code of a project lies, as stated.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    policy = projects.policy_of(session, project.id)
    return StatedRepository(policy.repository, policy.forge, project.repository)


def state_repository(
    session: Session, project_name: str, address: str | None, forge: str | None
) -> None:
    """State where the code of a project lies, and what answers there.

    Raises
    ------
    NotFound
        If there is no such project.
    InvalidReport
        If that is no address, holds a password, or is no forge that is known.
    """
    if forge is not None and forge not in set(ForgeKind):
        raise InvalidReport([("forge", f"one of {', '.join(ForgeKind)}")])
    if address is not None:
        try:
            address = _REPOSITORY.validate_python(address)
        except ValidationError as error:
            message = faults(error)[0].message
            raise InvalidReport([("repository", message)]) from None
    before = repository_of(session, project_name)
    if (address, forge) == (before.address, before.forge):
        return
    project_id = projects.existing(session, project_name).id
    stated = {"repository": address, "forge": forge}
    projects.change_policy(session, project_id, stated)
    audit.note(
        session,
        "repository changed",
        project_name,
        before=asdict(before),
        after=stated,
    )


MOST_OWNERS: Final = 1_000
"""Patterns of a project."""


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner of the regions that a pattern fits, `*` for any letters.

    Parameters
    ----------
    owner
        A person, a team, or the name of a token.
    """

    pattern: str
    owner: str


def owners_of(session: Session, project_name: str) -> tuple[Owner, ...]:
    """Return whose the regions of a project are; the first pattern that fits counts.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project_id = projects.existing(session, project_name).id
    stated = projects.owners(session, [project_id]).get(project_id, ())
    return tuple(Owner(*each) for each in stated)


def state_owners(
    session: Session, project_name: str, owners: Sequence[Owner]
) -> tuple[Owner, ...]:
    """State whose the regions of a project are, in place of what was stated before.

    Raises
    ------
    NotFound
        If there is no such project.
    InvalidReport
        If there are too many, or a pattern or a name is empty or has several lines.
    """
    if len(owners) > MOST_OWNERS:
        raise InvalidReport([("owners", f"at most {MOST_OWNERS:,} patterns")])
    for number, stated in enumerate(owners, 1):
        if not (_is_name(stated.pattern) and _is_name(stated.owner)):
            words = "a pattern of regions and an owner, of at most 200 letters each"
            raise InvalidReport([(f"owners {number}", words)])
    before = owners_of(session, project_name)
    after = [[each.pattern, each.owner] for each in owners]
    if tuple(owners) != before:
        project_id = projects.existing(session, project_name).id
        projects.change_policy(session, project_id, {"owners": after})
        audit.note(
            session,
            "owners changed",
            project_name,
            before=[[each.pattern, each.owner] for each in before],
            after=after,
        )
    return tuple(owners)


def _is_name(text: str) -> bool:
    return 0 < len(text) <= 200 and text == text.strip() and text.isprintable()
