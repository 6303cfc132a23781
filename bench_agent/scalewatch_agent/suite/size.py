"""The size of MPI_COMM_WORLD, printed by each process before a job begins.

A starter that does not belong to the MPI library starts so many lonely processes, each
of which does the whole work; their output would look like a measurement.
"""

import sys


def main() -> None:
    """Print the size of the communicator, and the library behind it."""
    import mpi4py  # noqa: PLC0415 - of the job

    mpi4py.rc.thread_level = "single"
    from mpi4py import MPI  # noqa: PLC0415 - initialises MPI

    library = MPI.Get_library_version().splitlines()[0].strip("\0 ")
    sys.stdout.write(f"communicator {MPI.COMM_WORLD.size} {library}\n")


if __name__ == "__main__":
    main()
