"""MPI libraries: found or installed, and how their mpiexec starts processes here."""
