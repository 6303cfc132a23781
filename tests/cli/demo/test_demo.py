import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scalewatch.cli.demo.demo import busy_notice
from scalewatch_agent.folders import libraries_folder
from support.agent_home import lend
from support.servers.forked import Forked
from support.servers.ports import free_port

SCALEWATCH = Path(sys.executable).with_name("scalewatch")
REGIONS = (
    "MPI_Barrier",
    "MPI_Bcast",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Gather",
    "MPI_Allgather",
    "MPI_Alltoall",
    "Bcast (binary tree)",
)


@pytest.fixture(scope="module")
def home(tmp_path_factory, thorough) -> Path:
    """The demo's folder; in the short form its agent has the libraries of all tests."""
    folder = tmp_path_factory.mktemp("demo")
    if not thorough:
        agent = folder / "agent"
        agent.mkdir()
        lend(agent, (libraries_folder(),))
    return folder


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.mark.parametrize(
    ("load", "processors", "is_busy"), [(1.9, 2, False), (2, 2, True), (14.2, 2, True)]
)
def test_a_busy_machine_is_told_so_before_anything_is_measured(
    load, processors, is_busy
):
    notice = busy_notice(load, processors)

    assert (notice is not None) is is_busy
    assert not is_busy or f"load {load:.1f} on 2 processors" in notice


def demo(
    home, port, *options, cwd=None, is_forked=False, **settings
) -> subprocess.Popen[str]:
    begin = Forked if is_forked else subprocess.Popen[str]
    words = ("demo", "--quick", "--home", str(home), "--port", str(port), *options)
    return begin(
        words if is_forked else (SCALEWATCH, *words),
        cwd=cwd,
        env={**os.environ, "COLUMNS": "120", **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def processes_of(home) -> list[str]:
    """Return the command lines of all processes that name the demo's folder."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes() + (
                folder / "environ"
            ).read_bytes()
        except OSError:
            continue
        if str(home).encode() in words:
            found.append(words.decode(errors="replace").replace("\0", " "))
    return found


def read_until(process, text) -> None:
    for line in process.stdout:
        if text in line:
            return
    pytest.fail(f"the demo ended before it printed {text!r}")


def test_occupied_port_is_named_with_a_way_out(tmp_path):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        process = demo(tmp_path, port)
        output, _ = process.communicate(timeout=60)

    assert process.returncode == 3
    assert f"Port {port} cannot be used" in output
    assert f"SCALEWATCH_PORT={port + 1}" in output


def test_demo_measures_models_and_judges_mpi_on_two_platforms(home, port, thorough):
    process = demo(
        *(home, port, "--no-serve"),
        cwd=None if thorough else home,
        is_forked=not thorough,
    )
    output, _ = process.communicate(timeout=600)

    assert process.returncode == 0, output
    assert ("count-library" in output) is thorough
    assert "1 of 6: openmpi 5.0.11 over shm, runtime · 8:30 min at most" in output
    assert re.search(r"6 of 6: .* · \d:\d\d of about \d:\d\d min", output)
    _, _, tables = output.partition("openmpi 5.0.11: time of MPI operations")
    match_table, _, memory = tables.partition(
        "openmpi 5.0.11: memory of MPI operations"
    )
    assert "MPI_Comm_dup" in memory
    for region in REGIONS:
        (row,) = re.findall(rf"^│ {re.escape(region)} .*$", match_table, re.MULTILINE)
        assert len(re.findall(r"match|approximate|mismatch|undecided", row)) == 2
    is_small = len(os.sched_getaffinity(0)) < 6
    is_disturbed = "busy with something else" in match_table
    is_unjudged = "16 of 16 series cannot be judged" in match_table
    assert is_unjudged or not is_small
    assert not is_unjudged or is_small or is_disturbed
    assert "cannot be judged" not in memory
    assert processes_of(home) == []


def test_second_run_measures_nothing_again(home, port):
    process = demo(
        *(home, port, "--no-serve"),
        cwd=home,
        is_forked=True,
        SCALEWATCH_EMBEDDED_WORKER="false",  # nothing is analysed
    )
    output, _ = process.communicate(timeout=120)

    assert process.returncode == 0, output
    assert "MPI_Barrier" in output
    assert not re.search(r"^\d+ of \d+: ", output, re.MULTILINE)


def test_ctrl_c_while_measuring_leaves_no_process_and_a_free_port(home, port):
    outside = home  # of a checkout, where nothing is counted first
    process = demo(home, port, "--fresh", cwd=outside, is_forked=True)
    read_until(process, "1 of 6")
    while len(processes_of(home)) < 4:  # the server, the agent, MPI
        assert process.poll() is None
        time.sleep(0.1)

    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    assert process.returncode == 130
    assert processes_of(home) == []
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        again.bind(("127.0.0.1", port))
