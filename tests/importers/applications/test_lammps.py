import pytest

from scalewatch.importers import read_files
from support.samples import sample

LOG = """LAMMPS (17 Apr 2024)
Loop time of 2.5 on 8 procs for 100 steps with 32000 atoms

Performance: 41.341 ns/day, 0.581 hours/ns, 95.697 timesteps/s
99.4% CPU use with 4 MPI tasks x 2 OpenMP threads

Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | 0.88513    | 0.88724    | 0.89191    |   0.3 | 84.91
Other   |            | 0.003959   |            |       |  0.38
"""


def of(reading, region, metric):
    return next(
        one for one in reading.series if (one.region, one.metric) == (region, metric)
    )


def test_files_of_a_study_are_one_scan_with_its_repetitions() -> None:
    reading = read_files([sample("lammps/performance-study")])

    assert not reading.unreadable
    loop = of(reading, "loop", "time")
    assert loop.settings[:, 0].tolist() == [1792, 3584, 7168, 14336]
    assert 268.382 in loop.values[-1]
    assert loop.values.shape == (4, 5)


def test_processes_are_tasks_and_not_their_product_with_threads(write) -> None:
    reading = read_files([write(LOG)])

    loop, pair, other = (
        of(reading, "loop", "time"),
        of(reading, "Pair", "time"),
        of(reading, "Other", "time"),
    )
    assert (loop.parameters, loop.settings.tolist()) == (("p",), [[4]])
    assert (loop.configuration["threads"], loop.configuration["n"]) == (2, 32000)
    assert pair.values.tolist() == [[0.89191]]
    assert other.configuration["statistic"] == "avg"
    assert of(reading, "loop", "rate").unit == "ns/day"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (LOG.partition("99.4")[0], "line 2: expected a line '… CPU use with"),
        (LOG.partition("Loop")[0], "line 1: expected a line 'Loop time of …'"),
        (LOG.replace("2.5 on", "nan on"), "line 2: expected a number, found 'nan'"),
    ],
)
def test_run_that_did_not_end_is_refused(write, text, complaint) -> None:
    [error] = read_files([write(text)]).unreadable

    assert complaint in str(error)


THREADS = """
Thread timing breakdown (MPI rank 0):
Total threaded time 0.5 / 80.0%
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | 0.40       | 0.45       | 0.5        |   4.0 | 68.1
"""


def test_parts_of_the_threads_of_one_task_are_no_repetitions(write) -> None:
    pair = of(read_files([write(LOG + THREADS)]), "Pair", "time")

    assert pair.values.tolist() == [[0.89191]]


OLD = """LAMMPS (1 Sep 2011)
Loop time of 1.24735 on 4 procs for 100 steps with 32000 atoms

Pair  time (%) = 0.853372 (68.4148)
Outpt time (%) = 0.000233 (0.0187)
"""


def test_log_of_an_old_version_has_a_task_for_each_process(write) -> None:
    reading = read_files([write(OLD)])

    loop, pair = of(reading, "loop", "time"), of(reading, "Pair", "time")
    assert (loop.settings.tolist(), loop.values.tolist()) == ([[4]], [[1.24735]])
    assert (pair.configuration["statistic"], pair.values[0, 0]) == ("avg", 0.853372)
