"""Paraver traces: BSC's own numbers of EPOCH, a trace made by hand, and bad ones."""

import csv
import gzip
from functools import cache

import numpy as np
import pytest

from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.paraver import lines
from scalewatch_agent.traces.paraver.reader import read_paraver
from scalewatch_agent.traces.reduction import reduced
from support.agent_sentences import TRACES as SAID
from support.traces import MADE_LABELS, MADE_TRACE, foreign


@pytest.fixture
def made(tmp_path):
    (tmp_path / "made.pcf").write_text(MADE_LABELS)
    path = tmp_path / "made.prv"
    path.write_text(MADE_TRACE)
    return path


def published(name):
    """Return a row of what BSC's own tool says of EPOCH."""
    with foreign("epoch", "modelfactors.csv").open() as file:
        rows = {row[0]: row[1:] for row in csv.reader(file, delimiter=";") if row}
    return dict(zip((1, 2, 4, 8, 16), rows[name], strict=True))


def epoch(p):
    return read_paraver(foreign("epoch", f"epoch_{p}proc.prv.gz"))


@cache
def sums_of_epoch(p):
    return reduced(epoch(p))


@pytest.mark.parametrize("p", [1, 2, 4, 8, 16])
def test_efficiencies_of_epoch_are_those_of_bsc_to_the_last_digit(p):
    found = sums_of_epoch(p).efficiencies

    assert f"{100 * found.parallel:.6f}" == published("Parallel efficiency")[p]
    assert f"{100 * found.load_balance:.6f}" == published("Load balance")[p]
    assert (
        f"{100 * found.communication:.6f}" == published("Communication efficiency")[p]
    )


@pytest.mark.parametrize("p", [1, 2, 4, 8, 16])
def test_run_time_of_epoch_on_an_ideal_network_is_that_of_dimemas(p):
    found = sums_of_epoch(p)

    microseconds = float(published("#Runtime (ideal)")[p])
    assert found.ideal_runtime == pytest.approx(microseconds * 1e-6, rel=0.003)


def test_locations_of_epoch_have_file_line_and_function():
    found = sums_of_epoch(16)

    longest = found.locations[0]
    assert longest.function == "MPI_Sendrecv"
    assert (longest.site.file, longest.site.line) == ("boundary.F90", 286)
    assert found.unmatched == 0
    assert sum(one.messages for one in found.locations) % 2 == 0


def test_every_wait_of_epoch_lies_within_its_calls():
    for one in sums_of_epoch(16).locations:
        waited = one.wait_late_sender + one.wait_late_receiver + one.wait_collective
        assert 0 <= waited <= one.mpi_time


def test_blocks_of_any_size_give_the_same_trace(monkeypatch):
    whole = reduced(epoch(2))
    monkeypatch.setattr(lines, "BLOCK", 20_000)

    assert reduced(epoch(2)).locations == whole.locations


def test_trace_made_by_hand_has_its_times_messages_and_waits(made):
    found = reduced(read_paraver(made))
    by_line = {one.site.line: one for one in found.locations}

    assert found.runtime == pytest.approx(1000e-9)
    assert found.useful.tolist() == pytest.approx([270e-9, 400e-9])
    assert by_line[71].function == "MPI_Send"
    assert by_line[71].site.caller == "exchange"
    assert (by_line[71].messages, by_line[71].bytes) == (1, 64)
    assert by_line[80].wait_late_sender == pytest.approx(60e-9)
    assert by_line[90].wait_collective == pytest.approx(200e-9)
    # 1 waits for 0, which sends after 100; then it computes 360 and both meet.
    assert found.ideal_runtime == pytest.approx(460e-9)


def test_numbers_of_one_label_are_one_location(made):
    made.with_suffix(".pcf").write_text(MADE_LABELS.replace("6 90 (", "6 80 ("))
    made.write_text(MADE_TRACE.replace("80000001:6", "80000001:5", 1))

    found = reduced(read_paraver(made))

    (barrier,) = [one for one in found.locations if one.function == "MPI_Barrier"]
    assert (barrier.calls, barrier.site.line) == (2, 80)


def test_without_labels_functions_are_numbers_and_that_is_said(made):
    made.with_suffix(".pcf").unlink()

    found = reduced(read_paraver(made))

    assert {one.function for one in found.locations} == {
        "MPI 50000001.1",
        "MPI 50000001.2",
        "MPI 50000002.8",
    }
    assert found.remarks == (SAID["no labels"],)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("1000_ns", "1000", "line 1: its times are in µs"),
        (":1:2(1:1", ":2:2(1:1", "line 1: it holds 2 applications"),
        ("#Paraver", "#Tracer", "line 1: the first line is no header"),
        ("1000_ns", "0_ns", "line 1: the run took no time"),
        ("c:1:1:2:1:2", "c:1:1:3:1:2", "line 2: a communicator has other members"),
        ("1:1:1:1:1:0:100:1", "1:1:1:1:1:0:x:1", "line 3: .* other things"),
        ("1:1:1:1:1:0:100:1", "1:1:1:1:1::100:1", "line 3: .* other things"),
        ("1:1:1:1:1:0:100:1", "1:1:1:1:1:0:100", "line 3: .* kind 1 with 7 fields"),
        ("1:1:1:1:1:0:100:1", "9:1:1:1:1:0:100:1", "kind 9"),
        ("1:1:1:1:1:0:100:1", "1:1:1:1:1:0:1" + "0" * 30 + ":1", "line 3"),
        ("1:1:1:1:1:0:100:1", "1:1:1:3:1:0:100:1", "task 3 is none of 2"),
        ("1:1:1:1:1:0:100:1", "1:1:1:1:1:100:0:1", "ends before it begins"),
        ("5000000", "5100000", "no call of MPI is in it"),
    ],
)
def test_flaw_is_told_in_one_line_with_its_place(made, old, new, reason):
    made.write_text(MADE_TRACE.replace(old, new))

    with pytest.raises(TraceUnusable, match=reason) as refused:
        read_paraver(made)
    assert str(refused.value).startswith(str(made))
    assert "\n" not in str(refused.value)


def test_packed_file_that_is_cut_is_refused(made):
    packed = made.with_suffix(".prv.gz")
    packed.write_bytes(gzip.compress(MADE_TRACE.encode())[:-30])

    with pytest.raises(TraceUnusable, match="it cannot be unpacked"):
        read_paraver(packed)


def test_file_that_unpacks_to_much_more_is_refused(made, monkeypatch):
    monkeypatch.setattr(lines, "BLOCK", 100_000)
    line = b"1:1:1:1:1:0:100:1\n"
    packed = made.with_suffix(".prv.gz")
    packed.write_bytes(gzip.compress(MADE_TRACE.encode() + line * 1_000_000))

    with pytest.raises(TraceUnusable, match="400 times its size"):
        read_paraver(packed)


@pytest.mark.parametrize("seed", range(10))
def test_mutated_file_is_read_or_refused(made, seed):
    generator = np.random.default_rng(seed)
    content = np.frombuffer(MADE_TRACE.encode(), np.uint8)
    refused = 0
    for _ in range(100):
        changed = content.copy()
        places = generator.integers(0, len(content), generator.integers(1, 4))
        letters = b"0123456789" if generator.random() < 0.7 else b":\n-#c\x00\xff"
        changed[places] = generator.choice(list(letters), len(places))
        is_cut = generator.random() < 0.1
        end = generator.integers(1, len(content)) if is_cut else len(content)
        made.write_bytes(changed[:end].tobytes())
        try:
            found = reduced(read_paraver(made))
        except TraceUnusable:
            refused += 1
        else:
            assert found.runtime > 0
            assert all(one.calls > 0 for one in found.locations)

    assert 0 < refused < 100


def test_numbers_of_19_digits_are_kept_and_larger_ones_are_bounded(tmp_path):
    numbers = (1_234_567_890_123_456_789, 2**63 - 1, 2**64 - 1)
    text = "".join(f"2:1:1:1:1:5:42:{number}\n" for number in numbers).encode()

    block = lines._block(tmp_path / "made.prv", text, 1, [42])  # noqa: SLF001

    assert block.events[:, -1].tolist() == [numbers[0], 2**63 - 1, 2**63 - 1]
