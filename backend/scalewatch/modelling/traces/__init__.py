"""Traced programs: efficiencies, and how time in MPI grows with the processes."""
