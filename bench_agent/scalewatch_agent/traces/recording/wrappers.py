"""Make the wrappers of the functions in the table, as C."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from scalewatch_agent.traces.recording import functions

TYPES: Final[Mapping[str, str]] = {
    "in": "const void *in",
    "out": "void *out",
    "count": "int count",
    "room": "int room",
    "type": "MPI_Datatype type",
    "in_type": "MPI_Datatype in_type",
    "counts": "const int counts[]",
    "rooms": "const int rooms[]",
    "displs": "const int displs[]",
    "in_displs": "const int in_displs[]",
    "types": "const MPI_Datatype types[]",
    "in_types": "const MPI_Datatype in_types[]",
    "to": "int to",
    "from": "int from",
    "root": "int root",
    "rank": "int rank",
    "tag": "int tag",
    "in_tag": "int in_tag",
    "comm": "MPI_Comm comm",
    "peers": "MPI_Comm peers",
    "op": "MPI_Op op",
    "request": "MPI_Request *request",
    "status": "MPI_Status *status",
    "flag": "int *flag",
    "message": "MPI_Message *message",
    "info": "MPI_Info info",
    "group": "MPI_Group group",
    "new": "MPI_Comm *new",
    "color": "int color",
    "key": "int key",
    "split": "int split",
    "ndims": "int ndims",
    "dims": "const int dims[]",
    "periods": "const int periods[]",
    "remains": "const int remains[]",
    "reorder": "int reorder",
    "leader": "int leader",
    "remote": "int remote",
    "high": "int high",
    "disp": "MPI_Aint disp",
    "win": "MPI_Win win",
    "freed_win": "MPI_Win *freed_win",
    "mode": "int mode",
    "lock": "int lock_type",
}
"""Declarations of parameters."""

LARGE: Final[Mapping[str, str]] = {
    "count": "MPI_Count count",
    "room": "MPI_Count room",
    "counts": "const MPI_Count counts[]",
    "rooms": "const MPI_Count rooms[]",
    "displs": "const MPI_Aint displs[]",
    "in_displs": "const MPI_Aint in_displs[]",
}
"""Types that differ in the variant for large counts."""

_ON: Final = "const struct communicator *on = known_as(thread, comm);"
_OPEN: Final = (
    "if (code == MPI_SUCCESS) call->request = opened(thread, "
    "(struct open_request){{.handle = *request, .bytes = {bytes}, "
    ".communicator = on->number, .peer = {peer}, .tag = {tag}, .kind = {kind}, "
    ".is_persistent = {persistent}}});"
)
_ALL: Final = {"bytes": "0", "peer": "-1", "tag": "-1"}
_OF_SEND: Final = {
    "bytes": "{volume}",
    "peer": "to",
    "tag": "tag",
    "kind": "SENDING",
}
_OF_RECEIVE: Final = {"peer": "from", "tag": "tag", "kind": "RECEIVING"}
_OTHER: Final = {"kind": "OTHER"}


def _opened(fields: Mapping[str, str], *, persistent: bool = False) -> str:
    return _OPEN.format(**{**_ALL, "persistent": int(persistent), **fields})


_POSTED: Final = (
    "call->communicator = on->number; call->tag = tag; call->flags |= POSTED;"
)
NOTES: Final[Mapping[functions.Kind, tuple[str, ...]]] = {
    functions.Kind.SEND: (_ON, "note_send(call, on, to, tag, {volume});"),
    functions.Kind.START_SEND: (
        _ON,
        "note_send(call, on, to, tag, {volume});",
        f"if (to != MPI_PROC_NULL) {_opened(_OF_SEND)}",
    ),
    functions.Kind.PREPARE_SEND: (
        _ON,
        f"if (to != MPI_PROC_NULL) {_opened(_OF_SEND, persistent=True)}",
    ),
    functions.Kind.RECEIVE: (_ON, "note_receive(call, on->number, status);"),
    functions.Kind.START_RECEIVE: (
        _ON,
        f"if (from != MPI_PROC_NULL) {{ {_POSTED} {_opened(_OF_RECEIVE)} }}",
    ),
    functions.Kind.PREPARE_RECEIVE: (
        _ON,
        f"if (from != MPI_PROC_NULL) {_opened(_OF_RECEIVE, persistent=True)}",
    ),
    functions.Kind.EXCHANGE: (
        "note_exchange(thread, call, comm, to, tag, {volume}, status);",
    ),
    functions.Kind.MATCH: (_ON, "note_receive(call, on->number, status);"),
    functions.Kind.TRY_MATCH: (
        _ON,
        "if (*flag) note_receive(call, on->number, status);",
    ),
    functions.Kind.COLLECTIVE: (_ON, "note_collective(call, on, {root}, {volume});"),
    functions.Kind.START_COLLECTIVE: (
        _ON,
        "note_collective(call, on, {root}, {volume});",
        _opened(_OTHER),
    ),
    functions.Kind.PREPARE_COLLECTIVE: (_ON, _opened(_OTHER, persistent=True)),
    functions.Kind.START_OTHER: (
        "const struct communicator *on = &nowhere;",
        _opened(_OTHER),
    ),
    functions.Kind.CREATE: (
        _ON,
        "call->communicator = on->number;",
        "if (code == MPI_SUCCESS && *new != MPI_COMM_NULL) known_as(thread, *new);",
    ),
    functions.Kind.ONE_SIDED: ("call->peer = rank; call->bytes = {volume};",),
    functions.Kind.PLAIN: (),
}
"""Code after a call, by its kind."""


def numbers() -> str:
    """Return the numbers of functions, and the list of their names, as C."""
    names = [*functions.BY_HAND, *(each.name for each in functions.FUNCTIONS)]
    members = ", ".join(f"F_{name}" for name in names)
    return f'enum {{ {members} }};\n#define FUNCTIONS "{",".join(functions.NAMES)}"\n'


def wrappers() -> str:
    """Return all wrappers, as C."""
    parts = []
    for function in functions.FUNCTIONS:
        is_recent, is_countable = function.is_recent, function.is_countable
        since_4 = ["#if MPI_VERSION >= 4"]
        parts += since_4 * is_recent + [_wrapper(function, is_large=False)]
        if is_countable:
            parts += since_4 * (not is_recent) + [_wrapper(function, is_large=True)]
        parts += ["#endif"] * (is_recent or is_countable)
    return "\n".join(parts)


def _wrapper(function: functions.Function, *, is_large: bool) -> str:
    names = function.parameters.split()
    kinds = {**TYPES, **LARGE} if is_large else TYPES
    declared = ", ".join(kinds[name] for name in names)
    passed = ", ".join("lock_type" if name == "lock" else name for name in names)
    name = f"{function.name}_c" if is_large else function.name
    volume = (
        re.sub("(sum|each)_of", r"large_\1_of", function.volume)
        if is_large
        else function.volume
    )
    lines = [f"int MPI_{name}({declared})", "{"]
    if "status" in names:
        lines.append("    MPI_Status own;")
    lines.append(f"    ENTER(PMPI_{name}({passed}));")
    if "status" in names:
        lines.append("    status = own_status(status, &own);")
    lines += [
        "    uint64_t start = now();",
        f"    int code = PMPI_{name}({passed});",
        f"    record *call = note(thread, F_{function.name}, start, now(), site);",
        *(f"    {line}" for line in notes(function, volume)),
        "    (void)call;",
        "    left(thread);",
        "    return code;",
        "}",
        "",
    ]
    return "\n".join(lines)


def notes(function: functions.Function, volume: str) -> Iterator[str]:
    """Yield what follows a call, as C; `volume` is what the process brings."""
    root = "root" if "root" in function.parameters.split() else "-1"
    for line in NOTES[function.kind]:
        yield line.replace("{volume}", volume).replace("{root}", root)
