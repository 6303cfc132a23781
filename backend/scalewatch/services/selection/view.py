"""Views: the selection of a project's measurements that a request shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True, slots=True)
class View:
    """A choice among a project's measurements.

    Parameters
    ----------
    commit
        A hash, the beginning of one, or a tag; None is the newest.
    metric
        None is time or, where that was not measured, the first by name.
    machine
        None is all of them.
    configuration
        Settings, as text; those not named may have any value.
    """

    project: str
    commit: str | None = None
    metric: str | None = None
    machine: str | None = None
    configuration: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def stated(
        cls,
        project: str,
        commit: str | None,
        metric: str | None,
        machine: str | None,
        settings: Sequence[str],
    ) -> Self:
        """Return the view that a query states; empty parameters are not stated."""
        pairs = (setting.partition("=") for setting in settings)
        return cls(
            project=project,
            commit=commit or None,
            metric=metric or None,
            machine=machine or None,
            configuration={name: text for name, _, text in pairs if name and text},
        )

    @property
    def settings(self) -> list[str]:
        """The configuration as a query states it, such as `message_bytes=256`."""
        return [f"{name}={text}" for name, text in self.configuration.items()]
