"""Traces with known contents, and the folder of those that others have written."""

import os
from pathlib import Path

import numpy as np
import pytest

from scalewatch_agent.traces.records import RECORD, Flag
from scalewatch_agent.traces.trace import Process, Site, Trace

FUNCTIONS = (
    "MPI_Send",
    "MPI_Recv",
    "MPI_Irecv",
    "MPI_Waitall",
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Reduce",
)


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


def trace(*processes, communicators=None, runtime=1000, sites=SITES):
    """Return a trace of processes, each a list of records, with time between them."""
    made = []
    for rank, records in enumerate(processes):
        joined = np.concatenate([np.zeros(0, RECORD), *records])
        in_mpi = joined["took"][(joined["flags"] & Flag.PART) == 0].sum()
        made.append(Process(rank, joined, runtime - int(in_mpi)))
    world = np.arange(len(processes))
    return Trace(made, FUNCTIONS, sites, {0: world, **(communicators or {})}, runtime)
