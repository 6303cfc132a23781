"""Files of records, whole, cut and foreign."""

import numpy as np
import pytest

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.records import HEADER, RECORD, open_records
from support.traces import send, write_records


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rank.3.swt"
    header = {"rank": 3, "thread": 1, "processes": 8, "run": b"r1"}
    write_records(path, header, np.concatenate([send(10 * k, 5, 1) for k in range(9)]))
    return path


def test_records_are_read_as_they_were_written(path):
    found = open_records(path)

    assert (found.rank, found.thread, found.processes, found.run) == (3, 1, 8, "r1")
    assert found.records["start"].tolist() == list(range(0, 90, 10))
    assert found.records[2:4]["start"].tolist() == [20, 30]
    assert found.records[np.array([7, 0])]["start"].tolist() == [70, 0]
    assert int(found.records[-1]["start"]) == 80
    assert not found.is_truncated


def test_sizes_are_those_that_the_format_states():
    assert (HEADER.itemsize, RECORD.itemsize) == (64, 48)


@pytest.mark.parametrize("cut", range(1, 49))
def test_part_of_a_record_is_left_out_and_told(path, cut):
    content = path.read_bytes()
    path.write_bytes(content[:-cut])

    found = open_records(path)

    assert len(found.records) == 8
    assert found.is_truncated == (cut != 48)


def test_file_that_nobody_closed_is_truncated(path):
    write_records(path, {"closed": 0}, np.zeros(0, RECORD))

    assert open_records(path).is_truncated


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda content: content[:0], "0 bytes are no trace"),
        (lambda content: content[:63], "63 bytes are no trace"),
        (lambda content: b"GIF89a\0\0" + content[8:], "it begins with b'GIF89a'"),
        (lambda content: content[:8] + b"\2" + content[9:], "it is of version 2"),
        (lambda content: content[:12] + b"\x20" + content[13:], "records of 32 bytes"),
    ],
)
def test_other_files_are_refused_in_one_line(path, change, reason):
    path.write_bytes(change(path.read_bytes()))

    with pytest.raises(TraceUnusable, match=reason) as refused:
        open_records(path)
    assert str(path) in str(refused.value)
    assert "\n" not in str(refused.value)


def test_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(TraceUnusable, match="No such file"):
        open_records(tmp_path / "rank.0.swt")
