"""The plan of one job, handed to its processes as an argument, and what they say."""

import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

ThreadLevel = Literal["single", "multiple"]


class Plan(NamedTuple):
    """The regions of a suite, and how each of them is measured.

    `suite` is one of `scalewatch_agent.suite.suites.SUITES`. Each of `message_bytes`
    makes a run of its own. `budget` is in seconds per region; after `time_limit`
    seconds the processes end themselves, even if nobody is left to end them. `seed`
    decides in which order operations take turns; `loop` is the path of the compiled
    loops.
    """

    suite: str
    regions: tuple[str, ...]
    message_bytes: tuple[int, ...]
    repetitions: int
    warm_ups: int
    budget: float
    thread_level: ThreadLevel
    oversubscribed: bool
    time_limit: int
    seed: int = 0
    loop: str | None = None

    def to_json(self) -> str:
        """Return the plan as one argument of a command line."""
        return json.dumps(self._asdict())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the plan that `to_json` wrote."""
        fields = json.loads(text)
        lists = ("regions", "message_bytes")
        return cls(**fields | {name: tuple(fields[name]) for name in lists})


Announce = Callable[..., None]

LEVELS = ("single", "funneled", "serialized", "multiple")


def announce_start(comm: "Intracomm") -> Announce:
    """Say that the job has come up, and return what says more on rank 0."""
    from mpi4py import MPI  # noqa: PLC0415 - the caller decides when MPI starts

    announce: Announce = _write if comm.rank == 0 else lambda *_, **__: None
    announce(
        "started",
        processes=comm.size,
        library=MPI.Get_library_version().splitlines()[0].strip("\0"),
        thread_level=LEVELS[MPI.Query_thread()],
    )
    return announce


def _write(event: str, **fields: Any) -> None:
    sys.stdout.write(json.dumps({"event": event} | fields) + "\n")
    sys.stdout.flush()
