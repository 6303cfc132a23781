"""Runs that failed, as each format says so: none of them yields a value."""

import json
import math

import pytest

from scalewatch.importers import AUTO, SettingRules, read_files
from support.samples import MADE

MEASURED = ("value", "values", "times", "data", "real_time", "runtime", "perfvars")
AT = {AUTO: SettingRules(at={"p": 4})}

HPL = """HPLinpack 2.3
WR11C2R4  1000  192  2  2  3.5  1.5e+01
||Ax-b||_oo/(eps*N)= 3.0e-03 ...... {}
"""

OSU = """# OSU MPI Allreduce Latency Test v7.4
# Size       Avg Latency(us)
4                 1.5
8                 2.5
"""


def hyperfine(code):
    result = {"command": "x", "median": 2, "times": [2.0], "exit_codes": [code]}
    return json.dumps({"results": [result]})


def exacb(success):
    row = {"success": success, "runtime": "2.0", "parameter": {"nodes": "1"}}
    return json.dumps({"reporter": {}, "experiment": {}, "data": [row]})


def pytest_benchmark(**extra_info):
    test = {"fullname": "t.py::f", "stats": {"data": [2.0]}, "extra_info": extra_info}
    return json.dumps({"benchmarks": [test], "machine_info": {}})


def google_benchmark(**held):
    row = {"name": "f", "run_type": "iteration", "real_time": 2.0, **held}
    return json.dumps({"context": {}, "benchmarks": [row]})


def reframe(result, **held):
    value = {"name": "time", "value": 2.0, "unit": "s"}
    case = {"name": "t", "result": result, "perfvars": [value], "num_tasks": 4, **held}
    return json.dumps({"session_info": {}, "runs": [{"testcases": [case]}]})


def values_of(path):
    reading = read_files([path], rules=AT)
    assert not reading.unreadable
    return [
        value
        for measurement in reading.scans.measurements()
        for value in measurement.values
    ]


@pytest.mark.parametrize(
    "text",
    [
        HPL.format("FAILED"),
        HPL.format("SKIPPED"),
        hyperfine(1),
        hyperfine(None),
        exacb("FALSE"),
        exacb("no"),
        pytest_benchmark(returncode=137),
        pytest_benchmark(converged=False),
        pytest_benchmark(status="odd"),
        google_benchmark(error_occurred=True),
        google_benchmark(error_message="out of memory"),
        reframe("fail", fail_phase="sanity"),
        reframe("aborted"),
    ],
)
def test_failed_run_yields_no_value(write, text) -> None:
    values = values_of(write(text))

    assert values
    assert all(map(math.isnan, values))


ACTION = (
    '{"lastUpdate": 1, "entries": {"s": [{"commit": {"id": "abcdef1"}, "benches": '
    '[{"name": "f", "value": 2.0, "unit": "ns/op"}]}]}}'
)
OUTCOMES = (
    *(("status", "timeout"), ("State", "OUT_OF_MEMORY"), ("exitCode", 137)),
    *(("passed", False), ("error", "killed by signal 9"), ("outcome", "who knows")),
)


@pytest.mark.parametrize("outcome", OUTCOMES)
@pytest.mark.parametrize(
    "text",
    [
        hyperfine(0),
        exacb("True"),
        pytest_benchmark(),
        google_benchmark(),
        '{"callpath": "f", "params": {"p": 4}, "value": [2.0, 2.1]}',
        '{"f": {"latency": {"value": 2.0}}}',
        ACTION,
        *(MADE[name] for name in ("nested", "listed", "reframe report")),
    ],
)
def test_outcome_beside_or_above_values_of_any_json_is_theirs(write, text, outcome):
    """Add an outcome to each object that holds a value, in turn."""
    for place in places_of(json.loads(text)):
        document = json.loads(text)
        held = document
        for step in place:
            held = held[step]
        held.__setitem__(*outcome)

        reading = read_files([write(json.dumps(document))], rules=AT)

        values = [v for m in reading.scans.measurements() for v in m.values]
        assert all(map(math.isnan, values)), place
        assert values or reading.unreadable


def places_of(held, place=()):
    """Yield where the objects are that hold a value of a measurement."""
    if isinstance(held, dict):
        is_measured = any(key in held for key in MEASURED)
        deeper = [each for key in held for each in places_of(held[key], (*place, key))]
        if is_measured or deeper:
            yield place
        yield from deeper
    elif isinstance(held, list):
        for at, each in enumerate(held):
            yield from places_of(each, (*place, at))


@pytest.mark.parametrize(
    "text",
    [
        HPL.format("PASSED"),
        hyperfine(0),
        exacb("True"),
        pytest_benchmark(returncode=0, converged=True, note="fail"),
        google_benchmark(),
        reframe("pass"),
        reframe("fail", fail_phase="performance"),
    ],
)
def test_run_that_ended_well_has_its_values(write, text) -> None:
    values = values_of(write(text))

    assert values
    assert not any(map(math.isnan, values))


def test_outcome_that_is_no_known_word_is_refused_by_name(write) -> None:
    [error] = read_files([write(exacb("perhaps"))], rules=AT).unreadable

    assert "'perhaps'" in str(error)
    assert ".success" in str(error)


def test_table_before_an_end_by_error_is_a_failed_run(write) -> None:
    other = OSU.replace("Allreduce", "Bcast")
    path = write(f"{other}\n{OSU}a.out: assertion failed: n > 0\n")

    reading = read_files([path], rules=AT)

    failed = {one.region: bool(math.isnan(one.values[0, 0])) for one in reading.series}
    assert failed == {"MPI_Bcast": False, "MPI_Allreduce": True}
    [note] = reading.left_out
    assert "line 10" in note
    assert "assertion failed" in note


def test_end_by_error_between_two_summaries_is_of_the_first(write) -> None:
    loop = "Loop time of {} on {} procs for 100 steps with 32000 atoms\n\n"
    use = "97% CPU use with {} MPI tasks x 1 OpenMP threads\n"
    first = loop.format(2.0, 4) + use.format(4)
    second = loop.format(1.0, 8) + use.format(8)
    path = write(f"LAMMPS (2 Aug 2023)\n{first}Segmentation fault\n{second}")

    [series] = read_files([path]).series

    assert series.settings[:, 0].tolist() == [4, 8]
    assert math.isnan(series.values[0, 0])
    assert series.values[1, 0] == 1
