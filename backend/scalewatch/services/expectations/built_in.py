"""Published expectations and guidelines for the suites of the product.

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015, Tables 2 and 3 and section 3.3.
"""

from collections.abc import Mapping
from typing import Final

GROWTHS: Final[Mapping[str, Mapping[tuple[str, str], str]]] = {
    "mpi-collectives": {
        ("MPI_Barrier", "time"): "log p",
        ("MPI_Bcast", "time"): "log p",
        ("MPI_Reduce", "time"): "log p",
        ("MPI_Allreduce", "time"): "log p",
        ("MPI_Gather", "time"): "p",
        ("MPI_Allgather", "time"): "p",
        ("MPI_Alltoall", "time"): "p log p",
        ("Bcast (binary tree)", "time"): "log p",
    },
    "mpi-memory": {
        ("MPI memory", "memory"): "log p",
        ("MPI_Comm_create", "memory"): "p",
        ("MPI_Comm_dup", "memory"): "1",
        ("MPI_Win_create", "memory"): "p",
        ("MPI_Cart_create", "memory"): "p",
    },
    "sorting": {
        ("Sample sort", "time"): "p log p",
        ("Histogram sort", "time"): "p",
        ("Bitonic sort", "time"): "log^2 p",
    },
}
"""By suite: region and metric, and how it should grow for small messages."""

DEVIATION_LIMIT: Final = "p^(1/2)"
"""The same for all of them, as in the study."""

REASONS: Final[Mapping[str, str]] = {
    "mpi-collectives": (
        "Table 2 of Shudler et al., Exascaling Your Library, ICS 2015: "
        "small messages, powers of two"
    ),
    "mpi-memory": "Table 3 of Shudler et al., Exascaling Your Library, ICS 2015",
    "sorting": (
        "number of operations for a fixed number of keys per process: sorting the "
        "sample, counting below each splitter, exchanges of the network"
    ),
}
"""By suite, where its expectations come from."""

GUIDELINES: Final = (
    "MPI_Allreduce ⪯ MPI_Reduce + MPI_Bcast",
    "MPI_Reduce ⪯ MPI_Allreduce",
    "MPI_Bcast ⪯ MPI_Allreduce",
    "MPI_Gather ⪯ MPI_Allgather",
    "MPI_Allgather ⪯ MPI_Alltoall",
    "MPI_Barrier ⪯ MPI_Allreduce",
    "MPI_Bcast ⪯ Bcast (binary tree)",
)
"""Rules between regions at equal message sizes per process, where both exist."""

GUIDELINES_REASON: Final = (
    "Träff, Gropp and Thakur, Self-Consistent MPI Performance Guidelines, TPDS 2010: "
    "an operation must not be slower than the operations that can replace it at the "
    "same message size"
)

LITMUS_TESTS: Final = frozenset({"Bcast (binary tree)"})
"""Regions that are our own implementations of known algorithms."""

MESSAGES: Final = "MPI_"
"""How the regions begin that load the network with messages, as litmus tests do."""
