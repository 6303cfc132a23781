"""Start each process of a job so that it counts into files of its own."""

from pathlib import Path
from typing import Final

VARIABLES: Final = (
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "SLURM_PROCID",
)
"""Variables in which starters of processes give the rank."""


def by_rank(
    words: tuple[str, ...], variable: str, folder: Path, suffix: str
) -> tuple[str, ...]:
    """Return a program that finds its rank's prefix in `folder` in a variable."""
    rank = "0"
    for name in reversed(VARIABLES):
        rank = f"${{{name}:-{rank}}}"
    target = f"{variable}=\"$0/rank-{rank}\"'{suffix}'"
    script = f'mkdir -p "$0"; export {target}; exec "$@"'
    return ("/bin/sh", "-c", script, str(folder), *words)
