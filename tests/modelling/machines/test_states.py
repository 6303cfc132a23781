"""Fingerprints: which parts of them matter, and which drift."""

import pytest

from scalewatch.modelling.machines.states import changed_parts, is_same_state

NODE = {
    "cpu": "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz",
    "cores": 40,
    "memory_bytes": 201_203_314_688,
    "interconnect": "InfiniBand mlx5_0 100 Gb/sec",
    "mpi": "Open MPI 5.0.3",
    "gpu": "A100-SXM4-40GB",
    "kernel": "Linux 5.14.0-362.8.1.el9_3.x86_64",
}


@pytest.mark.parametrize(
    ("name", "fact", "other"),
    [
        ("memory_bytes", 201_203_314_688, 201_203_310_592),
        ("memory_gib", 251, 252),
        ("MemTotal", "263789564 kB", "263,760,112 kB"),
        ("ram", "251.6 GB", "251.4 GB"),
        ("kernel", "Linux 5.14.0-362.8.1.el9_3", "Linux 5.14.0-427.13.1.el9_4"),
        ("os", "Linux-6.8.0-31-generic-x86_64", "Linux-6.8.0-45-generic-x86_64"),
        ("uname", "Linux jrc0101 5.14.0-362", "Linux jrc0777 5.14.0-427"),
        ("kernel_release", "4.18.0-477.el8", "4.18.0-513.el8"),
        ("microcode", "0x5003604", "0x5003707"),
        ("bogomips", 4800.0, 4787.23),
        ("cpu_bogomips", "4800.00", "4787.23"),
        ("hostname", "jrc0101", "jrc0777"),
        ("node", "nid001234", "nid004321"),
        ("node_name", "a", "b"),
        ("SLURMD_NODENAME", "a", "b"),
        ("cpu MHz", 2593.9, 1200.1),
        ("stream_gb_s", 187.31, 187.94),
        ("cpu", "AMD  EPYC 7742", "AMD EPYC 7742"),
    ],
)
def test_drifting_parts_are_one_state(name, fact, other):
    assert is_same_state(NODE | {name: fact}, NODE | {name: other})


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("cpu", "Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz"),
        ("cores", 39),
        ("memory_bytes", 98_765_432_100),
        ("interconnect", "InfiniBand mlx5_0 200 Gb/sec"),
        ("mpi", "Open MPI 5.0.5"),
        ("gpu", "A100-SXM4-80GB"),
        ("kernel", "Linux 6.8.0-31-generic"),
        ("slot_wiring", "B"),
        ("smt", True),
        ("max_mhz", 3500),
        ("cpu_count", "41"),
        ("nodes", 4),
    ],
)
def test_parts_that_matter_or_are_unknown_are_named(name, other):
    assert changed_parts(NODE, NODE | {name: other}) == (name,)


def test_a_part_that_is_stated_no_more_has_changed():
    assert changed_parts(NODE, {"cores": 40} | {"cpu": NODE["cpu"]}) == (
        "gpu",
        "interconnect",
        "kernel",
        "memory_bytes",
        "mpi",
    )
    assert is_same_state(NODE, NODE | {"hostname": "jrc0101"})
