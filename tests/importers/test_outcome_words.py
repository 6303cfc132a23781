"""Words, codes and marks of failed runs that no list of formats knows beforehand."""

import json
import math

import pytest
from click.testing import CliRunner

from scalewatch.cli import main
from scalewatch.importers import read_files

TIMES = ((1, 100.5), (2, 52.25), (4, 27.125), (8, 14.0625))

COLUMNS = [
    ("Result", "ok", "Segmentation fault (core dumped)"),
    ("wait_status", "0", "35584"),
    ("core_dumped", "no", "yes"),
    ("hit_walltime", "False", "True"),
    ("interrupted", "0", "1"),
    ("results_match", "true", "false"),
    ("#failures", "0", "2"),
    ("resultat", "ok", "avorté"),
    ("log", "ok", "see core.1234"),
    ("stderr_tail", "", "MPI_ABORT invoked"),
    ("flag", "ok", "invalid"),
    ("quality", "good", "rejected"),
    ("is_valid_run", "True", "False"),
    ("completion", "100%", "37%"),
    ("unfinished", "0", "1"),
    ("dnf", "", "x"),
    ("notes", "", "OOM at step 20"),
    ("exit_signal", "0", "9"),
    ("term_signal", "", "SIGKILL"),
    ("Completed?", "yes", "no"),
    ("finished", "1", "0"),
    ("sbatch_state", "CD", "TO"),
    ("nonzero_exit", "false", "true"),
    ("Exit_status", "0", "271"),
    ("STAT", "DONE", "EXIT"),
    ("jobstatus", "COMPLETED", "RUN TIMEOUT"),
    ("aborted", "False", "True"),
    ("stderr", "", "srun: error: node12: task 3: Killed"),
    ("n_failed_ranks", "0", "3"),
    ("killed_by", "", "oom-killer"),
    ("checksum", "match", "MISMATCH"),
    ("bit_reproducible", "yes", "no"),
    ("Comment", "", "job hit wall clock limit"),
    ("Reason", "None", "NodeDown"),
    ("wrong_results", "0", "17"),
    ("converged?", "T", "F"),
    ("outcome", "success", "walltime exceeded"),
    ("run", "✅", "💥"),
    ("Ergebnis", "bestanden", "fehlgeschlagen"),
    ("statut", "réussi", "échec"),
    ("is_crash", "0", "1"),
    ("has_nan", "false", "true"),
    ("errors/warnings", "0/0", "3/1"),
    ("exitcode", "0x0", "0x8b"),
    ("validation_result", "PASSED", "FAILED: rel err 0.3"),
    ("residual", "1e-9", "nan"),
    ("L2 error", "3.1e-7", "nan"),
    ("l2_error", "3.1e-7", "inf"),
    ("mpi_exit", "0", "134"),
    ("healthy", "true", "false"),
    ("verify", "VERIFICATION SUCCESSFUL", "VERIFICATION FAILED"),
    ("timedout", "0", "1"),
    ("errorlevel", "0", "3"),
    ("Numerical check", "passed", "not passed"),
    ("energy_conserved", "true", "false"),
    ("info", "", "MPI_ERR_TRUNCATE: message truncated"),
    ("core_dump", "n", "y"),
    ("KSP reason", "CONVERGED_RTOL", "DIVERGED_ITS"),
    ("message", "OK", "Cannot allocate memory"),
]

CELLS = [
    *("walltime exceeded", "NODE FAILURE", "(OOM)", "ERR!", "#DIV/0!", "#REF!"),
    *(">3600", "> 1h", "14.06 (failed)", "killed@14.0625", "14.0625 TIMEOUT"),
    *("FAILED after 14.0625 s", "timed out (14.0625s)", "did not converge", "-1"),
    *("-14.0625", "ERROR 14.0625", "abgebrochen", "unavailable", "n.d.", "NaN"),
]

ENDS = [
    "srun: error: nid001: task 0: Exited with exit code 137",
    "forrtl: error (78): process killed (SIGTERM)",
    "===   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
    "Primary job  terminated normally, but 1 process returned a non-zero exit code",
    "PBS: job killed: walltime 3610 exceeded limit 3600",
    "TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
    "double free or corruption (out)",
    "[0]PETSC ERROR: Caught signal number 11 SEGV",
    "rank 3 in job 1 caused collective abort of all ranks",
    "CUDA out of memory. Tried to allocate 2 GiB",
    "STOP 1",
    "Alarm clock",
    "panic: runtime error",
    "Killed",
    "Simulation diverged at step 120",
    "Verification failed",
]


def _values(text, write, name):
    reading = read_files([write(text, name)])
    return {
        measurement.coordinate[0]: measurement.values
        for measurement in reading.scans.measurements()
        if measurement.subject.metric == "time"
    }, reading


def _failed(values):
    return all(map(math.isnan, values))


@pytest.mark.parametrize(("column", "good", "bad"), COLUMNS)
def test_column_of_any_name_tells_a_failed_run(write, column, good, bad) -> None:
    words = [good, good, good, bad]
    rows = [f"{p},{time},{w}" for (p, time), w in zip(TIMES, words, strict=True)]

    values, _ = _values("\n".join([f"p,time,{column}", *rows, ""]), write, "t.csv")

    assert values[1] == [100.5]
    assert _failed(values[8])


@pytest.mark.parametrize("cell", CELLS)
def test_cell_of_a_failed_run_is_no_time(write, cell) -> None:
    rows = [f"{p},{time}" for p, time in TIMES[:3]]

    values, _ = _values("\n".join(["p,time", *rows, f"8,{cell}", ""]), write, "t.csv")

    assert values[1] == [100.5]
    assert _failed(values[8])


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("form", ["| {} | {} |", "{:<12}  {:>12}"])
def test_printed_table_before_an_end_by_error_loses_its_last_run(
    write, form, end
) -> None:
    header = [form.format("p", "time (s)"), *(["|---|---|"] if "|" in form else [])]
    rows = [form.format(p, time) for p, time in TIMES]

    values, reading = _values("\n".join([*header, *rows, "", end, ""]), write, "t.txt")

    assert values[4] == [27.125]
    assert _failed(values[8])
    assert any("ended by an error" in note for note in reading.left_out)


def test_error_below_another_heading_is_not_about_the_table(write) -> None:
    text = (
        "# Scaling\n\n| p | time (s) |\n|---|---|\n| 1 | 4 |\n| 2 | 2.5 |\n\n"
        "# Known problems\n\nOlder versions end with a segmentation fault.\n"
    )

    values, _ = _values(text, write, "README.md")

    assert values == {1: [4], 2: [2.5]}


@pytest.mark.parametrize("mark", ["*", "†", "‡"])
def test_footnote_that_tells_of_a_failure_fails_the_marked_run(write, mark) -> None:
    text = (
        f"| p | time (s) |\n|---|---|\n| 1 | 4.5 |\n| 2 | 2.5 |\n| 4 | 1.25{mark} |\n"
        f"| {mark} killed by the time limit | |\n"
    )

    values, _ = _values(text, write, "t.md")

    assert values[2] == [2.5]
    assert _failed(values[4])


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("steps_completed", (100, 200, 300, 400)),
        ("compiler", ("gcc", "gcc", "gcc", "gcc")),
        ("error_bound", ("1e-3",) * 4),
    ],
)
def test_counts_and_settings_are_no_outcomes(write, column, cells) -> None:
    rows = [f"{p},{time},{w}" for (p, time), w in zip(TIMES, cells, strict=True)]

    values, _ = _values("\n".join([f"p,time,{column}", *rows, ""]), write, "t.csv")

    assert values[8] == [14.0625]


@pytest.mark.parametrize(("usual", "odd"), [("fine", "odd"), ("0", "1"), ("0", "7")])
def test_word_or_flag_that_nobody_knows_makes_no_green_gate(write, usual, odd) -> None:
    rows = [f"{p},{time},{usual}" for p, time in TIMES]
    old = write("\n".join(["p,time,mood", *rows, ""]), "old.csv")
    new = write("\n".join(["p,time,mood", *rows[:3], f"8,7.5,{odd}", ""]), "new.csv")

    result = CliRunner().invoke(
        main, ["gate", new, "--baseline", old, "--format", "json"]
    )

    assert result.exit_code == 2
    assert json.loads(result.stdout)


def test_end_by_error_below_a_table_with_a_commented_header_fails_its_last_run(
    write,
) -> None:
    rows = "".join(f"{p}  {time}  0.5\n" for p, time in TIMES)
    text = f"# SOLVER: cg\n#\n# nodes  avg  std-dev\n\n{rows}srun: error: n1: Killed\n"

    reading = read_files([write(text, "t.txt")])
    values = {each.coordinate[0]: each.values for each in reading.scans.measurements()}

    assert values[4] == [27.125]
    assert _failed(values[8])
