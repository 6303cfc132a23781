"""Events of a location that tell of MPI, as the collector writes them."""

import struct
from collections.abc import Callable
from enum import IntEnum
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

Events = NDArray[Any]
"""Events of one location in the order of the archive, shape (n,), of type `EVENT`."""

EVENT: Final = np.dtype(
    [
        ("time", "<u8"),  # ticks of the archive's clock
        ("bytes", "<u8"),
        ("request", "<u8"),
        ("kind", "<u4"),
        ("reference", "<u4"),  # region of what is entered, else communicator
        ("peer", "<i4"),  # rank in the communicator: partner or root
        ("tag", "<u4"),
    ]
)


class Kind(IntEnum):
    """What an event tells."""

    ENTER = 1
    LEAVE = 2
    SEND = 3
    RECEIVE = 4
    POST = 5  # a receive that a later call completes
    COMPLETE = 6
    COLLECTIVE = 7


CALLBACKS: Final = {
    "Enter": "on_enter",
    "Leave": "on_leave",
    "MpiSend": "on_send",
    "MpiIsend": "on_isend",
    "MpiRecv": "on_receive",
    "MpiIrecvRequest": "on_post",
    "MpiIrecv": "on_complete",
    "MpiCollectiveEnd": "on_collective",
}
"""Functions of the collector by what libotf2 calls them for."""

_PACK: Final = struct.Struct("<QQQIIiI")


def writers(file: IO[bytes]) -> dict[str, Callable[..., int]]:
    """Return the same functions in Python, for machines without a C compiler."""

    def put(  # noqa: PLR0913, PLR0917 - a record of the collector
        time: int,
        kind: Kind,
        reference: int,
        peer: int = 2**32 - 1,
        tag: int = 0,
        size: int = 0,
        request: int = 0,
    ) -> int:
        peer = peer - 2**32 if peer >= 2**31 else peer
        file.write(_PACK.pack(time, size, request, kind, reference, peer, tag))
        return 0

    def message(kind: Kind) -> Callable[..., int]:
        return lambda time, peer, comm, tag, size, request=0: put(
            time, kind, comm, peer, tag, size, request
        )

    return {
        "on_enter": lambda time, region: put(time, Kind.ENTER, region),
        "on_leave": lambda time, region: put(time, Kind.LEAVE, region),
        "on_send": message(Kind.SEND),
        "on_isend": message(Kind.SEND),
        "on_receive": message(Kind.RECEIVE),
        "on_post": lambda time, request: put(time, Kind.POST, 0, request=request),
        "on_complete": message(Kind.COMPLETE),
        "on_collective": lambda time, operation, comm, root, sent, received: put(
            time, Kind.COLLECTIVE, comm, root, operation, sent, received
        ),
    }
