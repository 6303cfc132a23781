"""The section `launcher` of an experiment file, and the registry of launchers.

A launcher is one module, or one room, of this folder: a section with the keys that a
file may give it, its options on the command line, and what starts the jobs. `register`
makes it known to files, to `--launcher` and to the table in docs/usage.md.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Final, Self, TypeVar

from pydantic import (
    BeforeValidator,
    ConfigDict,
    ValidationError,
    field_validator,
    model_validator,
)

from scalewatch.wire import wrong
from scalewatch_agent.experiments.documents import FileSection
from scalewatch_agent.experiments.launchers import jobs
from scalewatch_agent.mpi.libraries import PACKAGES, REQUIREMENT

DEFAULT: Final = "local"
"""Kind of a launcher that a file does not name."""


class LauncherSection(FileSection):
    """Keys of a launcher in an experiment file.

    A file may hold the keys of several launchers, of which `--launcher` chooses one:
    those of the others are checked, and kept.

    Parameters
    ----------
    title
        Name of the launcher in sentences.
    starter
        Its own command for the processes of a job, if it has one.
    is_queued
        Whether jobs wait in a queue, and outlive the agent.
    command_line
        Options of the command line, by the key that they set.
    """

    model_config = ConfigDict(extra="allow")

    title: ClassVar[str]
    starter: ClassVar[str | None] = None
    is_queued: ClassVar[bool] = False
    command_line: ClassVar[Mapping[str, Callable[[Any], Any]]] = {}

    kind: str
    mpi: str | None = None
    mpiexec: str | None = None

    @field_validator("mpi")
    @classmethod
    def _is_exact(cls, mpi: str | None) -> str | None:
        match = REQUIREMENT.fullmatch(mpi) if mpi else None
        if mpi is not None and (match is None or match["name"] not in PACKAGES):
            names = ", ".join(PACKAGES)
            raise wrong(f"write NAME==VERSION, NAME being one of {names}")
        return mpi

    @model_validator(mode="after")
    def _other_keys_are_of_other_launchers(self) -> Self:
        unknown = set(self.model_extra or {})
        for section in LAUNCHERS.values():
            if theirs := self._keys_of(section):
                section.model_validate(theirs)
                unknown -= theirs.keys()
        if unknown:
            raise ValidationError.from_exception_data(
                self.kind,
                [
                    {"type": "extra_forbidden", "loc": (name,), "input": None}
                    for name in sorted(unknown)
                ],
            )
        return self

    def changed(self, changes: Mapping[str, Any]) -> "LauncherSection":
        """Return the section with valid `changes`; another `kind` takes its keys."""
        section = LAUNCHERS[changes.get("kind", self.kind)]
        stated = self.model_copy() if section is type(self) else self._as(section)
        known = {key: changes[key] for key in changes if key in section.model_fields}
        return stated.model_copy(update=known)

    def _as(self, section: type["LauncherSection"]) -> "LauncherSection":
        """Return the section of another launcher that the same file means."""
        shared = {
            name: getattr(self, name)
            for name in type(self).model_fields.keys() & section.model_fields.keys()
            if name in self.model_fields_set and name != "kind"
        }
        other = section.model_validate(self._keys_of(section))
        return other.model_copy(update=shared)

    def _keys_of(self, section: type["LauncherSection"]) -> dict[str, Any]:
        extra = self.model_extra or {}
        return {name: extra[name] for name in extra if name in section.model_fields}

    def cores(self, configured: jobs.Configured) -> int:
        """Return how many cores of this machine a job keeps busy."""
        return configured.cores

    @abstractmethod
    def launcher(self, sweep: jobs.LaunchedSweep) -> jobs.JobLauncher:
        """Return what starts the jobs of a sweep.

        Raises
        ------
        AgentError
            If a program or a library that it needs is not there.
        """


LAUNCHERS: Final[dict[str, type[LauncherSection]]] = {}
"""Sections by the kind of their launchers."""

Section = TypeVar("Section", bound=LauncherSection)


def register(section: type[Section]) -> type[Section]:
    """Make a launcher known by the `kind` of its section."""
    LAUNCHERS[section.model_fields["kind"].default] = section
    return section


def choice(names: list[str]) -> str:
    """Return a refusal of whatever is none of some names."""
    *others, last = map(repr, names)
    return f"Input should be {', '.join(others)} or {last}"


def _section(value: object) -> object:
    """Return the section that a mapping describes, by its `kind`."""
    if not isinstance(value, Mapping):
        return value
    kind = value.get("kind", DEFAULT)
    if not isinstance(kind, str) or kind not in LAUNCHERS:
        raise wrong(choice(sorted(LAUNCHERS)), field="kind")
    return LAUNCHERS[kind].model_validate(value)


Launcher = Annotated[LauncherSection, BeforeValidator(_section)]
"""A section of any launcher that is registered, told apart by `kind`."""
