"""Jobs of an experiment under Slurm."""
