"""Output in the shape of programs whose patterns are shipped, with what it says.

Of each: the text, and by region and metric settings, first value and unit.
"""

import math
from typing import Final

Expected = dict[tuple[str, str], tuple[dict[str, float], float, str | None]]

OUTPUTS: Final[dict[str, tuple[str, Expected]]] = {
    "openfoam": (
        r"""/*---------------------------------------------------------------------------*\
  =========                 |
  \\      /  F ield         | OpenFOAM: The Open Source CFD Toolbox
\*---------------------------------------------------------------------------*/
Build  : 11-9f0c2
Exec   : simpleFoam -parallel
Date   : Nov 27 2026
nProcs : 16
Slaves :
15
(
"node1.4711"
)
Time = 1
ExecutionTime = 3.25 s  ClockTime = 4 s

Time = 2
ExecutionTime = 6.5 s  ClockTime = 7 s

End
""",
        {
            ("program", "time"): ({"p": 16}, 6.5, "s"),
            ("program", "clock_time"): ({"p": 16}, 7, "s"),
        },
    ),
    "cp2k": (
        """ CP2K| version string:                       CP2K version 2026.1
 GLOBAL| Total number of message passing processes                             32
 GLOBAL| Number of threads for this process                                     4
 -------------------------------------------------------------------------------
 -                                T I M I N G                                  -
 -------------------------------------------------------------------------------
 SUBROUTINE                       CALLS  ASD         SELF TIME        TOTAL TIME
                                MAXIMUM       AVERAGE  MAXIMUM  AVERAGE  MAXIMUM
 CP2K                                 1  1.0    0.125    0.250   40.500   40.750
 qs_forces                            3  2.0    0.001    0.002   30.250   30.500
 -------------------------------------------------------------------------------
""",
        {
            ("CP2K", "time"): ({"p": 32, "threads": 4}, 40.75, "s"),
            ("qs_forces", "self_time"): ({"p": 32}, 0.002, "s"),
        },
    ),
    "castep": (
        """ |  Welcome to Academic Release CASTEP version 25.11                     |
 Calculation parallelised over 48 processes.
 Each process may use up to 2 threads.
 Initialisation time =      1.50 s
 Calculation time    =    100.25 s
 Finalisation time   =      0.25 s
 Total time          =    102.00 s
 Peak Memory Use     = 512000 kB
""",
        {
            ("program", "time"): ({"p": 48, "threads": 2}, 102, "s"),
            ("program", "memory"): ({"p": 48}, 512e6, "B"),
        },
    ),
    "quantum-espresso": (
        """     Program PWSCF v.7.4 starts on 27Nov2026 at 10: 5: 4

     Number of MPI processes:                24
     Threads/MPI process:                     2

     electrons    :     41.50s CPU     84.25s WALL (      12 calls)
     PWSCF        :  1h 1m CPU      1h 5m WALL
""",
        {
            ("electrons", "time"): ({"p": 24, "threads": 2}, 84.25, "s"),
            ("PWSCF", "time"): ({"p": 24}, 3900, "s"),
            ("PWSCF", "cpu_time"): ({"p": 24}, 3660, "s"),
        },
    ),
    "vasp": (
        """ running   64 mpi-ranks, with    2 threads/rank, on    1 nodes
 vasp.6.5.0 16Dec24 (build Jan 01 2026 00:00:00) complex
 executed on             LinuxGNU date 2026.11.27  10:00:00
      LOOP+:  cpu time   20.2500: real time   20.5000
                  Total CPU time used (sec):       41.250
                         Elapsed time (sec):       43.500
                   Maximum memory used (kb):      204800.
""",
        {
            ("program", "time"): ({"p": 64, "threads": 2}, 43.5, "s"),
            ("program", "loop_time"): ({"p": 64}, 20.5, "s"),
            ("program", "memory"): ({"p": 64}, 204.8e6, "B"),
        },
    ),
    "namd": (
        """Charm++> Running on 2 hosts (2 sockets x 32 cores x 1 PUs = 64-way SMP)
Info: NAMD 3.0.1 for Linux-x86_64-MPI
Info: Running on 128 processors, 128 nodes, 2 physical nodes.
Info: 92224 ATOMS
Info: Benchmark time: 128 CPUs 0.0125 s/step 0.0723 days/ns 350.5 MB memory
WallClock: 20.500000  CPUTime: 20.250000  Memory: 351.0 MB
""",
        {
            ("program", "time"): ({"p": 128, "n": 92224}, 20.5, "s"),
            ("program", "step_time"): ({"p": 128}, 0.0125, "s/step"),
            ("program", "cost"): ({"p": 128}, 0.0723, "days/ns"),
        },
    ),
    "wrf": (
        """taskid: 0 hostname: node1
 Ntasks in X            8 , ntasks in Y            4
Timing for main: time 2026-11-27_00:00:30 on domain   1:    1.50000 elapsed seconds
Timing for main: time 2026-11-27_00:01:00 on domain   1:    1.25000 elapsed seconds
Timing for Writing wrfout for domain        1:    0.75000 elapsed seconds
""",
        {("main", "time"): ({"p": 32}, 1.5, "s")},
    ),
    "stream": (
        """STREAM version $Revision: 5.10 $
Array size = 80000000 (elements), Offset = 0 (elements)
Number of Threads requested = 16
Number of Threads counted = 16
-------------------------------------------------------------
Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:          120000.5     0.010700     0.010666     0.010900
Triad:         130000.0     0.014800     0.014769     0.015000
-------------------------------------------------------------
Solution Validates: avg error less than 1.000000e-13 on all three arrays
""",
        {
            ("Copy", "bandwidth"): ({"threads": 16, "n": 8e7}, 120000.5, "MB/s"),
            ("Triad", "time"): ({"threads": 16}, 0.0148, "s"),
        },
    ),
    "gnu-time": (
        """\tCommand being timed: "./solve"
\tUser time (seconds): 62.50
\tSystem time (seconds): 1.25
\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:16.03
\tMaximum resident set size (kbytes): 2048
\tExit status: 1
""",
        {
            ("program", "time"): ({}, math.nan, "s"),
            ("program", "memory"): ({}, math.nan, "B"),
        },
    ),
    "bash-time": (
        "ranks: 4\n\nreal\t1m41.712s\nuser\t6m40.250s\nsys\t0m2.500s\n",
        {
            ("program", "time"): ({}, 101.712, "s"),
            ("program", "user_time"): ({}, 400.25, "s"),
        },
    ),
    "lsf": (
        """Your job looked like:
# LSBATCH: User input
jsrun -n 64 ./hydro in.nml

Successfully completed.

Resource usage summary:

    CPU time :                                   4012.00 sec.
    Max Memory :                                 312 MB
    Run time :                                   71 sec.
    Turnaround time :                            80 sec.
""",
        {
            ("program", "time"): ({"p": 64}, 71, "s"),
            ("program", "cpu_time"): ({"p": 64}, 4012, "s"),
        },
    ),
    "ior": (
        """IOR-4.0.0: MPI Coordinated Test of Parallel I/O
Options:
nodes               : 2
tasks               : 16

Results:

access bw(MiB/s) IOPS    Latency(s) block(KiB) xfer(KiB) open(s) wr/rd(s) close(s) \
total(s)   iter
------ --------- ----    ---------- ---------- --------- ------- -------- -------- \
--------   ----
write  1250.50   1251.00 0.012      1048576    1024.00   0.001   13.10    0.002 \
13.10      0
read   2250.50   2251.00 0.007      1048576    1024.00   0.001   7.25     0.002 \
7.28       0

""",
        {
            ("write", "bandwidth"): ({"p": 16, "nodes": 2}, 1250.5, "MiB/s"),
            ("read", "time"): ({"p": 16, "nodes": 2}, 7.28, "s"),
        },
    ),
    "tinyprofiler": (
        """MPI initialized with 8 MPI processes
TinyProfiler total time across processes [min...avg...max]: 2.25 ... 2.5 ... 2.75
-----------------------------------------------------------------------------
Name                          NCalls  Excl. Min  Excl. Avg  Excl. Max   Max %
-----------------------------------------------------------------------------
Flow::advance()                  172      1.024      1.195      1.322  55.47%
FillBoundary_finish()           2050     0.1004      0.282     0.5157  21.64%
-----------------------------------------------------------------------------

-----------------------------------------------------------------------------
Name                          NCalls  Incl. Min  Incl. Avg  Incl. Max   Max %
-----------------------------------------------------------------------------
main()                             1        2.5        2.5       2.75 100.00%
-----------------------------------------------------------------------------
""",
        {
            ("program", "time"): ({"p": 8}, 2.75, "s"),
            ("Flow::advance()", "own_time"): ({"p": 8}, 1.322, "s"),
            ("main()", "time"): ({"p": 8}, 2.75, "s"),
        },
    ),
    "cesm": (
        """---------------- TIMING PROFILE ---------------------
  total pes active           : 512
  Overall Metrics:
    Model Cost:             120.50   pe-hrs/simulated_year
    Model Throughput:       102.00   simulated_years/day
    TOT Run Time:      11.600 seconds        2.320 seconds/mday       102.00 myears/wday
    LND Run Time:       1.250 seconds        0.250 seconds/mday       946.00 myears/wday
""",
        {
            ("TOT", "time"): ({"p": 512}, 11.6, "s"),
            ("program", "throughput"): ({"p": 512}, 102, "SYPD"),
            ("program", "cost"): ({"p": 512}, 120.5, None),
        },
    ),
}
