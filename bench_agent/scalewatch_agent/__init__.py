"""Bench agent: measures codes under MPI and posts what it measured.

Two halves share the package. The one that runs under mpiexec (`worker`, `runtime`,
`timing`, `clocks`, `loops`, `memory`, `kernels`) needs only the standard library and
mpi4py, because every process of a job pays for what it imports. The other one starts
the jobs and delivers their results.
"""
