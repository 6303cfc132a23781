"""A small hydrodynamics code, to prove on a real code what Scalewatch tells.

Gas in a periodic box, Euler's equations in two dimensions, finite volumes of first
order with Rusanov's fluxes, numpy and mpi4py. Blocks of cells are distributed over a
grid of processes that exchange halos; each step asks all of them for the largest wave
speed. It runs in strong and weak mode, with threads, and with a switchable bug in the
distribution of the work.

Start it by `mpiexec -n 4 python -m scalewatch_agent.hydro --help`, or sweep it by
`scalewatch-agent run examples/hydro.yaml`.
"""
