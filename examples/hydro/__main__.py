"""A small hydrodynamics code, to prove on a real code what Scalewatch tells.

Gas in a periodic box, Euler's equations in two dimensions, finite volumes of first
order with Rusanov's fluxes, numpy and mpi4py. Blocks of cells are distributed over a
grid of processes that exchange halos; each step asks all of them for the largest wave
speed. It runs in strong and weak mode, with threads, and with a switchable bug in the
distribution of the work.

Start it by `mpiexec -n 4 python examples/hydro --help`, or sweep it by
`scalewatch-agent run examples/hydro.yaml`.
"""

import json
import sys
from pathlib import Path
from typing import Any

import click
import mpi4py
from decomposition import DISTRIBUTIONS


@click.command()
@click.option("--rows", default=128, type=click.IntRange(1), help="Of the domain.")
@click.option("--columns", default=1024, type=click.IntRange(1), help="Of the domain.")
@click.option(
    "--mode",
    default="strong",
    type=click.Choice(["strong", "weak"]),
    help="Divide the domain among the processes, or give each process one like it.",
)
@click.option("--steps", default=50, type=click.IntRange(1), help="To simulate.")
@click.option("--threads", default=1, type=click.IntRange(1), help="Of each process.")
@click.option(
    "--distribution",
    default="even",
    type=click.Choice(sorted(DISTRIBUTIONS)),
    help="How cells are handed out; `tiled` wastes time at awkward process counts.",
)
@click.option(
    "--clock",
    default="wall",
    type=click.Choice(["wall", "cpu"]),
    help="Of the profile; take `cpu` where processes share cores.",
)
@click.option(
    "--results",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="File for the times of the regions, as a JSON list.",
)
@click.option(
    "--profile",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="File for the profile, as a JSON list.",
)
def main(  # noqa: PLR0913 - one per option
    *,
    rows: int,
    columns: int,
    mode: str,
    steps: int,
    threads: int,
    distribution: str,
    clock: str,
    results: Path | None,
    profile: Path | None,
) -> None:
    """Simulate a blast in a periodic box, and tell where the time went.

    Prints one JSON object: the coordinate, per region the time of the slowest process
    in each step, and the profile, the time that all processes spent there together;
    then what was simulated: totals of mass, momenta and energy, the time reached, and
    the state of the first cell.
    """
    mpi4py.rc.thread_level = "funneled"
    from mpi4py import MPI  # noqa: PLC0415 - initialises MPI with that thread level

    comm = MPI.COMM_WORLD
    if mode == "weak":
        rows *= comm.size
    try:
        result = _simulate(comm, (rows, columns), distribution, threads, steps, clock)
    except ValueError as wrong:
        if comm.rank == 0:
            click.echo(f"hydro: {wrong}", err=True)
        sys.exit(2)
    if comm.rank == 0:
        for part, path in (("results", results), ("profile", profile)):
            if path is not None:
                path.write_text(json.dumps(result[part]))
        click.echo(json.dumps(result))


def _simulate(  # noqa: PLR0913, PLR0917 - as above
    comm: "mpi4py.MPI.Intracomm",
    shape: tuple[int, int],
    distribution: str,
    threads: int,
    steps: int,
    clock: str,
) -> dict[str, Any]:
    from simulation import (  # noqa: PLC0415 - imports MPI
        Simulation,
    )

    simulation = Simulation(comm, shape, distribution, threads)
    simulation.step()  # touches all memory; not counted
    watch = simulation.stopwatch
    watch.restart()
    for _ in range(steps):
        simulation.step()
    return {
        "coordinate": {"p": comm.size, "n": shape[0] * shape[1], "threads": threads},
        "results": [
            {"region": name, "metric": "time", "unit": "s", "values": values}
            for name, values in watch.slowest(comm).items()
        ],
        "profile": [
            {"region": name, "seconds": seconds}
            for name, seconds in watch.profile(comm, clock).items()
        ],
        "totals": simulation.totals.tolist(),
        "time": simulation.time,
        "probe": simulation.probe().tolist(),
    }


if __name__ == "__main__":
    main()
