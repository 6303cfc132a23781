"""Send a token around all processes: `ring.py MESSAGE_BYTES ROUNDS` under mpiexec."""

import json
import sys
from pathlib import Path
from time import perf_counter

from mpi4py import MPI


def main(message_bytes: int, rounds: int) -> None:
    """Print the time of each round, and note the bytes that were sent."""
    comm = MPI.COMM_WORLD
    before, after = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
    token = bytearray(message_bytes)
    for _ in range(rounds):
        start = perf_counter()
        if comm.rank == 0:
            comm.Send(token, after)
            comm.Recv(token, before)
            seconds = perf_counter() - start
            print(f"one way around: {seconds * 1e6:.3f} us")
        else:
            comm.Recv(token, before)
            comm.Send(token, after)
    if comm.rank == 0:
        sent = {"region": "ring", "value": rounds * comm.size * message_bytes}
        Path("laps.jsonl").write_text(json.dumps(sent) + "\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
