"""Plan of the OpenMP suite: the jobs of a sweep over threads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from scalewatch.wire.fields import Direction
from scalewatch_agent.machine import processors

Part = Literal["stream", "overheads", "cg"]

DOUBLE: Final = 8
"""Bytes."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The regions that one part measures, and what is measured of them."""

    regions: tuple[str, ...]
    metric: str
    unit: str
    better: Direction
    warm_ups: int


KINDS: Final[Mapping[Part, Kind]] = {
    "stream": Kind(("copy", "scale", "add", "triad"), "bandwidth", "B/s", "higher", 1),
    "overheads": Kind(
        ("parallel", "for", "barrier", "reduction", "single", "critical", "task"),
        "overhead",
        "s",
        "lower",
        0,
    ),
    "cg": Kind(("cg",), "time", "s", "lower", 3),
}
"""By part, in the order in which they are measured."""


@dataclass(frozen=True, slots=True)
class Job:
    """One start of the kernels with so many threads.

    Parameters
    ----------
    size
        Elements of each array of STREAM, points along a side of CG's square, else None.
    """

    part: Part
    threads: int
    repetitions: int
    size: int | None = None

    def share(self, turn: int, turns: int) -> "Job":
        """Return the job with its share of the repetitions, the larger ones first."""
        share = (self.repetitions + turns - 1 - turn) // turns
        return replace(self, repetitions=share)

    @property
    def kind(self) -> Kind:
        """The regions that are measured."""
        return KINDS[self.part]

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments of the kernels."""
        numbers = (self.size, self.repetitions)
        return (self.part, *(str(number) for number in numbers if number is not None))

    @property
    def coordinate(self) -> dict[str, int]:
        """Where it measures: threads and, of CG, the number of points N."""
        points = {"N": self.size**2} if self.part == "cg" and self.size else {}
        return {"threads": self.threads, **points}

    @property
    def configuration(self) -> dict[str, int]:
        """Settings that are fixed along the scan."""
        return {"elements": self.size} if self.part == "stream" and self.size else {}

    @property
    def memory(self) -> int:
        """Bytes of its arrays."""
        match self.part, self.size:
            case "stream", int(elements):
                return 3 * DOUBLE * elements
            case "cg", int(width):
                return 4 * DOUBLE * (width + 2) ** 2
        return 0

    @property
    def is_oversubscribed(self) -> bool:
        """Whether its threads have to share cores."""
        return self.threads > processors()

    @property
    def title(self) -> str:
        """The job in a few words."""
        place = ", ".join(f"{name} = {at:,}" for name, at in self.coordinate.items())
        return f"{place}  {self.part}"


@dataclass(frozen=True, slots=True)
class OpenMPSweep:
    """Thread counts, parts and sizes that are measured.

    Parameters
    ----------
    elements
        Of each array of STREAM.
    widths
        Points along a side of CG's square, each a job of its own.
    """

    threads: tuple[int, ...]
    parts: tuple[Part, ...]
    elements: int
    widths: tuple[int, ...]
    repetitions: int

    def jobs(self) -> Iterator[list[Job]]:
        """Yield the jobs of one thread count after the other."""
        sizes: Mapping[Part, tuple[int, ...]] = {
            "stream": (self.elements,),
            "cg": self.widths,
        }
        for threads in self.threads:
            yield [
                Job(part, threads, self.repetitions, size)
                for part in KINDS
                if part in self.parts
                for size in sizes.get(part, (None,))
            ]


def usual_threads(cores: int) -> tuple[int, ...]:
    """Return thread counts for times: 1, 2, 4, 8, … and all cores."""
    doubled = [2**k for k in range(cores.bit_length()) if 2**k < cores]
    return (*doubled, cores)
