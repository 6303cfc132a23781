"""The OpenMP suite: memory bandwidth, overheads of constructs, and CG over threads."""
