"""Memory of a process: proportional set sizes, as Linux counts them.

A page that k processes share counts 1/k for each of them. Processes of a job do not
start at the same moment, so the share of a page that was there from the beginning
falls while others come up; growth therefore counts only what has become resident in
between, at the share it has in the end.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

SMAPS = Path("/proc/self/smaps")
KIBI = 1024


@dataclass(frozen=True, slots=True)
class Mapped:
    """Bytes of all mappings of one file that are resident, and this process's share."""

    resident: int = 0
    proportional: int = 0

    def __add__(self, other: "Mapped") -> "Mapped":
        """Return both together."""
        return Mapped(
            self.resident + other.resident, self.proportional + other.proportional
        )


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes of a process that are its own, and those that files and others share."""

    anonymous: int
    files: Mapping[str, Mapped]


@dataclass(frozen=True, slots=True)
class FootprintGrowth:
    """Bytes by which a footprint has grown."""

    anonymous: int
    shared: int

    @property
    def total(self) -> int:
        """Both together."""
        return self.anonymous + self.shared


def footprint() -> Footprint:
    """Return what this process occupies now.

    Raises
    ------
    OSError
        If the system has no /proc/self/smaps.
    """
    with SMAPS.open(encoding="utf-8", errors="replace") as lines:
        return footprint_in(lines)


def footprint_in(lines: Iterable[str]) -> Footprint:
    """Return the footprint that the lines of an smaps file tell."""
    anonymous = 0
    files: dict[str, Mapped] = defaultdict(Mapped)
    path = ""
    sizes: dict[str, int] = {}
    for line in lines:
        name, _, rest = line.partition(":")
        if " " in name:  # the head of a mapping: addresses, mode, …, path
            fields = line.split(maxsplit=5)
            path = fields[5].strip() if len(fields) > 5 else ""
            sizes = {}
        elif name in {"Rss", "Pss", "Anonymous"}:
            sizes[name] = int(rest.split()[0]) * KIBI
        if name == "Anonymous":
            private = min(sizes["Anonymous"], sizes["Pss"])
            anonymous += private
            files[path] += Mapped(
                sizes["Rss"] - sizes["Anonymous"], sizes["Pss"] - private
            )
    return Footprint(anonymous, files)


def growth(before: Footprint, after: Footprint) -> FootprintGrowth:
    """Return what has become resident between two footprints of a process."""
    shared = 0.0
    for path, now in after.files.items():
        new = now.resident - before.files.get(path, Mapped()).resident
        if new > 0:
            shared += now.proportional * new / now.resident
    return FootprintGrowth(after.anonymous - before.anonymous, round(shared))
