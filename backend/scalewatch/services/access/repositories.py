"""Where the code of a project lies, as its administrators say."""

from dataclasses import asdict, dataclass

from pydantic import TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport
from scalewatch.services.access import audit
from scalewatch.services.commits.forges import ForgeKind
from scalewatch.storage.access import policies, projects
from scalewatch.wire import Repository, faults

_REPOSITORY: TypeAdapter[str] = TypeAdapter(Repository)


@dataclass(frozen=True, slots=True)
class StatedRepository:
    """What is said of a project's repository.

    Parameters
    ----------
    address
        What administrators say; None as runs do.
    forge
        What answers there; None by the address.
    told
        What runs say.
    """

    address: str | None
    forge: str | None
    told: str | None


def repository_of(session: Session, project_name: str) -> StatedRepository:
    """Return what is said of where the code of a project lies.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    policy = policies.of_project(session, project.id)
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
    policies.change(session, project_id, stated)
    audit.note(
        session,
        "repository changed",
        project_name,
        before=asdict(before),
        after=stated,
    )
