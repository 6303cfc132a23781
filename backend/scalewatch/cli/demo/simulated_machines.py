"""Simulated collectives on three networks, at scales that no test machine has.

Nobody measured these numbers: SimGrid 3.32 (SMPI, its default algorithms) simulated a
small C program, one operation behind a barrier, the slowest process counting. The
simulation knows no noise, and its machines are plausible ones, calibrated to no real
one. Where a simulation took over a minute, its process count is missing.
"""

from collections.abc import Iterator, Mapping
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from scalewatch.wire import Commit, Machine, Result, RunReport

PROJECT: Final = "simulated-collectives"
PROCESSES: Final = tuple(2**exponent for exponent in range(4, 13))

PROVENANCE: Final = (
    "Not measured: simulated with SimGrid 3.32 (SMPI, default algorithms), without "
    "noise. The networks are plausible ones, calibrated to no real machine."
)

MACHINES: Final[Mapping[str, str]] = {
    "5-D torus": "4×4×4×8×8 nodes, links of 2 GB/s and 40 ns",
    "fat tree": "three levels of 16, links of 12.5 GB/s and 500 ns",
    "dragonfly": "11 groups of 6 chassis of 16 blades of 4 nodes, 10 GB/s, 300 ns",
}

COMMIT: Final = Commit(
    sha="smpi-3.32",
    tag="smpi-3.32",
    message="SimGrid 3.32, SMPI with its default collective algorithms",
)

NANOSECONDS: Final[Mapping[str, str]] = {
    "5-D torus": """\
Barrier 8 2986 3846 4715 5464 6293 7810 8866 10259 11175
Bcast 8 4832 5686 6659 7912 9486 10706 11952 13086 14659
Reduce 8 4833 5686 6659 7913 9486 10799 12053 13084 14660
Allreduce 8 3009 3869 4743 5496 6330 7856 8916 10322 11259
Gather 8 4882 5801 6912 8446 10583 13031 16562 22136 32829
Allgather 8 3060 3990 5008 6518 8484 14429 22139 39190
Alltoall 8 3164 4186 5733 8780 15980 33487 71684
Tree 8 4832 5686 6659 7912 9486 10706 11953 13086 14659
Bcast 1024 7668 8758 10830 12203 15104 17025 17977 19793 22101
Reduce 1024 7120 8509 10047 11864 14443 15880 17705 19292 22273
Allreduce 1024 7045 8497 10484 12581 15294 19606 23200 28248
Gather 1024 13378 23300 42476 79133 153541 302436 594213 1176884 2343519
Allgather 1024 19534 39927 84387 198723 403551 987716 1944204
Alltoall 1024 33891 98986 248800 624656 1434464 3760866
Tree 1024 7668 8758 10830 12203 15104 17025 17977 19793 22101
""",
    "fat tree": """\
Barrier 8 14025 17528 21033 24543 28043 31549 35046 38562 42079
Bcast 8 15030 15530 17532 19530 25534 29541 31543 37045 37548
Reduce 8 15028 18530 22034 25538 30036 33538 37540 40043 45050
Allreduce 8 14028 17533 21039 24553 28059 31563 35068 38584 42112
Gather 8 15035 18548 22075 25623 30210 33893 38258 41488 47959
Allgather 8 14036 17563 21108 24747 28525 32626 38151 45964
Alltoall 8 14048 17611 21238 25235 29570 35351 44458
Tree 8 15030 15530 17532 19530 25534 29541 31543 37045 37548
Bcast 1024 15481 15981 18074 20074 26259 30536 32628 38406 38998
Reduce 1024 15389 18981 22666 26351 30761 34351 38445 41039 46409
Allreduce 1024 14408 18101 21893 26072 29766 33554 37590 41713 46422
Gather 1024 16390 21348 27947 36957 51723 78026 127723 286111 475858
Allgather 1024 15459 22197 33169 57316 105664 218531 541252 1099305
Alltoall 1024 17047 28857 54855 147963 323005 857635
Tree 1024 15481 15981 18074 20074 26259 30536 32628 38406 38998
""",
    "dragonfly": """\
Barrier 8 10427 13036 15641 18266 20867 23488 26126 28743 31333
Bcast 8 11230 11730 13632 15235 18037 21740 24542 26644 30648
Reduce 8 11230 13533 15538 18541 20844 23147 28259 29662 33252
Allreduce 8 10430 13044 15652 18292 20897 23521 26183 28802 31411
Gather 8 11239 13556 15588 18647 21062 23590 29161 31472 36881
Allgather 8 10440 13079 15759 18652 21376 29479 58830 103755
Alltoall 8 10464 13185 16121 19714 24365 40353 111374
Tree 8 11230 11730 13632 15235 18037 21740 24542 26644 30648
Bcast 1024 11722 12222 14197 15928 18842 22768 25595 27903 32080
Reduce 1024 11682 14103 16334 19455 21911 24326 29986 31501 34753
Allreduce 1024 10905 14081 17060 21373 24207 28358 39793 43241 47800
Gather 1024 12933 17062 22820 32108 48546 79474 142757 260166 494983
Allgather 1024 12917 21205 38808 78432 374324 1467127 5118201 10534213
Alltoall 1024 16833 39690 98368 233852 902756 3533713 13280501
Tree 1024 11722 12222 14197 15928 18842 22768 25595 27903 32080
""",
}
"""By machine: operation, message bytes, times at the process counts from 16 on."""

TREE: Final = "Bcast (binary tree)"


def simulated_runs() -> Iterator[RunReport]:
    """Yield a run per machine, message size and process count."""
    for machine, table in NANOSECONDS.items():
        rows = [row.split() for row in table.splitlines()]
        for size in sorted({int(row[1]) for row in rows}):
            series = {row[0]: row[2:] for row in rows if int(row[1]) == size}
            for position, p in enumerate(PROCESSES):
                results = tuple(
                    Result(
                        region=TREE if operation == "Tree" else f"MPI_{operation}",
                        metric="time",
                        unit="ns",
                        values=(float(times[position]),),
                    )
                    for operation, times in series.items()
                    if position < len(times)
                )
                if not results:
                    continue
                yield RunReport(
                    schema_version=1,
                    id=uuid5(NAMESPACE_URL, f"{PROJECT}/{machine}/{size}/{p}"),
                    project=PROJECT,
                    suite="mpi-collectives",
                    commit=COMMIT,
                    machine=Machine(
                        name=machine,
                        fingerprint={"interconnect": MACHINES[machine]},
                        provenance=PROVENANCE,
                    ),
                    coordinate={"p": p},
                    configuration={"message_bytes": size},
                    results=results,
                )
