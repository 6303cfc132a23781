import pytest

from scalewatch.importers import read_files
from support.samples import sample

LOG = """                      :-) GROMACS - gmx mdrun, 2016.6 (-:
   nsteps                         = 50000
Using 4 MPI processes
Using 2 OpenMP threads per MPI process
There are: 69866 Atoms
     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G
 Force                    4    2      50001      14.108      10404.543  32.9
 PME wait for PP *                               1.500          1.000   0.1
 Total                                          32.185      31900.000 100.0
 PME spread               4    2      50001       3.000        100.000   1.0
               Core t (s)   Wall t (s)        (%)
       Time:    14418.686       32.185    44800.0
Performance:      268.457        0.089
"""


def test_folder_is_a_scan_for_each_molecular_system() -> None:
    reading = read_files([sample("gromacs")])

    rates = {
        one.configuration["atoms"]: one
        for one in reading.series
        if one.metric == "rate"
    }
    assert len(rates) == 3
    assert 268.457 in rates[69866].values
    assert max(one.settings.max() for one in rates.values()) == 3136


def test_parts_are_those_of_the_first_table_that_have_counts(write) -> None:
    found = {
        (one.region, one.metric): one.values.tolist()
        for one in read_files([write(LOG)]).series
    }

    assert found == {
        ("Force", "time"): [[14.108]],
        ("program", "time"): [[32.185]],
        ("program", "rate"): [[268.457]],
        ("program", "time_per_ns"): [[0.089]],
    }


@pytest.mark.parametrize("cut", ["       Time:", "0.089"])
def test_log_that_ends_early_is_refused(write, cut) -> None:
    [error] = read_files([write(LOG.partition(cut)[0])]).unreadable

    assert "expected a line 'Performance: …'" in str(error)


def test_number_cut_in_its_digits_is_refused(write) -> None:
    [error] = read_files([write(LOG.rstrip()[:-1])]).unreadable

    assert "expected the end of the line" in str(error)
