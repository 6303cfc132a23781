import pytest

from scalewatch.importers import read_files
from support.samples import sample

SUMMARY = """chatter
----- PETSc Performance Summary: -----

./ex2 on a arch-linux named node01 with 4 processors, by Unknown Sun Nov 22 19:55 2026

Time (sec):           2.293e-01     1.023   2.271e-01
Summary of Stages:   ----- Time ------
 3:           Solve: 8.8157e-02  38.8%  1.1600e+08 100.0%

--- Event Stage 3: Solve

KSPSolve               3 1.0 8.7888e-02 1.0 2.90e+07 1.0 5.1e+03 2.6e+02  1320
------
Object Type          Creations   Destructions. Reports information only for process 0.

--- Event Stage 3: Solve

              Vector     4              0
#PETSc Option Table entries:
-ksp_type cg # (source: command line)
-log_view # (source: command line)
-n 96
-pc_type jacobi (source: command line)
#End of PETSc Option Table entries
"""


def test_events_of_stages_scale_over_the_files_of_a_folder() -> None:
    reading = read_files([sample("petsc/generated-3.18.5")])

    assert not reading.unreadable
    series = {one.region: one for one in reading.series}
    solve = series["Solve->KSPSolve"]
    assert solve.settings[:, 0].tolist() == [1, 2, 3, 4, 6]
    assert solve.values[3, 0] == 8.7888e-02
    assert series["program"].values[3, 0] == 0.2293
    assert series["Solve"].configuration["statistic"] == "avg"
    assert solve.configuration == {"ksp_type": "cg", "n": 96, "pc_type": "jacobi"}


def test_summary_is_found_far_behind_what_the_program_prints(write) -> None:
    path = write("iteration 1 residual 0.5\n" * 30_000 + SUMMARY)

    regions = [one.region for one in read_files([path]).series]

    assert regions == ["program", "Solve", "Solve->KSPSolve"]


def test_options_that_only_print_are_no_configuration(write) -> None:
    [_, _, solve] = read_files([write(SUMMARY)]).series

    assert solve.configuration == {"ksp_type": "cg", "n": 96, "pc_type": "jacobi"}


def test_events_may_have_blanks_in_their_names(write) -> None:
    row = "KSPSolve               3"
    text = SUMMARY.replace(row, "MGSetup Level 0        3")

    regions = [one.region for one in read_files([write(text)]).series]

    assert regions[-1] == "Solve->MGSetup Level 0"


def test_ratio_of_an_event_may_run_together_with_its_time(write) -> None:
    text = SUMMARY.replace("8.7888e-02 1.0", "1.8187e-0221.1")

    [_, _, solve] = read_files([write(text)]).series

    assert solve.values.tolist() == [[1.8187e-02]]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (SUMMARY.partition("Object")[0], "expected the processes and all events of a"),
        (SUMMARY.replace("8.7888e-02", "oops"), "line 12: expected an event and its"),
    ],
)
def test_summary_that_is_cut_or_wrong_is_refused(write, text, complaint) -> None:
    [error] = read_files([write(text)]).unreadable

    assert complaint in str(error)
