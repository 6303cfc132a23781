"""Tables of t_max: what stands between their points, and beyond them."""

import json

import numpy as np
import pytest

from scalewatch_agent.errors import CalibrationUnusable
from scalewatch_agent.traces.calibration.cells import Cell
from scalewatch_agent.traces.calibration.table import (
    Calibration,
    read_calibration,
    reduced_by,
    write_calibration,
)
from scalewatch_agent.traces.recording.calibrating import sizes_at_jumps
from scalewatch_agent.traces.results import trace_facts
from support.agent_sentences import TRACES as SAID
from support.traces import call, trace


def cell(p, size, time, function="MPI_Send"):
    return Cell(function, p, size, (2 * time, time))


def table(*cells):
    return Calibration("here", cells)


def best(calibration, p, size, function="MPI_Send"):
    found = calibration(function, p, np.array([float(size)]))
    return None if found is None else float(found[0])


POWERS = [cell(p, 4**k, 1e-6 * p * 2**k) for p in (2, 8) for k in range(6)]
"""t = 1 µs · p · sqrt(bytes), which interpolation in logarithms gives exactly."""


@pytest.mark.parametrize(
    ("p", "size"), [(2, 1), (2, 37), (3, 37), (5, 1000), (8, 1024)]
)
def test_powers_are_interpolated_exactly(p, size):
    calibration = table(*POWERS)

    assert best(calibration, p, size) == pytest.approx(1e-6 * p * size**0.5)
    assert calibration.extrapolated == {}


@pytest.mark.parametrize(("p", "size"), [(16, 64), (2, 4096), (64, 2**20)])
def test_beyond_the_table_powers_go_on_and_it_is_said(p, size):
    calibration = table(*POWERS)

    assert best(calibration, p, size) == pytest.approx(1e-6 * p * size**0.5)
    assert calibration.extrapolated == {"MPI_Send": set()}


def test_beyond_three_numbers_of_processes_the_growth_goes_on_and_is_named():
    calibration = table(
        *(cell(2**k, 8, 1e-6 * k, "MPI_Barrier") for k in (1, 2, 3)),
        *(cell(2**k, 8, 5e-6) for k in (1, 2, 3)),
        *(
            cell(2**k, 2**k * size, 1e-9 * size * 2**k, "MPI_Alltoall")
            for k in (1, 2, 3)
            for size in (16, 1024)
        ),
    )

    assert best(calibration, 64, 0, "MPI_Barrier") == pytest.approx(6e-6)
    assert best(calibration, 64, 8) == pytest.approx(5e-6)
    # What each of 64 gets was measured: no more than all others got then.
    assert best(calibration, 64, 64 * 1024, "MPI_Alltoall") == pytest.approx(
        1e-9 * 1024 * 64
    )
    assert calibration.extrapolated == {
        "MPI_Barrier": {"log p"},
        "MPI_Send": {"1"},
        "MPI_Alltoall": {"p"},
    }


def test_reduction_says_by_which_growths_best_times_are_extrapolated():
    calibration = table(*(cell(2**k, 8, 1e-8 * k, "MPI_Barrier") for k in (1, 2, 3)))
    made = trace(*([call("MPI_Barrier", 0, 100)] for _ in range(16)))

    found = reduced_by(calibration, made)

    assert trace_facts(found)["extrapolated"] == SAID["growth"]
    assert found.overhead == pytest.approx(16 * (100 - 40) * 1e-9)


def test_nothing_gets_faster_with_more_bytes_or_beyond_the_processes():
    calibration = table(
        cell(2, 8, 4e-6), cell(2, 64, 1e-6), cell(4, 8, 2e-6), cell(4, 64, 2e-6)
    )

    assert best(calibration, 2, 64) == pytest.approx(4e-6)
    assert best(calibration, 4, 64) == pytest.approx(2e-6)
    assert best(calibration, 64, 64) == pytest.approx(2e-6)


def test_no_bytes_count_as_one_and_few_processes_as_the_fewest():
    calibration = table(*POWERS)

    assert best(calibration, 2, 0) == pytest.approx(2e-6)
    assert best(calibration, 1, 1) == pytest.approx(2e-6)


def test_function_without_cells_is_unknown():
    assert best(table(*POWERS), 2, 8, "MPI_Recv") is None


def test_table_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "table.json"
    calibration = table(*POWERS)
    write_calibration(calibration, path)

    assert read_calibration(path) == calibration
    assert json.loads(path.read_text())["cells"][0]["t_max"] == pytest.approx(2e-6)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"schema": 2, "title": "", "cells": []}',
        '{"schema": 1, "title": "", "cells": []}',
        '{"schema": 1, "title": "", "cells": [{"function": "MPI_Send"}]}',
        '{"schema": 1, "title": "", "cells": [{"function": 7}]}',
        '{"schema": 1, "title": "", "cells": [{"function": "a", "p": 2, "bytes": 8}]}',
    ],
)
def test_other_files_are_refused_in_one_line(tmp_path, text):
    path = tmp_path / "table.json"
    path.write_text(text)

    with pytest.raises(CalibrationUnusable) as refused:
        read_calibration(path)
    assert "\n" not in str(refused.value)
    with pytest.raises(CalibrationUnusable, match="No such file"):
        read_calibration(tmp_path / "none.json")


def test_sizes_are_divided_where_times_jump_and_no_closer_than_that():
    jump = [cell(2, size, 1e-6 if size < 600 else 5e-5) for size in (8, 64, 512, 4096)]

    assert sizes_at_jumps(jump) == {"MPI_Send": [1448]}
    assert sizes_at_jumps([cell(2, 600, 1e-6), cell(2, 720, 1e-4)]) == {}
    assert sizes_at_jumps(POWERS) == {}


def test_sizes_of_collectives_are_those_that_the_program_takes():
    jump = [
        cell(4, 4 * size, time, "MPI_Alltoall")
        for size, time in ((16, 1e-6), (1024, 1e-4))
    ]

    assert sizes_at_jumps(jump) == {"MPI_Alltoall": [128]}
