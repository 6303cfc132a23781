"""Strong and weak scaling errors, speed-up and divergence metric."""
