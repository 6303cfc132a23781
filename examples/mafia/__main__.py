"""MAFIA, clusters in subspaces, to judge growths that are exponential.

Merging of adaptive intervals: a grid of bins that follows the points, then dense units
of one dimension, of two, of three, until none is left. A cluster of k dimensions has
2^k - 1 dense units, one per subset of its bins, so that work and time grow with 2^k.
Four kernels take them from level to level: generation, deduplication, population count
and unjoin. The points are divided among the processes, which add up their counts.

Start it by `mpiexec -n 2 python examples/mafia --help`, or sweep it by
`scalewatch-agent run examples/mafia.yaml`.

References
----------
H. Nagesh, S. Goil, A. Choudhary, "Adaptive grids for clustering massive data sets",
SIAM International Conference on Data Mining, 2001.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import mpi4py
import numpy as np

from scalewatch_agent.errors import AgentError


@click.command()
@click.option("-k", "--cluster-dimensions", "k", type=click.IntRange(1), required=True)
@click.option("--points", default=100_000, type=click.IntRange(1), show_default=True)
@click.option("--dimensions", default=20, type=click.IntRange(1), show_default=True)
@click.option("--clusters", default=3, type=click.IntRange(1), show_default=True)
@click.option(
    "--density",
    type=click.FloatRange(min=0, min_open=True),
    help="Times the mean that a bin has to exceed to be dense.  [default: 1.5]",
)
@click.option("--repeats", default=1, type=click.IntRange(1), help="Of the search.")
@click.option("--seed", default=1, help="Of the points.")
@click.option(
    "--clock",
    default="wall",
    type=click.Choice(["wall", "cpu"]),
    help="Take `cpu` where other programs share the cores.",
)
@click.option(
    "--results",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="File for times and counts, as a JSON list.",
)
def main(results: Path | None, **chosen: Any) -> None:
    """Plant clusters of k dimensions among points, and search for them.

    Prints one JSON object: per kernel the seconds of the slowest process in each
    search, and the operations of all processes; then how many clusters and dense
    units were found, and how many there are.
    """
    mpi4py.rc.thread_level = "single"
    from mpi4py import MPI  # noqa: PLC0415 - initialises MPI with that thread level

    comm = MPI.COMM_WORLD
    try:
        result = _searched(comm, **chosen)
    except (ValueError, AgentError) as wrong:  # the same for every process
        if comm.rank == 0:
            click.echo(f"mafia: {wrong}", err=True)
        sys.exit(2)
    except MemoryError:
        click.echo(f"mafia: process {comm.rank} has no memory left", err=True)
        comm.Abort(2)
        raise
    if comm.rank == 0:
        if results is not None:
            results.write_text(json.dumps(result["results"]))
        click.echo(json.dumps(result))


def _searched(  # noqa: PLR0913 - one per option
    comm: "mpi4py.MPI.Intracomm",
    *,
    k: int,
    points: int,
    dimensions: int,
    clusters: int,
    density: float | None,
    repeats: int,
    seed: int,
    clock: str,
) -> dict[str, Any]:
    # They import MPI.
    from grid import DENSITY, Grid  # noqa: PLC0415
    from kernels import Kernels, built_kernels  # noqa: PLC0415
    from points import Clusters  # noqa: PLC0415
    from search import Search  # noqa: PLC0415

    wanted = Clusters(points, dimensions, clusters, k)
    own = wanted.planted(np.random.default_rng(seed))[comm.rank :: comm.size]
    grid = Grid.of(own, comm, density or DENSITY)
    library = built_kernels()
    took: dict[str, list[float]] = {}
    for _ in range(repeats):
        kernels = Kernels(library, clock)
        found = Search(comm, own, grid, kernels).run()
        for name, seconds in kernels.seconds.items():
            took.setdefault(name, []).append(comm.allreduce(seconds, mpi4py.MPI.MAX))
    counted = {name: comm.allreduce(each) for name, each in kernels.counts.items()}
    planted = sum(len(bins) == k for bins in found.clusters)
    counted |= {"units": found.units, "clusters": planted}
    return {
        "coordinate": {"p": comm.size, "k": k},
        "results": list(_results(took, counted)),
        "bins": len(grid.least),
        "planted": {"units": wanted.units, "clusters": clusters},
        "clusters": [list(bins) for bins in found.clusters],
    }


def _results(
    took: dict[str, list[float]], counted: dict[str, int]
) -> Iterator[dict[str, Any]]:
    for name, seconds in took.items():
        yield {"region": name, "metric": "time", "unit": "s", "values": seconds}
    for name, operations in counted.items():
        whole = {"unit": "1", "values": [operations], "exact": True}
        yield {"region": name, "metric": "count"} | whole


if __name__ == "__main__":
    main()
