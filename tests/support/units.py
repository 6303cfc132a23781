"""Pairs of units, as tools and people write them, and how many of one the other is."""

EQUAL_DIMENSIONS = [
    # time
    ("ms", "s", 1e-3),
    ("us", "ms", 1e-3),
    ("µs", "us", 1.0),
    ("μs", "µs", 1.0),
    ("ns", "s", 1e-9),
    ("ps", "ns", 1e-3),
    ("usec", "s", 1e-6),
    ("milliseconds", "sec", 1e-3),
    ("min", "s", 60.0),
    ("h", "min", 60.0),
    ("hours", "s", 3600.0),
    ("days", "h", 24.0),
    # bytes, decimal and binary, and bits
    ("kB", "B", 1e3),
    ("KB", "kB", 1.0),
    ("MB", "kB", 1e3),
    ("GB", "MB", 1e3),
    ("KiB", "B", 2.0**10),
    ("MiB", "KiB", 2.0**10),
    ("GiB", "B", 2.0**30),
    ("GiB", "GB", 2.0**30 / 1e9),
    ("TiB", "TB", 2.0**40 / 1e12),
    ("Mbytes", "MB", 1.0),
    ("Gbit", "MB", 125.0),
    # rates of bytes
    ("GB/s", "MB/s", 1e3),
    ("GiB/s", "MB/s", 2.0**30 / 1e6),
    ("MB s^-1", "MB/s", 1.0),
    ("Mbytes/sec", "MB/s", 1.0),
    ("Gbit/s", "GB/s", 0.125),
    ("Gbps", "Gb/s", 1.0),
    ("GBps", "GB/s", 1.0),
    ("GB/min", "MB/s", 1e3 / 60),
    # operations
    ("GFLOP/s", "MFLOP/s", 1e3),
    ("TFLOP/s", "GFLOP/s", 1e3),
    ("GFLOPS", "Gflop/s", 1.0),
    ("GFlops/s", "GFLOPS", 1.0),
    ("GF", "GFLOP/s", 1.0),
    ("Gflop", "flop", 1e9),
    ("Mop/s", "op/s", 1e6),
    ("ns/op", "us/op", 1e-3),
    ("us/call", "s/call", 1e-6),
    ("Mcycles", "cycles", 1e6),
    ("Ginstructions", "instr", 1e9),
    # anything else that is counted
    ("Mcells/s", "cells/s", 1e6),
    ("kcells/s", "Mcell/s", 1e-3),
    ("Melem/s", "elements/s", 1e6),
    ("MLUPS", "LUP/s", 1e6),
    ("MLUP/s", "GLUPS", 1e-3),
    ("MDOF/s", "DOF/s", 1e6),
    ("it/s", "iterations/s", 1.0),
    ("steps/day", "steps/h", 1 / 24),
    ("ns/day", "us/day", 1e-3),
    ("SYPD", "days/day", 365.0),
    ("Mfrob/s", "frobs/s", 1e6),
    ("Mfrobs", "kfrobs", 1e3),
    ("1/s", "s^-1", 1.0),
    ("kHz", "Hz", 1e3),
    # energy, power, shares
    ("kJ", "J", 1e3),
    ("kWh", "J", 3.6e6),
    ("W", "J/s", 1.0),
    ("kW", "W", 1e3),
    ("%", "", 0.01),
    ("node-hours", "node h", 1.0),
]

OTHER_DIMENSIONS = [
    ("s", "B"),
    ("B", "B/s"),
    ("cells/s", "atoms/s"),
    ("op", "flop"),
    ("J", "W"),
    ("K", "°C"),
    ("mb", "MB"),
    ("gb/s", "GB/s"),
    ("mflop/s", "Mflop/s"),
    ("ns/day", "1"),
    ("s/op", "s/call"),
    ("ms", "Ms^-1"),
    ("frobs/s", "frobs"),
    ("Mesh", "mesh"),
    ("wall (s)", "s"),
    ("B/s/node", "B/s"),
]


SI = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
IEC = {f"{prefix}i": 1024.0**power for power, prefix in enumerate("KMGTP", 1)}
SMALL = {"m": 1e-3, "u": 1e-6, "µ": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15}
PREFIXED = [
    *((f"{prefix}s", "s", size) for prefix, size in SMALL.items()),
    *(
        (f"{prefix}{unit}", unit, size)
        for unit in ("B", "B/s", "B/min")
        for prefix, size in {**SI, **IEC}.items()
    ),
    *(
        (f"{prefix}{unit}", unit, size)
        for unit in ("flop/s", "FLOP/s", "cells/s", "op/s", "cycles", "J", "W")
        for prefix, size in SI.items()
    ),
    *(
        (f"{prefix}{unit}", unit, size)
        for unit in "JW"
        for prefix, size in SMALL.items()
    ),
]
"""All prefixes of time, bytes in both systems, their rates, work, energy and power."""
