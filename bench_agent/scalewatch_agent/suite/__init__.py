"""The built-in suites: planned, run under MPI, timed, reported."""
