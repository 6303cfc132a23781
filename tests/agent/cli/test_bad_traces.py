"""`trace --read` of bad traces: one line, exit code 3, nothing posted."""

import gzip

import numpy as np
import pytest
from click.testing import CliRunner

from scalewatch_agent.cli import main
from scalewatch_agent.traces.records import RECORD
from support.agent_sentences import CLI as SAID
from support.otf2_archives import write_archive
from support.traces import MADE_TRACE, write_records


def _own(folder, *, ranks=(0, 1), records=3, runs=("a", "a"), functions="MPI_Send"):
    """Write a trace of the agent's; return its folder."""
    folder.mkdir()
    for rank in ranks:
        rows = np.zeros(records, RECORD)
        rows["start"], rows["took"] = 100 * np.arange(records), 10
        header = {"rank": rank, "processes": 2, "run": runs[rank].encode()}
        write_records(folder / f"rank.{rank}.swt", header, rows)
        lines = [f"functions\t{functions}", "begin\t0", "comm\t0\t0:2:1", "end\t900"]
        text = "\n".join([*lines, "python\t0\t1\tstep\tmade.py"]) + "\n"
        (folder / f"rank.{rank}.def").write_text(text)
    return folder


def _changed(folder, name, at, new):
    file = _own(folder) / name
    content = file.read_bytes()
    file.write_bytes(content[:at] + new + content[at + len(new) :])
    return folder


def _defined(folder, text):
    (_own(folder) / "rank.1.def").write_text(text)
    return folder


def _paraver(path, old="", new="", *, packed=False):
    content = MADE_TRACE.replace(old, new).encode()
    path = path.with_suffix(".prv.gz" if packed else ".prv")
    path.write_bytes(gzip.compress(content)[:-9] if packed else content)
    return path


def _archive(folder, *events):
    return write_archive(folder, [list(events)])


BAD = {
    "no call was recorded": (
        lambda at: _own(at, records=0),
        "no MPI call was recorded",
    ),
    "no file was written": (
        lambda at: _own(at, ranks=()),
        "no trace is in this folder",
    ),
    "files of two runs": (
        lambda at: _own(at, runs=("a", "b")),
        "files are of two runs",
    ),
    "process missing": (lambda at: _own(at, ranks=(0,)), "records of process 1 are"),
    "other magic": (lambda at: _changed(at, "rank.1.swt", 0, b"X"), "it begins with"),
    "other size": (
        lambda at: _changed(at, "rank.1.swt", 12, b"\x28"),
        "records of 40 bytes",
    ),
    "function unknown": (
        lambda at: _changed(at, "rank.1.swt", 64 + 44, b"\x09"),
        "name what it has not defined",
    ),
    "no definition": (lambda at: _defined(at, "what\t1\n"), "line 1: 'what"),
    "unit other than ns": (lambda at: _paraver(at, "_ns"), "line 1: its times are in"),
    "task outside": (lambda at: _paraver(at, "1:1:1:1:1:0", "1:1:1:9:1:0"), "task 9"),
    "tasks without node": (lambda at: _paraver(at, "1:2(", "1:9("), "2 of 9 tasks"),
    "packed and cut": (lambda at: _paraver(at, packed=True), "cannot be unpacked"),
    "no events": (_archive, "it holds no events"),
    "no call of MPI": (
        lambda at: _archive(at, ("enter", 0, "main"), ("leave", 9, "main")),
        "no call of MPI is in it",
    ),
    "times beyond": (
        lambda at: _archive(at, ("enter", 0, "MPI_Init"), ("leave", 2**62, "MPI_Init")),
        "beyond those of any run",
    ),
    "no process": (lambda at: write_archive(at, []), "name no process"),
}


@pytest.mark.parametrize(("make", "reason"), BAD.values(), ids=BAD.keys())
def test_bad_trace_is_one_line_and_posts_nothing(tmp_path, make, reason):
    good = _own(tmp_path / "good")
    bad = make(tmp_path / "bad")
    out = tmp_path / "runs.jsonl"
    words = ["trace", "--read", good, bad, "--machine", "m", "--commit", "v1"]

    done = CliRunner().invoke(main, [*map(str, words), "--out", str(out)])

    assert done.exit_code == 3, done.output
    (line,) = done.stderr.splitlines()
    assert str(bad) in line
    assert reason in line
    assert done.stdout == ""
    assert not out.exists()


def test_times_that_run_backwards_are_held_and_told(tmp_path):
    folder = _own(tmp_path / "back")
    rows = np.zeros(3, RECORD)
    rows["start"], rows["took"] = [500, 300, 700], 10
    for rank in (0, 1):
        header = {"rank": rank, "processes": 2, "run": b"a"}
        write_records(folder / f"rank.{rank}.swt", header, rows)

    done = CliRunner().invoke(main, ["trace", "--read", str(folder), "--dry-run"])

    assert done.exit_code == 0, done.output
    assert SAID["backwards"] in done.stderr


def test_trace_of_one_process_is_read(tmp_path):
    anchor = _archive(
        tmp_path / "one",
        ("enter", 0, "main"),
        ("enter", 60, "MPI_Barrier"),
        ("leave", 70, "MPI_Barrier"),
        ("leave", 100, "main"),
    )

    done = CliRunner().invoke(main, ["trace", "--read", str(anchor), "--dry-run"])

    assert done.exit_code == 0, done.output
    assert "90.00" in done.stdout
