"""How runs ended, as tools and people write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.outcomes import (
    is_about_outcome,
    is_absent,
    judge_cell,
    judge_value,
    signs_of_abort,
    states_outcomes,
)

STATED = [
    ("status", "PASS", True),
    ("status", "ok", True),
    ("Status", "Success", True),
    ("State", "COMPLETED", True),
    ("state", "CD", True),
    ("State", "CANCELLED by 1000", False),
    ("State", "OUT_OF_MEMORY", False),
    ("State", "OUT_OF_ME+", False),
    ("State", "NODE_FAIL", False),
    ("State", "TIMEOUT", False),
    ("State", "RUNNING", False),
    ("status", "FAIL", False),
    ("status", "OOM", False),
    ("status", "Killed (signal 9)", False),
    ("status", "segmentation fault", False),
    ("status", "1", False),
    ("status", "0", True),
    ("status", "flaky", None),
    ("status", "", None),
    ("job_state", "timed-out", False),
    ("exit", "0", True),
    ("ExitCode", "0:0", True),
    ("ExitCode", "0:9", False),
    ("ExitCode", "137:0", False),
    ("returncode", "-11", False),
    ("returncode", "1.0", False),
    ("rc", "", None),
    ("rc", "weird", None),
    ("passed", "true", True),
    ("passed", "1", True),
    ("passed", "0", False),
    ("passed", "No", False),
    ("success", "False", False),
    ("converged", "✓", True),
    ("error", "", True),
    ("error", "0", True),
    ("error", "1.3e-9", True),
    ("errors", "3", False),
    ("error", "mpi: rank 3 died", False),
    ("#wrong", "0", True),
    ("#wrong", "12", False),
    ("timed_out", "false", True),
    ("timed_out", "yes", False),
]


@pytest.mark.parametrize(("column", "cell", "has_succeeded"), STATED)
def test_columns_about_outcomes_are_understood(column, cell, has_succeeded):
    outcome = judge_cell(column, cell)

    assert outcome is not None
    assert outcome.has_succeeded is has_succeeded


@pytest.mark.parametrize("column", ["time", "p", "nodes", "compiler", "mesh", "host"])
def test_other_columns_are_not_about_outcomes(column):
    assert not is_about_outcome(column)
    assert judge_cell(column, "FAIL") is None


@given(
    st.sampled_from(["status", "exit code", "passed", "State"]), st.text(max_size=20)
)
def test_unknown_word_is_never_a_success(column, cell):
    outcome = judge_cell(column, f"{cell} zyx")

    assert outcome is not None
    assert outcome.has_succeeded is not True


@pytest.mark.parametrize(
    "cell", ["OOM", "killed", "**FAIL**", "TIMEOUT", "nan", "out of memory", "DNF"]
)
def test_word_in_place_of_a_value_is_a_failed_run(cell):
    failure = judge_value(cell)

    assert failure is not None
    assert failure.has_succeeded is False


@pytest.mark.parametrize("cell", ["1.5", "fast", "n", "st", "12 s", "1e3"])
def test_other_words_are_no_failed_run(cell):
    assert judge_value(cell) is None


@pytest.mark.parametrize("cell", ["", " - ", "n/a", "NA", "null"])
def test_placeholders_are_absent_values(cell):
    assert is_absent(cell)


@pytest.mark.parametrize(
    "line",
    [
        "solver: mesh.c:91: refine: Assertion `n > 0' failed.",
        "[node3:1234] *** Process received signal ***",
        "srun: error: nid001: task 3: Out Of Memory",
        "slurmstepd: error: *** JOB 77 ON n1 CANCELLED AT 2026 DUE TO TIME LIMIT ***",
        "forrtl: severe (174): SIGSEGV, segmentation fault occurred",
        "./run.sh: line 3:  4242 Killed",
        "Traceback (most recent call last):",
        "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
        "APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)",
        "ERROR: One or more process (first noticed rank 3) terminated with signal 9",
        "FATAL: kernel panic",
        "julia: ERROR: LoadError: OutOfMemoryError()",
        "java.lang.NullPointerException",
        "GPU-3: uncorrectable ECC error",
        "amrex::Abort::3::CFL violated",
        "Simulation blew up at t = 0.3",
        "ERROR in step 3",
        "make: *** [run] Error 2",
        "+ exit 1",
        "Command exited with non-zero status 139",
        "job exceeded MEMORY limit, being killed",
        "not ok 1 - solver",
        "Norm check: FAILED",
        "Result INVALID",
    ],
)
def test_signs_of_an_end_by_error_are_seen(line):
    lines = f"p time\n1 2.0\n{line}\n".encode().splitlines(keepends=True)

    assert list(signs_of_abort(lines)) == [(2, line.strip())]


@pytest.mark.parametrize(
    "line",
    [
        "total time 3.2 s",
        "errors: 0",
        "residual error 1e-9",
        "tests killed: none so far",
        "error: 1.2e-9",
        "error in energy: 1e-8",
        "exited with exit code 0",
        "wall time limit not exceeded",
        "Signal to noise ratio 12",
        "computeError 1.25 5.5",
        "Fatal errors: 0",
        "FAILED: 0",
        "Error bars show one standard deviation.",
    ],
)
def test_ordinary_lines_are_no_sign(line):
    assert list(signs_of_abort([line.encode()])) == []


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("slurm_state", ["7"]),
        ("batch", ["COMPLETED", "NODE_FAIL"]),
        ("remark", ["fine", "segfault"]),
        ("solver status", ["PASS", "XFAIL"]),
        ("job_exit_code", ["0:0"]),
        ("rc_mpi", ["0"]),
        ("residual_ok", ["1"]),
        ("n_errors", ["0"]),
    ],
)
def test_column_states_outcomes_by_its_name_or_by_its_words(column, cells):
    assert states_outcomes(column, cells)


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("compiler", ["gcc", "clang"]),
        ("random_state", ["42", "43"]),
        ("use_gpu", ["true", "false"]),
        ("power state", ["P0", "P2"]),
        ("relative_error", ["0.1", "0.2"]),
        ("mode", ["hang", "abort", "n"]),
    ],
)
def test_column_of_settings_states_none(column, cells):
    assert not states_outcomes(column, cells)
