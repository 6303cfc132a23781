"""Sentences of services; their tests ask for them by name."""

from collections.abc import Mapping
from typing import Final

SAID: Final[Mapping[str, str]] = {
    "better by a rate": "fast is better in 1 of 1 region from p = 2 on",
    "better from a scale on": "Juqueen is better in 7 of 8 regions from p = 512 on",
    "better in one of many": "one is better in 1 of 80 regions",
    "beyond the horizon": "Not extrapolated beyond p = ",
    "clock": "a clock ran backwards",
    "differs by a constant": "MPI_Gather differs by a constant 1.0",
    "drifts": "1 drift: too small to matter",
    "expected of another parameter": "what was varied is not what p depends on",
    "extrapolated": "MPI_Barrier by log p",
    "few settings": "4 distinct settings needed, 2 measured",
    "further settings": "3 of 5 settings: p = 1 and 16 would show its growth",
    "given up": "its agents were lost 3 times",
    "growths apart": "more than a factor of 10 apart",
    "guideline without models": "MPI_Allreduce has no model yet",
    "hidden growth": "cannot be excluded; it would double",
    "new baseline": "new baseline of jureca from",
    "one node": "stays true and nothing changes beyond 32 processes, one node",
    "four nodes": "nothing changes beyond 32 processes, 4 nodes",
    "shared cores of a node": "one node of 96 cores has room for 96, and more would",
    "threads of a node": "one node of 96 cores has room for 48, and more would",
    "no growth": "No growth is sure: the exponent of p is 0.",
    "no size": "none has been measured",
    "no time": "memory is in B",
    "removed": "Removed project mpich: 1 projects, 1 commits",
    "suspect of a count": "The library: no machine changes a count",
    "suspect of two machines": "The library: MPI_Barrier moved on all 2",
    "suspected growth": "MPI_Bcast (time) grows like p instead of log p",
    "thinned": "mpich: 6 runs were thinned",
    "too much to read": "split it, or run `scalewatch import`",
    "undecided step": "the machine or the library?",
    "waits for an agent": "scalewatch-agent serve --machine jureca",
    "weak scaling without sizes": "name n beside p",
}
