"""Make the wrappers of what Fortran calls, as C.

Libraries bind Fortran in two ways: to PMPI, so that no wrapper in C sees the call, or
to MPI, so that the call seems to come from the library. Each function is therefore
wrapped under the names that Fortran's compilers give it, and that `mpi_f08` does; the
library's own is called as it is, and arguments are only read. All are passed by
reference.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from scalewatch_agent.traces.recording.functions import FUNCTIONS, Function, Kind
from scalewatch_agent.traces.recording.wrappers import notes

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
