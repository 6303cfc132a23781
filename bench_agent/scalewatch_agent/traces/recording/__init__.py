"""Recording of traces: an interposer between a program and its MPI library.

`functions` is the table of the calls that are recorded, from which `wrappers` makes the
part of the interposer that is the same for many; `build` compiles it against the
library in use, and `tracing` starts programs with it; `calibrating` traces a program
that makes calls under ideal circumstances.
"""
