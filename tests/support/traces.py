"""Traces with known contents, and the folder of those that others have written."""

import os
from pathlib import Path

import numpy as np
import pytest

from scalewatch_agent.traces.records import HEADER, MAGIC, RECORD, VERSION, Flag
from scalewatch_agent.traces.trace import Process, Site, Trace

FUNCTIONS = (
    "MPI_Send",
    "MPI_Recv",
    "MPI_Irecv",
    "MPI_Waitall",
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Reduce",
    "MPI_Scatterv",
    "MPI_Iallreduce",
)


MADE_TRACE = """\
#Paraver (01/01/2020 at 10:00):1000_ns:1(2):1:2(1:1,1:1),1
c:1:1:2:1:2
1:1:1:1:1:0:100:1
1:2:1:2:1:0:40:1
2:2:1:2:1:40:50000001:2:70000001:3:80000001:5
1:2:1:2:1:40:140:3
2:1:1:1:1:100:50000001:1:70000001:3:80000001:4:42000050:12
1:1:1:1:1:100:130:4
2:1:1:1:1:130:50000001:0
1:1:1:1:1:130:300:1
3:1:1:1:1:100:110:2:1:2:1:40:140:64:7
2:2:1:2:1:140:50000001:0
1:2:1:2:1:140:500:1
2:1:1:1:1:300:50000002:8:50100004:1:70000001:3:80000001:6
2:2:1:2:1:500:50000002:8:50100004:1:70000001:3:80000001:6
2:2:1:2:1:510:50000002:0
2:1:1:1:1:520:50000002:0
"""
MADE_LABELS = """\
EVENT_TYPE
9   50000001    MPI Point-to-point
VALUES
1   MPI_Send
2   MPI_Recv
0   Outside MPI

EVENT_TYPE
9   50000002    MPI Collective Comm
VALUES
8   MPI_Barrier

EVENT_TYPE
0    70000001    Caller at level 1
VALUES
3 exchange

EVENT_TYPE
0    80000001    Caller line at level 1
VALUES
4 71 (halo.c, code)
5 80 (halo.c, code)
6 90 (halo.c, code)
"""

SITES = (Site("a.c", 1),)


def foreign(*parts: str) -> Path:
    """Return a trace that somebody else wrote, beside the checkout unless set."""
    beside = Path(__file__).parents[3] / "shared" / "data" / "traces"
    path = Path(os.environ.get("SCALEWATCH_FOREIGN_TRACES", beside)).joinpath(*parts)
    if not path.exists():
        pytest.skip(f"no {path}: set SCALEWATCH_FOREIGN_TRACES")
    return path


def call(function, start, took, **fields):
    """Return a record; times are in ns."""
    record = np.zeros(1, RECORD)
    record["function"] = FUNCTIONS.index(function)
    record["start"], record["took"], record["peer"] = start, took, -1
    for name, value in fields.items():
        record[name] = value
    return record


def send(start, took, to, **fields):
    return call("MPI_Send", start, took, peer=to, flags=Flag.SENT, **fields)


def receive(start, took, source, **fields):
    return call("MPI_Recv", start, took, peer=source, flags=Flag.RECEIVED, **fields)


def post(start, request, **fields):
    return call("MPI_Irecv", start, 1, request=request, flags=Flag.POSTED, **fields)


def brought(start, took, source, request, **fields):
    """Return what a wait for several messages brought, a part of that call."""
    flags = Flag.RECEIVED | Flag.PART
    return call(
        "MPI_Waitall", start, took, peer=source, request=request, flags=flags, **fields
    )


def exchanged(processes, messages, seed):
    """Return programs that exchange messages at random, and when each ends in ns."""
    generator = np.random.default_rng(seed)
    clocks = np.zeros(processes, np.int64)
    programs = [[] for _ in clocks]
    for _ in range(messages):
        clocks += generator.integers(1, 50, processes)
        sender, receiver = generator.permutation(processes)[:2]
        entered = clocks[receiver]
        arrives = max(clocks[sender] + 9, entered + 1)
        programs[sender].append(send(clocks[sender], 4, receiver))
        programs[receiver].append(receive(entered, arrives - entered, sender))
        clocks[sender] += 4
        clocks[receiver] = arrives
    return programs, clocks


def trace(*processes, communicators=None, runtime=1000, sites=SITES):
    """Return a trace of processes, each a list of records, with time between them."""
    made = []
    for rank, records in enumerate(processes):
        joined = np.concatenate([np.zeros(0, RECORD), *records])
        in_mpi = joined["took"][(joined["flags"] & Flag.PART) == 0].sum()
        made.append(Process(rank, joined, runtime - int(in_mpi)))
    world = np.arange(len(processes))
    return Trace(made, FUNCTIONS, sites, {0: world, **(communicators or {})}, runtime)


def write_records(path, header, records):
    """Write a file of records, as the recorder does."""
    values = {
        "magic": MAGIC,
        "version": VERSION,
        "record_size": RECORD.itemsize,
        "closed": 1,
    }
    first = np.zeros(1, HEADER)
    for name, value in (values | header).items():
        first[name] = value
    with path.open("wb") as file:
        first.tofile(file)
        np.ascontiguousarray(records, RECORD).tofile(file)
