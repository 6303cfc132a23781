"""Start each process of a job so that it counts into a folder of its own."""

from pathlib import Path
from typing import Final

VARIABLES: Final = (
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MV2_COMM_WORLD_RANK",
    "SLURM_PROCID",
)
"""What starters of processes call the rank."""


def by_rank(words: tuple[str, ...], variable: str, folder: Path) -> tuple[str, ...]:
    """Return a program that finds its rank's subfolder of `folder` in a variable."""
    rank = "0"
    for name in reversed(VARIABLES):
        rank = f"${{{name}:-{rank}}}"
    script = f'export {variable}="$0/rank-{rank}"; exec "$@"'
    return ("/bin/sh", "-c", script, str(folder), *words)
