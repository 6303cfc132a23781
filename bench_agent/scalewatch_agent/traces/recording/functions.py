"""The functions of MPI that are recorded, and what the record of a call says.

Parameters are named by their meaning, which decides their type (`wrappers.TYPES`).
"""

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final


class Kind(Enum):
    """Kinds of calls, as far as records tell them apart."""

    SEND = auto()
    START_SEND = auto()
    PREPARE_SEND = auto()
    RECEIVE = auto()
    START_RECEIVE = auto()
    PREPARE_RECEIVE = auto()
    EXCHANGE = auto()
    MATCH = auto()
    TRY_MATCH = auto()
    COLLECTIVE = auto()
    START_COLLECTIVE = auto()
    PREPARE_COLLECTIVE = auto()
    START_OTHER = auto()
    CREATE = auto()
    ONE_SIDED = auto()
    PLAIN = auto()


@dataclass(frozen=True, slots=True)
class Function:
    """A function of MPI.

    Parameters
    ----------
    name
        Without its prefix.
    parameters
        Their meanings, separated by blanks.
    volume
        Bytes that the process brings, in C; `on` is the communicator.
    is_countable
        Whether MPI 4 has a variant for large counts.
    is_recent
        Whether it came with MPI 4.
    """

    name: str
    kind: Kind
    parameters: str
    volume: str = "0"
    is_countable: bool = False
    is_recent: bool = False


_SEND: Final = "in count type to tag comm"
_RECEIVE: Final = "out room type from tag comm"
_OWN: Final = "bytes_of(type, count)"
_IN_PLACE: Final = "in == MPI_IN_PLACE ? {} : {}"
_GATHERED: Final = _IN_PLACE.format("bytes_of(in_type, room)", _OWN)
_IS_ROOT: Final = "is_root(on, root)"
_SCATTERED: Final = f"{_IS_ROOT} ? {{}} : bytes_of(in_type, room)"
_MEMBERS: Final = "(uint64_t)on->size * ({})"

_COLLECTIVES: Final = (
    ("Barrier", "comm", "0"),
    ("Bcast", "out count type root comm", _OWN),
    ("Gather", "in count type out room in_type root comm", _GATHERED),
    (
        "Gatherv",
        "in count type out rooms in_displs in_type root comm",
        _IN_PLACE.format("bytes_of(in_type, rooms[on->rank])", _OWN),
    ),
    (
        "Scatter",
        "in count type out room in_type root comm",
        _SCATTERED.format(_OWN),
    ),
    (
        "Scatterv",
        "in counts displs type out room in_type root comm",
        _SCATTERED.format("sum_of(type, counts, on->size)"),
    ),
    ("Allgather", "in count type out room in_type comm", _GATHERED),
    (
        "Allgatherv",
        "in count type out rooms in_displs in_type comm",
        _IN_PLACE.format("bytes_of(in_type, rooms[on->rank])", _OWN),
    ),
    (
        "Alltoall",
        "in count type out room in_type comm",
        _MEMBERS.format(_GATHERED),
    ),
    (
        "Alltoallv",
        "in counts displs type out rooms in_displs in_type comm",
        _IN_PLACE.format(
            "sum_of(in_type, rooms, on->size)", "sum_of(type, counts, on->size)"
        ),
    ),
    (
        "Alltoallw",
        "in counts displs types out rooms in_displs in_types comm",
        _IN_PLACE.format(
            "each_of(in_types, rooms, on->size)", "each_of(types, counts, on->size)"
        ),
    ),
    ("Reduce", "in out count type op root comm", _OWN),
    ("Allreduce", "in out count type op comm", _OWN),
    ("Reduce_scatter", "in out counts type op comm", "sum_of(type, counts, on->size)"),
    ("Reduce_scatter_block", "in out count type op comm", _MEMBERS.format(_OWN)),
    ("Scan", "in out count type op comm", _OWN),
    ("Exscan", "in out count type op comm", _OWN),
    ("Neighbor_allgather", "in count type out room in_type comm", _OWN),
    ("Neighbor_allgatherv", "in count type out rooms in_displs in_type comm", _OWN),
    ("Neighbor_alltoall", "in count type out room in_type comm", _OWN),
    (
        "Neighbor_alltoallv",
        "in counts displs type out rooms in_displs in_type comm",
        "0",
    ),
)
"""Each blocking; with a request in front of the name, I, and as prepared by _init."""


def _collectives() -> list[Function]:
    functions = []
    for name, parameters, volume in _COLLECTIVES:
        plain = Function(name, Kind.COLLECTIVE, parameters, volume, name != "Barrier")
        functions += [
            plain,
            replace(
                plain,
                name=f"I{name[0].lower()}{name[1:]}",
                kind=Kind.START_COLLECTIVE,
                parameters=f"{parameters} request",
            ),
            replace(
                plain,
                name=f"{name}_init",
                kind=Kind.PREPARE_COLLECTIVE,
                parameters=f"{parameters} info request",
                volume="0",
                is_recent=True,
            ),
        ]
    return functions


def _sends() -> list[Function]:
    functions = []
    for name in ("Send", "Bsend", "Ssend", "Rsend"):
        plain = Function(name, Kind.SEND, _SEND, _OWN, is_countable=True)
        begun = replace(plain, parameters=f"{_SEND} request")
        functions += [
            plain,
            replace(begun, name=f"I{name.lower()}", kind=Kind.START_SEND),
            replace(begun, name=f"{name}_init", kind=Kind.PREPARE_SEND),
        ]
    return functions


_CREATORS: Final = (
    ("Comm_dup", "comm new"),
    ("Comm_dup_with_info", "comm info new"),
    ("Comm_split", "comm color key new"),
    ("Comm_split_type", "comm split key info new"),
    ("Comm_create", "comm group new"),
    ("Comm_create_group", "comm group tag new"),
    ("Cart_create", "comm ndims dims periods reorder new"),
    ("Cart_sub", "comm remains new"),
    ("Intercomm_create", "comm leader peers remote tag new"),
    ("Intercomm_merge", "comm high new"),
)

_ONE_SIDED: Final = (
    ("Put", "in count type rank disp room in_type win"),
    ("Get", "out count type rank disp room in_type win"),
    ("Accumulate", "in count type rank disp room in_type op win"),
)

_PLAIN: Final = (
    ("Probe", "from tag comm status"),
    ("Iprobe", "from tag comm flag status"),
    ("Win_fence", "mode win"),
    ("Win_lock", "lock rank mode win"),
    ("Win_unlock", "rank win"),
    ("Win_lock_all", "mode win"),
    ("Win_unlock_all", "win"),
    ("Win_flush", "rank win"),
    ("Win_flush_all", "win"),
    ("Win_post", "group mode win"),
    ("Win_start", "group mode win"),
    ("Win_complete", "win"),
    ("Win_wait", "win"),
    ("Win_free", "freed_win"),
)

BY_HAND: Final = (
    "Wait",
    "Test",
    "Waitall",
    "Testall",
    "Waitany",
    "Testany",
    "Waitsome",
    "Testsome",
    "Start",
    "Startall",
    "Request_free",
    "Comm_free",
)
"""Functions that `completions.c` wraps."""

FUNCTIONS: Final = (
    *_sends(),
    Function("Recv", Kind.RECEIVE, f"{_RECEIVE} status", is_countable=True),
    Function("Irecv", Kind.START_RECEIVE, f"{_RECEIVE} request", is_countable=True),
    Function(
        "Recv_init", Kind.PREPARE_RECEIVE, f"{_RECEIVE} request", is_countable=True
    ),
    Function(
        "Sendrecv",
        Kind.EXCHANGE,
        "in count type to tag out room in_type from in_tag comm status",
        _OWN,
        is_countable=True,
    ),
    Function(
        "Sendrecv_replace",
        Kind.EXCHANGE,
        "out count type to tag from in_tag comm status",
        _OWN,
        is_countable=True,
    ),
    Function("Mprobe", Kind.MATCH, "from tag comm message status"),
    Function("Improbe", Kind.TRY_MATCH, "from tag comm flag message status"),
    Function("Mrecv", Kind.PLAIN, "out room type message status", is_countable=True),
    Function(
        "Imrecv", Kind.START_OTHER, "out room type message request", is_countable=True
    ),
    *_collectives(),
    *(Function(name, Kind.CREATE, parameters) for name, parameters in _CREATORS),
    *(
        Function(name, Kind.ONE_SIDED, parameters, _OWN, is_countable=True)
        for name, parameters in _ONE_SIDED
    ),
    *(Function(name, Kind.PLAIN, parameters) for name, parameters in _PLAIN),
)

NAMES: Final = tuple(f"MPI_{each}" for each in BY_HAND) + tuple(
    f"MPI_{each.name}" for each in FUNCTIONS
)
"""Meaning of the numbers in records."""
