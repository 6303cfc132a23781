"""Bench agent: measures codes under MPI and posts what it measured.

* `cli` — the commands
* `suite`, `openmp` — the built-in suites: sweep, jobs, timing, clocks, reports
* `kernels`, `memory`, `loops` — the operations that suites measure, and how often
* `experiments` — any program, swept through parameters by an experiment file
* `counts`, `traces` — the work of a program, and where its communication takes time
* `mpi` — MPI libraries, and how their mpiexec starts processes
* `delivery` — the spool, posting, and what the server wants confirmed

What runs under mpiexec (`suite.worker` and what it imports) needs only the standard
library and mpi4py, because every process of a job pays for what it imports. The other
half starts the jobs and delivers their results.
"""
