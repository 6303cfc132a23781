"""Bench agent: measures codes under MPI and posts what it measured.

* `suite` — the built-in suites: sweep, jobs, timing, clocks, reports
* `kernels`, `memory`, `loops` — the operations that suites measure, and how often
* `experiments` — any program, swept through parameters by an experiment file
* `launchers` — how programs are started, followed and ended; MPI libraries
* `delivery` — the spool, posting, and what the server wants confirmed
* `hydro` — a hydrodynamics code, as an example of a code under test

What runs under mpiexec (`suite.worker` and what it imports) needs only the standard
library and mpi4py, because every process of a job pays for what it imports. The other
half starts the jobs and delivers their results.
"""
