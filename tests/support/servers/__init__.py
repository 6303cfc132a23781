"""Real servers for tests and benchmarks: started here, by nobody but us, and ended."""
