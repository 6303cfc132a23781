"""Jobs of an experiment simulated by SMPI, the MPI of SimGrid."""
