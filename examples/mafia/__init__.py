"""MAFIA, clusters in subspaces, to judge growths that are exponential.

Merging of adaptive intervals: a grid of bins that follows the points, then dense units
of one dimension, of two, of three, until none is left. A cluster of k dimensions has
2^k - 1 dense units, one per subset of its bins, so that work and time grow with 2^k.
Four kernels take them from level to level: generation, deduplication, population count
and unjoin. The points are divided among the processes, which add up their counts.

Start it by `mpiexec -n 2 python -m scalewatch_agent.mafia --help`, or sweep it by
`scalewatch-agent run examples/mafia.yaml`.

References
----------
H. Nagesh, S. Goil, A. Choudhary, "Adaptive grids for clustering massive data sets",
SIAM International Conference on Data Mining, 2001.
"""
