"""Definitions of an archive, as far as calls of MPI need them.

EZTrace writes definitions twice and out of order: the last one of a number wins, and
that is said once.
"""

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final, Self

NOTHING: Final = 2**32 - 1
"""The number of what there is not."""

SIZES: Final = "bytes of the call"
"""The parameter that tells bytes of calls of which no other event tells them."""

COMM_LOCATIONS, COMM_GROUP = 4, 5
MPI, CPU_THREAD = 4, 1


@dataclass(frozen=True, slots=True)
class Region:
    """A function of the program or of MPI."""

    name: str
    file: str = ""
    line: int = 0


@dataclass(slots=True)
class Definitions:
    """Definitions by number, all of them as the archive has them.

    Parameters
    ----------
    resolution, offset
        Ticks per second of the clock, and where the run begins.
    locations
        Threads: process, type, and how many events the archive promises.
    groups
        Type, paradigm and members; those of communicators count in MPI's locations.
    communicators
        The group of each.
    parameters
        The name of each.
    repeated
        Definitions of a number that was defined before, otherwise.
    """

    resolution: int = 10**9
    offset: int = 0
    strings: dict[int, str] = field(default_factory=dict)
    regions: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    locations: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    groups: dict[int, tuple[int, int, tuple[int, ...]]] = field(default_factory=dict)
    communicators: dict[int, int] = field(default_factory=dict)
    parameters: dict[int, int] = field(default_factory=dict)
    repeated: int = 0

    def region(self, number: int) -> Region:
        """Return a region by its number."""
        name, file, line = self.regions.get(number, (-1, -1, 0))
        path = self.strings.get(file, "").replace("\\", "/").rpartition("/")[2]
        return Region(self.strings.get(name, ""), path, line)

    def functions_of_mpi(self) -> list[int]:
        """Return the regions that are functions of MPI."""
        return [n for n in self.regions if self.region(n).name.startswith("MPI_")]

    def sizes(self) -> int:
        """Return the parameter that tells bytes of calls, NOTHING if there is none."""
        named = {self.strings.get(name): n for n, name in self.parameters.items()}
        return named.get(SIZES, NOTHING)

    def ranks(self) -> list[int]:
        """Return the location of each process in MPI_COMM_WORLD, in their order."""
        threads = {n for n, (_, kind, _) in self.locations.items() if kind in {0, 1}}
        for kind, paradigm, members in self.groups.values():
            if kind == COMM_LOCATIONS and paradigm == MPI and members:
                return [each for each in members if each in threads]
        first: dict[int, int] = {}
        for location in sorted(threads):
            first.setdefault(self.locations[location][0], location)
        return list(first.values())

    def members(self, processes: int) -> dict[int, list[int]]:
        """Return the ranks in MPI_COMM_WORLD of the members of each communicator."""
        ranks = {}
        for number, group in self.communicators.items():
            kind, _, members = self.groups.get(group, (0, 0, ()))
            if kind == COMM_GROUP and all(rank < processes for rank in members):
                ranks[number] = list(members)
        return ranks

    def save(self, path: Path) -> None:
        """Write them as JSON."""
        content = {each.name: getattr(self, each.name) for each in fields(self)}
        path.write_text(json.dumps(content), "utf-8")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote."""
        content = json.loads(path.read_text("utf-8"))
        for name, value in content.items():
            if isinstance(value, dict):
                content[name] = {
                    int(key): tuple(each) if isinstance(each, list) else each
                    for key, each in value.items()
                }
        return cls(**content)
