"""Count what constructors allocate, to the byte.

memray follows every allocation of the process, in whichever library. One tracker runs
over many objects, since starting it takes tens of milliseconds; what belongs to which
object is told by marks, allocations of Python's own whose sizes nothing else has.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from memray import AllocationRecord

BEGIN: Final = 77_777
END: Final = 77_797
"""Sizes of marks: large enough for malloc, odd enough for nobody else."""

T = TypeVar("T")


class MarksLost(Exception):
    """The allocator did not show the marks, hence tells nothing of what is between."""

    def __init__(self, seen: int, made: int) -> None:
        super().__init__(
            f"memray showed {seen} of {made} marked constructions: it cannot follow "
            "this interpreter's allocator"
        )


@dataclass(slots=True)
class Allocations:
    """Bytes that remain of each marked construction, in their order."""

    made: int = 0
    remaining: list[int] = field(default_factory=list)

    def mark(self, construct: Callable[[], T]) -> T:
        """Construct an object, and have its allocations counted."""
        self.made += 1
        bytearray(BEGIN)
        made = construct()
        bytearray(END)
        return made


def is_available() -> bool:
    """Tell whether memray is installed; it has no wheels for some architectures."""
    return find_spec("memray") is not None


@contextmanager
def counted() -> Iterator[Allocations]:
    """Count the allocations of what is marked meanwhile; the numbers come at the end.

    Raises
    ------
    MarksLost
        At the end, if the tracker has not seen all marks.
    """
    from memray import FileReader, Tracker  # noqa: PLC0415 - not everywhere

    allocations = Allocations()
    with TemporaryDirectory(prefix="scalewatch-") as folder:
        path = Path(folder) / "allocations"
        with Tracker(path):
            yield allocations
        with FileReader(path) as reader:
            allocations.remaining = list(_remaining(reader.get_allocation_records()))
    if len(allocations.remaining) != allocations.made:
        raise MarksLost(len(allocations.remaining), allocations.made)


def _remaining(records: "Iterable[AllocationRecord]") -> Iterator[int]:
    """Yield the bytes allocated and not freed between each pair of marks."""
    from memray import AllocatorType  # noqa: PLC0415 - not everywhere

    # Mapped pages are no allocations; they show in the footprint.
    ignored = {AllocatorType.MMAP.value, AllocatorType.MUNMAP.value}
    free = AllocatorType.FREE.value
    living: dict[int, int] | None = None
    for record in records:
        size, allocator = record.size, record.allocator
        if allocator == free:
            if living is not None:
                living.pop(record.address, None)
        elif size == BEGIN + 1:  # a bytearray ends in a NUL
            living = {}
        elif living is None or allocator in ignored:
            continue
        elif size == END + 1:
            yield sum(living.values())
            living = None
        else:
            living[record.address] = size
