"""Mutated archives of OTF2 and traces of Paraver: read, or refused in one line.

With --thorough these are 10,000 of each. The child that calls libotf2 is forked then,
with the limits that it always has: to start Python so often would take half an hour.
Files are in memory, since small ones are written some ten times as often as read.
"""

import faulthandler
import gzip
import os
import resource
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces import limited
from scalewatch_agent.traces.formats import read_reduced
from scalewatch_agent.traces.otf2 import library
from support.hostile_bytes import EXTREMES, mutated
from support.otf2_archives import write_archive
from support.traces import MADE_LABELS, MADE_TRACE, foreign

LONGEST = 10.0
"""Seconds for a file, of processor time: of this process and of the child."""

MOST_MEMORY = 500.0
"""MB that reading may add to this process."""

TOKENS = (
    *(bytes([each]) for each in b":\n-#c(,)0159\x00\xff"),
    *(
        b"9999999",
        b"999999999999999999",
        b"50000001",
        b"(65536)",
        b"::",
        b"c:1:9:1:1\n",
    ),
)


@pytest.fixture
def count(thorough):
    return 10_000 if thorough else 150


def test_mutated_traces_of_paraver_are_read_or_refused(tmp_path, count, capsys):
    generator = np.random.default_rng(count)
    sources = [MADE_TRACE.encode()] * 9 + [_beginning_of_epoch()]
    path = tmp_path / "made.prv"
    (tmp_path / "made.pcf").write_text(MADE_LABELS)
    watched = _Watched()

    for _ in range(count):
        source = sources[generator.integers(len(sources))]
        if generator.random() < 0.1:
            content = mutated(gzip.compress(source, 1), generator)
        else:
            content = mutated(source, generator, TOKENS)
        path.write_bytes(content)
        watched.read(path)

    watched.check(capsys, "Paraver")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder in memory, where the reader has its files, too; on disk if need be."""
    memory = Path("/dev/shm")  # noqa: S108 - emptied below
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else tmp_path) as at:
        monkeypatch.setattr(tempfile, "tempdir", at)
        yield Path(at)


@pytest.fixture
def is_often(thorough, monkeypatch):
    """Whether samples are mutated thousands of times."""
    pytest.importorskip("_otf2", reason="the package otf2 is not installed")
    if thorough:
        monkeypatch.setattr(limited, "read_in_child", _read_in_fork)
    return thorough


@pytest.mark.parametrize(
    ("sample", "thousands"),
    # EZTrace's has buffers of some megabytes: each read of it costs four of others.
    [("ping-pong-otf2", 4), ("eztrace-sweep-p4", 2), (None, 4)],
)
def test_mutated_archives_of_otf2_are_read_or_refused(
    place, is_often, capsys, sample, thousands
):
    reads = 1000 * thousands if is_often else 10
    generator = np.random.default_rng(reads)
    folder = place / "archive"
    if sample is None:
        write_archive(folder, _exchange())
    else:
        shutil.copytree(foreign("otf2", sample), folder)
    files = [each for each in folder.rglob("*") if each.is_file()]
    files = [each for each in files if each.suffix not in {".md", ".cfg"}]
    anchor = next(each for each in files if each.suffix == ".otf2")
    for each in (folder, *folder.rglob("*")):
        each.chmod(0o755)
    originals = {each: each.read_bytes() for each in files}
    watched = _Watched()

    for _ in range(reads):
        changed = files[generator.integers(len(files))]
        changed.write_bytes(mutated(originals[changed], generator, EXTREMES))
        watched.read(anchor)
        changed.write_bytes(originals[changed])

    watched.check(capsys, f"OTF2 ({sample or 'made'})")


class _Watched:
    """Reads files, and keeps what became of them and what it took."""

    def __init__(self):
        self.outcomes = Counter()
        self.slowest = 0.0
        self.longest_reason = 0
        self.before = _memory()

    def read(self, path):
        begin = _processor_time()
        try:
            found = read_reduced(path)
        except TraceUnusable as refused:
            reason = str(refused)
            self.outcomes["refused"] += 1
            self.outcomes["of these by a crash"] += "ended by" in reason
            self.outcomes["of these by time"] += "come to an end" in reason
            self.longest_reason = max(self.longest_reason, reason.count("\n"))
        else:
            self.outcomes["read"] += 1
            assert found.runtime > 0
            assert all(np.isfinite(one.mpi_time) for one in found.locations)
        self.slowest = max(self.slowest, _processor_time() - begin)

    def check(self, capsys, title):
        added = _memory() - self.before
        with capsys.disabled():
            counts = ", ".join(f"{n} {what}" for what, n in self.outcomes.items())
            took = f"slowest {self.slowest:.2f} s, {added:.0f} MB more"
            sys.stdout.write(f"\n{title}: {counts}; {took}\n")
        assert self.outcomes["read"] > 0
        assert self.outcomes["refused"] > 0
        assert self.longest_reason == 0
        assert self.outcomes["of these by time"] == 0
        assert self.slowest < LONGEST
        assert added < MOST_MEMORY


def _memory():
    """The most memory that this process has needed so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _processor_time():
    return sum(os.times()[:4])


def _beginning_of_epoch():
    with gzip.open(foreign("epoch", "epoch_4proc.prv.gz")) as packed:
        return b"".join(packed.readlines()[:2000])


def _exchange():
    """Two processes with a blocking and a non-blocking message, and a barrier."""
    otf2 = pytest.importorskip("otf2")
    barrier = otf2.enums.CollectiveOp.BARRIER

    def process(*messages):
        return [
            ("enter", 0, "main"),
            *messages,
            ("enter", 600, "MPI_Barrier"),
            ("mpi_collective_end", 699, barrier, 0, 0, 0),
            ("leave", 700, "MPI_Barrier"),
            ("leave", 1000, "main"),
        ]

    sends = [
        ("enter", 100, "MPI_Send"),
        ("mpi_send", 101, 1, 7, 64),
        ("leave", 130, "MPI_Send"),
        ("enter", 300, "MPI_Isend"),
        ("mpi_isend", 301, 1, 7, 64, 11),
        ("leave", 310, "MPI_Isend"),
    ]
    receives = [
        ("enter", 10, "MPI_Irecv"),
        ("mpi_irecv_request", 11, 901),
        ("leave", 12, "MPI_Irecv"),
        ("enter", 40, "MPI_Recv"),
        ("mpi_recv", 139, 0, 7, 64),
        ("leave", 140, "MPI_Recv"),
        ("enter", 150, "MPI_Waitall"),
        ("mpi_irecv", 419, 0, 7, 64, 901),
        ("leave", 420, "MPI_Waitall"),
    ]
    return [process(*sends), process(*receives)]


def _addresses():
    """Return the bytes of the address space of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


def _read_in_fork(path, module, arguments, *, reader, patience):
    """Do what `limited.read_in_child` does, without a new interpreter."""
    assert module == library.__name__
    folder, collector, memory, size = arguments
    # A fork begins with all the addresses of this process, an interpreter with few.
    memory = str(int(memory) + _addresses())
    complaint = path.parent / "complaint"
    if not (number := os.fork()):
        with complaint.open("wb") as said:
            os.dup2(said.fileno(), 2)
        code = 1
        faulthandler.disable()
        try:
            library.main(str(path), folder, collector, memory, size)
            code = 0
        except SystemExit as ended:
            code = ended.code
        finally:
            sys.stderr.flush()
            os._exit(code)
    end = time.monotonic() + patience
    while not (ended := os.waitpid(number, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(number, 9)
            os.waitpid(number, 0)
            raise TraceUnusable(path, f"{reader} did not come to an end")
        time.sleep(0.001)
    said = complaint.read_text("utf-8", "replace")
    complaint.unlink()
    code = os.waitstatus_to_exitcode(ended[1])
    if code == 3:
        raise TraceUnusable(path, said.strip().rpartition("\n")[2])
    if code:
        raise TraceUnusable(path, f"{reader} ended by signal {-code} on it")
    return ""
