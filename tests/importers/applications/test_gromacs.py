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


OLD = """                         :-)  G  R  O  M  A  C  S  (-:
                            :-)  VERSION 4.6.7  (-:
Using 64 MPI processes
Using 2 OpenMP threads per MPI process
There are: 81743 Atoms

     R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G

 Computing:         Nodes   Th.     Count  Wall t (s)     G-Cycles       %
-----------------------------------------------------------------------------
 Force                 64    2      10001      90.113    10850.123    84.5
 Rest                  64                       1.055      120.0       0.8
-----------------------------------------------------------------------------
 Total                 64                     113.055    18720.0     100.0

       Time:    14456.790      113.055    12787.4
Performance:       15.286        1.570
"""
NEW = """                  :-) GROMACS - gmx mdrun, 2024.2 (-:
Using 8 MPI processes
There are: 81743 atoms

      R E A L   C Y C L E   A N D   T I M E   A C C O U N T I N G

 Activity:              Num   Num      Call    Wall time         Giga-Cycles
                        Ranks Threads  Count      (s)         total sum    %
--------------------------------------------------------------------------------
 PME mesh *                2   16      20001       5.113         15.623   1.0
 PME wait for PP *                                 1.113         15.623   1.0
--------------------------------------------------------------------------------
 Total                                            11.305        187.0   100.0

       Time:     1445.790       11.305    12787.4
Performance:      305.286        0.079
"""


@pytest.mark.parametrize(
    ("text", "p", "part"), [(OLD, 64, ("Force", 90.113)), (NEW, 8, ("PME mesh", 5.113))]
)
def test_logs_of_old_and_new_versions(write, text, p, part) -> None:
    found = {(one.region, one.metric): one for one in read_files([write(text)]).series}

    assert found["program", "rate"].settings.tolist() == [[p]]
    assert found["program", "rate"].configuration["atoms"] == 81743
    assert found[part[0], "time"].values.tolist() == [[part[1]]]
    assert len(found) == 4
