"""Make the wrappers of the functions in the table, as C."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from scalewatch_agent.traces.recording import functions
from scalewatch_agent.traces.recording.functions import FUNCTIONS, Function, Kind

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

_COUNTS: Final = re.compile("(sum|each)_of")
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
        _COUNTS.sub(r"large_\1_of", function.volume) if is_large else function.volume
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


_INTEGERS: Final = (
    "count",
    "room",
    "to",
    "from",
    "root",
    "rank",
    "tag",
)
READ: Final[Mapping[str, str]] = {
    **{name: f"int {name} = *(MPI_Fint *){name}_;" for name in _INTEGERS},
    "in": "const void *in = is_in_place(in_) ? MPI_IN_PLACE : in_;",
    "type": "MPI_Datatype type = PMPI_Type_f2c(*(MPI_Fint *)type_);",
    "in_type": "MPI_Datatype in_type = PMPI_Type_f2c(*(MPI_Fint *)in_type_);",
    "types": "const MPI_Fint *types = types_;",
    "in_types": "const MPI_Fint *in_types = in_types_;",
    "comm": "MPI_Comm comm = PMPI_Comm_f2c(*(MPI_Fint *)comm_);",
    "counts": "const int *counts = counts_;",
    "rooms": "const int *rooms = rooms_;",
    "flag": "int flag_value = *(MPI_Fint *)flag_, *flag = &flag_value;",
    "request": (
        "MPI_Request handle = PMPI_Request_f2c(*(MPI_Fint *)request_), "
        "*request = &handle;"
    ),
    "new": "MPI_Comm made = PMPI_Comm_f2c(*(MPI_Fint *)new_), *new = &made;",
    "status": "MPI_Status c_status, *status = as_c(status_, &c_status);",
}
"""How arguments are read that the notes of a call name."""

BY_HAND: Final[Mapping[str, str]] = {
    "Init": "",
    "Init_thread": "wanted provided",
    "Finalize": "",
    "Abort": "comm word",
    "Wait": "request status",
    "Test": "request flag status",
    "Waitall": "count requests statuses",
    "Testall": "count requests flag statuses",
    "Waitany": "count requests index status",
    "Testany": "count requests index flag status",
    "Waitsome": "count requests done indices statuses",
    "Testsome": "count requests done indices statuses",
    "Start": "request",
    "Startall": "count requests",
    "Request_free": "request",
    "Comm_free": "communicator",
}
"""Functions whose bodies are in `fortran.c`, with their parameters."""

FAMILIES: Final = ("_", "_f08_", "_f08ts_")
"""Suffixes of names: as compilers write them, and in two kinds of `mpi_f08`."""

OTHERS: Final = ("", "__")
"""Further suffixes of compilers, beside capital letters."""


def fortran_wrappers() -> str:
    """Return all wrappers, those whose bodies `fortran.c` holds first."""
    parts: list[str] = []
    for name, parameters in BY_HAND.items():
        parts += _names(name, parameters.split())
    for function in FUNCTIONS:
        if not function.is_recent:
            passed = [f"{name}_" for name in function.parameters.split()]
            parts += [_body(function), *_names(function.name, passed)]
    return "\n".join(parts)


def _names(name: str, parameters: list[str]) -> Iterator[str]:
    """Yield a function in C for each name that Fortran may give one of MPI."""
    declared = ", ".join(f"void *{each}" for each in (*parameters, "code"))
    passed = ", ".join((*parameters, "code"))
    symbol = f"mpi_{name.lower()}"
    for family in FAMILIES:
        yield (
            f"void {symbol}{family}({declared})\n"
            "{\n"
            "    static void *next;\n"
            f'    if (!next) next = dlsym(RTLD_NEXT, "{symbol}{family}");\n'
            f"    fortran_{name}(next, __builtin_return_address(0), "
            f"(uintptr_t)__builtin_frame_address(0), {passed});\n"
            "}\n"
        )
    for other in (*(f"{symbol}{end}" for end in OTHERS), symbol.upper()):
        yield f'void {other}({declared}) __attribute__((alias("{symbol}_")));\n'


def _body(function: Function) -> str:
    parameters = function.parameters.split()
    declared = "".join(f", void *{name}_" for name in parameters)
    passed = ", ".join(
        "f_status" if name == "status" else f"{name}_" for name in parameters
    )
    volume = function.volume.replace("each_of", "f_each_of")
    lines = list(notes(function, volume))
    text = "\n".join(lines)
    used = [name for name in parameters if _is_used(name, function, text)]
    head = [
        f"static void fortran_{function.name}(void *next, void *address,",
        f"    uintptr_t frame{declared}, void *code_)",
        "{",
        f"    void (*call_next)({', '.join(['void *'] * (len(parameters) + 1))});",
        "    memcpy(&call_next, &next, sizeof next);",
    ]
    if "status" in parameters:
        head += [
            "    MPI_Fint own[F_STATUS] = {0};",
            "    void *f_status = status_;",
        ]
    head += [
        "    struct thread *thread = entered();",
        f"    if (!thread) {{ call_next({passed}, code_); return; }}",
    ]
    if "status" in parameters:
        head.append("    if (is_ignored(status_)) f_status = own;")
    head += [
        "    uint32_t site = site_of(thread, address, frame);",
        "    uint64_t start = now();",
        f"    call_next({passed}, code_);",
        f"    record *call = note(thread, F_{function.name}, start, now(), site);",
        "    int code = code_ ? *(MPI_Fint *)code_ : MPI_SUCCESS;",
    ]
    reads = (READ[name].replace("status_,", "f_status,") for name in used)
    tail = ["    (void)call, (void)code;", "    left(thread);", "}", ""]
    return "\n".join(
        [
            *head,
            *(f"    {each}" for each in reads),
            *(f"    {each}" for each in lines),
            *tail,
        ]
    )


def _is_used(name: str, function: Function, text: str) -> bool:
    """Tell whether the notes of a call read an argument."""
    if name not in READ or function.kind is Kind.PLAIN:
        return False
    words = text.replace("->", " ->").replace(".", " .")
    for mark in "(){}[]*&,;?:=!<>":
        words = words.replace(mark, " ")
    return name in words.split()
