"""The releases of MPI libraries that the demo measures: their history, as facts.

The dates are those that the libraries give of themselves: `mpichversion`, `ompi_info`.
"""

from dataclasses import dataclass
from datetime import date
from typing import Final


@dataclass(frozen=True, slots=True)
class Release:
    """One release of an MPI library, to be had from PyPI.

    Parameters
    ----------
    library
        Project name, and PyPI package.
    parent
        The release before it, as a tag.
    polls
        Its waiting processes keep their cores, so that with more of them than cores
        every operation costs the scheduler's time slices, and says nothing.
    """

    library: str
    version: str
    released: date
    parent: str | None
    polls: bool = False

    @property
    def tag(self) -> str:
        """The release as a commit."""
        return f"v{self.version}"

    def __str__(self) -> str:
        return f"{self.library} {self.version}"


RELEASES: Final = (
    Release("mpich", "3.4.3", date(2021, 12, 16), None, polls=True),
    Release("mpich", "4.0.3", date(2022, 11, 8), "v3.4.3", polls=True),
    Release("mpich", "4.1.3", date(2024, 2, 26), "v4.0.3", polls=True),
    Release("mpich", "4.2.3", date(2024, 10, 2), "v4.1.3", polls=True),
    Release("mpich", "4.3.2", date(2025, 10, 6), "v4.2.3", polls=True),
    Release("mpich", "5.0.2", date(2026, 9, 25), "v4.3.2"),
    Release("openmpi", "4.1.8", date(2025, 2, 4), None),
    Release("openmpi", "5.0.8", date(2025, 5, 30), "v4.1.8"),
    Release("openmpi", "5.0.11", date(2026, 9, 16), "v5.0.8"),
)
"""By library, the oldest first."""


def newest_first() -> list[Release]:
    """Return the releases of all libraries, so that what is cut short is the past.

    The newest of each library come first, then those before them, and so on.
    """
    ages: dict[str, int] = {}
    aged = []
    for release in reversed(RELEASES):
        ages[release.library] = age = ages.get(release.library, 0) + 1
        aged.append((age, release))
    return [release for _, release in sorted(aged, key=lambda pair: pair[0])]
