"""Profiles of CUBE: one of Score-P, one with wait states, and bad ones."""

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.cube.reader import read_cube
from scalewatch_agent.traces.formats import read_reduced, traces_in
from support.samples import sample

pycubexr = pytest.importorskip("pycubexr", reason="pycubexr is not installed")


@pytest.fixture
def kripke():
    """The profile of Kripke on eight processes, as Score-P wrote it."""
    return Path(sample("cube/pycubexr/kripke.p8.d2.g32.r1/profile.cubex"))


def changed(source, made, old, new):
    """Write a profile with another text in its description."""
    with tarfile.open(source) as archive, tarfile.open(made, "w") as copy:
        for member in archive:
            content = archive.extractfile(member).read()
            if member.name == "anchor.xml":
                assert old in content
                content = content.replace(old, new)
                member.size = len(content)
            copy.addfile(member, io.BytesIO(content))
    return made


def test_call_paths_to_mpi_are_locations_with_calls_and_bytes(kripke):
    found = read_reduced(kripke)

    assert found.processes == 8
    by_function = {(e.function, e.site.caller): e for e in found.locations}
    assert ("MPI_Testany", "Sweep") in by_function
    send = by_function["MPI_Isend", "Sweep"]
    assert send.calls == by_function["MPI_Irecv", "Sweep"].calls > 0
    assert send.bytes > 0
    assert send.messages is None
    assert send.site.file == "Sweep_Solver.cpp"
    assert send.site.call_path == "Solve < PARALLEL"
    assert found.mpi_time == pytest.approx(sum(e.mpi_time for e in found.locations))
    assert 0 < found.efficiencies.parallel < 1


def test_times_are_those_of_the_profile(kripke):
    with pycubexr.CubexParser(kripke) as profile:
        metric = profile.get_metric_by_name("time")
        values = profile.get_metric_values(metric)
        nodes = profile.all_cnodes()
        rows = [values.cnode_values(node, convert_to_exclusive=True) for node in nodes]
        total = np.sum(rows, axis=0)

    found = read_cube(kripke)

    assert found.runtime == pytest.approx(total.max())
    assert found.useful.sum() + found.mpi_time == pytest.approx(total.sum())


WAITS = {
    "wait_late_sender": ("mpi_latesender",),
    "wait_late_receiver": ("mpi_latereceiver",),
    "wait_collective": (
        "mpi_barrier_wait",
        "mpi_wait_nxn",
        "mpi_latebroadcast",
        "mpi_earlyreduce",
        "mpi_earlyscan",
    ),
}
"""Scalasca's names of wait states, by what they are to us."""


def within_mpi(profile: Path, name: str) -> float:
    """Return what a metric is in all calls of MPI together."""
    with pycubexr.CubexParser(profile) as parser:
        values = parser.get_metric_values(parser.get_metric_by_name(name))
        return sum(
            values.cnode_values(node, convert_to_exclusive=True).sum()
            for node in parser.all_cnodes()
            if node.region.name.startswith("MPI_")
        )


@pytest.mark.parametrize(
    ("wait", "name"), [(wait, name) for wait in WAITS for name in WAITS[wait]]
)
def test_wait_states_of_scalasca_are_those_of_its_metrics(kripke, tmp_path, wait, name):
    waiting = changed(kripke, tmp_path / "x.cubex", b"PAPI_FP_OPS", name.encode())

    found = read_cube(waiting)

    waited = sum(getattr(each, wait) for each in found.locations)
    assert waited == pytest.approx(within_mpi(kripke, "PAPI_FP_OPS"))
    assert waited > 0
    for other in WAITS.keys() - {wait}:
        assert all(getattr(each, other) is None for each in found.locations)


def test_waits_at_several_collectives_are_one_wait(kripke, tmp_path):
    both = changed(kripke, tmp_path / "one.cubex", b"PAPI_FP_OPS", b"mpi_wait_nxn")
    both = changed(both, tmp_path / "two.cubex", b"PAPI_FP_INS", b"mpi_latebroadcast")

    waited = sum(each.wait_collective for each in read_cube(both).locations)

    single = [within_mpi(kripke, name) for name in ("PAPI_FP_OPS", "PAPI_FP_INS")]
    assert waited == pytest.approx(sum(single))
    assert min(single) > 0


def test_folder_is_searched_for_profiles(kripke, tmp_path):
    folder = tmp_path / "study" / "p=8" / "run"
    folder.mkdir(parents=True)
    (folder / "profile.cubex").write_bytes(kripke.read_bytes())

    assert traces_in(tmp_path) == [folder / "profile.cubex"]


@pytest.mark.parametrize("length", [0, 600, 20_000])
def test_cut_profile_is_refused_in_one_line(kripke, tmp_path, length):
    cut = tmp_path / "cut.cubex"
    cut.write_bytes(kripke.read_bytes()[:length])

    with pytest.raises(TraceUnusable, match="it is no profile of CUBE") as refused:
        read_cube(cut)
    assert "\n" not in str(refused.value)


def test_profile_without_mpi_is_refused(kripke, tmp_path):
    silent = changed(kripke, tmp_path / "x.cubex", b"<name>MPI_", b"<name>XYZ_")

    with pytest.raises(TraceUnusable, match="no call of MPI is in it"):
        read_cube(silent)


def test_huge_member_needs_no_more_memory_than_allowed(kripke, tmp_path):
    bomb = tmp_path / "bomb.cubex"
    with tarfile.open(kripke) as archive, tarfile.open(bomb, "w") as copy:
        for member in archive:
            content = archive.extractfile(member).read()
            if member.name == "anchor.xml":
                entities = "".join(
                    f'<!ENTITY e{n} "{f"&e{n - 1};" * 20}">' for n in range(1, 12)
                )
                head = f'<!DOCTYPE cube [<!ENTITY e0 "e">{entities}]>'.encode()
                content = content.replace(b"<cube", head + b"<cube", 1)
                content = content.replace(b"PARALLEL", b"&e11;")
                member.size = len(content)
            copy.addfile(member, io.BytesIO(content))

    with pytest.raises(TraceUnusable):
        read_cube(bomb)
