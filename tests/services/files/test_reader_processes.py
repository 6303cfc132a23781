"""Reader processes: whatever befalls one, the file is refused and others are read."""

import gc
import os
import pickle
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scalewatch.errors import (
    ReaderDied,
    ReadingLimitExceeded,
    TooBusy,
    TookTooLong,
    UnreadableFiles,
)
from scalewatch.services.files.reader_processes import ReaderLimits, ReaderProcesses
from support import hostile_readers as hostile
from support.endless_webhook import PATIENCE, eventually
from support.service_sentences import SAID

TESTS = str(Path(__file__).parents[2])

SMALL = ReaderLimits(seconds=1, megabytes=400, answer_megabytes=1)
LONG = ReaderLimits(seconds=10_000)


@pytest.fixture(autouse=True)
def readers_know_hostile_functions(environment_variables):
    environment_variables.setenv("PYTHONPATH", TESTS)


@pytest.fixture
def readers():
    readers = ReaderProcesses(limits=SMALL)
    yield readers
    readers.close()


def process_of(readers):
    return int(readers.read(hostile.process_id))


def has_ended(process):
    """Tell whether a process is gone, or has nothing left but its exit code."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def written(trace):
    """Return what a reader has written there, once it has."""
    eventually(lambda: trace.exists() and trace.read_text())
    return trace.read_text()


def test_one_process_reads_one_file_after_another(readers):
    process = process_of(readers)

    assert process != os.getpid()
    assert process_of(readers) == process
    assert readers.read(hostile.flood, 2**20) == bytes(2**20)


def test_refusal_comes_back_with_its_evidence(readers):
    process = process_of(readers)

    with pytest.raises(UnreadableFiles) as refusal:
        readers.read(hostile.refuse)

    assert str(refusal.value) == str(UnreadableFiles(hostile.FAULTS))
    assert tuple(refusal.value.faults) == hostile.FAULTS
    assert process_of(readers) == process


@pytest.mark.parametrize(
    ("function", "arguments", "limit"),
    [
        (hostile.spin, (), "1 s of a processor (SCALEWATCH_READER_SECONDS)"),
        (hostile.swell, (), "400 MiB of memory (SCALEWATCH_READER_MEGABYTES)"),
        (hostile.flood, (2**20 + 1,), "1 MiB for its runs;"),
    ],
)
def test_file_that_exceeds_a_limit_is_refused_and_its_process_replaced(
    readers, function, arguments, limit
):
    process = process_of(readers)

    with pytest.raises(ReadingLimitExceeded) as refusal:
        readers.read(function, *arguments)

    assert limit in str(refusal.value)
    assert SAID["too much to read"] in str(refusal.value)
    assert process_of(readers) != process
    assert has_ended(process)


def test_file_too_large_for_the_memory_is_refused_before_it_is_read():
    readers = ReaderProcesses(limits=ReaderLimits(megabytes=1))

    with pytest.raises(ReadingLimitExceeded, match="1 MiB of memory"):
        readers.read(hostile.refuse, bytes(2**25))

    readers.close()


@pytest.mark.parametrize(
    ("function", "code"), [(hostile.crash, -signal.SIGSEGV), (hostile.fail, 1)]
)
def test_file_that_ends_its_reader_is_refused(readers, function, code):
    with pytest.raises(ReaderDied) as refusal:
        readers.read(function)

    assert refusal.value.code == code
    assert process_of(readers)


def test_reader_that_is_killed_while_it_reads_is_replaced(readers, tmp_path):
    trace = tmp_path / "process"
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(readers.read, hostile.wait, str(trace))
        process = int(written(trace))

        os.kill(process, signal.SIGKILL)

        assert isinstance(reading.exception(PATIENCE), ReaderDied)
    assert process_of(readers) != process


def test_reader_that_is_killed_while_idle_refuses_no_file(readers):
    process = process_of(readers)

    os.kill(process, signal.SIGKILL)
    eventually(lambda: has_ended(process))

    assert process_of(readers) != process


def test_reader_that_only_waits_is_ended_when_nobody_waits_for_it_any_more():
    readers = ReaderProcesses(patience=0)

    with pytest.raises(TookTooLong):
        readers.read(hostile.wait)

    readers.close()


def test_signals_to_all_processes_of_a_server_end_no_reader(readers):
    process = process_of(readers)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        os.kill(process, number)

    assert process_of(readers) == process


def test_reader_knows_neither_settings_nor_files_of_the_server(
    readers, environment_variables, tmp_path
):
    environment_variables.setenv("SCALEWATCH_DATABASE_URL", "sqlite:////secret")
    with (tmp_path / "database").open("w") as file, socket.create_server(("", 0)) as at:
        for each in (file, at):
            os.set_inheritable(each.fileno(), True)  # noqa: FBT003 - by position alone

        surroundings = readers.read(hostile.surroundings).decode()

    assert "SCALEWATCH_" not in surroundings
    assert "database" not in surroundings
    assert surroundings.count("socket:") == 1


def test_file_that_a_killed_reader_leaves_is_removed(readers, tmp_path):
    trace = tmp_path / "path"

    with pytest.raises(ReaderDied):
        readers.read(hostile.litter, str(trace))

    left = Path(trace.read_text())
    assert left.name.startswith("tmp")
    assert not left.parent.exists()


def test_closing_ends_readers_and_tells_who_waits_that_the_server_is_busy(tmp_path):
    readers, trace = ReaderProcesses(2, LONG), tmp_path / "process"
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(readers.read, hostile.spin, str(trace))
        idle, busy = process_of(readers), int(written(trace))

        readers.close()

        assert isinstance(reading.exception(PATIENCE), TooBusy)
    assert has_ended(idle)
    assert has_ended(busy)
    assert process_of(readers) not in {idle, busy}
    readers.close()


def test_readers_that_nobody_closes_end_with_whoever_had_them():
    readers = ReaderProcesses()
    process = process_of(readers)

    del readers
    gc.collect()

    assert has_ended(process)


SERVER = """
import pickle, sys
from scalewatch.services.files.reader_processes import ReaderLimits, ReaderProcesses
limits, *request = pickle.loads(bytes.fromhex(sys.argv[1]))
ReaderProcesses(limits=limits).read(*request)
"""


@pytest.mark.parametrize("function", [hostile.spin, hostile.wait])
def test_reader_ends_with_a_server_that_is_killed(tmp_path, function):
    trace = tmp_path / "process"
    request = pickle.dumps((LONG, function, str(trace))).hex()
    with subprocess.Popen([sys.executable, "-c", SERVER, request]) as server:
        process = int(written(trace))

        server.kill()

    eventually(lambda: has_ended(process))
