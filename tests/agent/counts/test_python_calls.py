"""Counting calls of functions in Python."""

import sys

import pytest
from click.testing import CliRunner

from scalewatch_agent.cli import main
from support.agent_sentences import COUNTS as SAID
from support.counting import count, counts, reason

SOURCE = """
import sys, threading
import helper
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
class Grid:
    def step(self, k):
        return k
    def run(self, n):
        for i in range(n):
            self.step(i)
def rows(n):
    yield from range(n)
def main(n):
    fib(10)
    grid = Grid()
    grid.run(n)
    sum(rows(n))
    helper.help(sorted(range(n), key=lambda one: -one))
    thread = threading.Thread(target=grid.run, args=(n,))
    thread.start()
    thread.join()
    assert sys.argv[0].endswith(("program.py", "-c")), sys.argv
    %s
if __name__ == "__main__":
    main(int(sys.argv[1]))
"""


@pytest.fixture
def program(workplace):
    (workplace / "program.py").write_text(SOURCE % "")
    (workplace / "helper.py").write_text("def help(n):\n    return n\n")
    return workplace


@pytest.mark.parametrize(
    "words",
    [["program.py"], ["-u", "-X", "utf8", "program.py"], ["-m", "program"]],
    ids=" ".join,
)
def test_calls_of_the_programs_own_functions_are_counted(program, words):
    done, (run,) = count(program, sys.executable, *words, "{n}", settings=["n=7"])

    assert done.exit_code == 0, done.output
    found = counts(run)
    assert found.pop("rows") >= 7
    assert found == {
        "fib": 177,
        "Grid.step": 14,
        "Grid.run": 2,
        "main": 1,
        "main.<locals>.<lambda>": 7,
        "help": 1,
    }
    assert run["configuration"] == {"counted_by": "python"}
    step = next(one for one in run["results"] if one["region"] == "Grid.step")
    assert step["location"] == {
        "file": "program.py",
        "line": 7,
        "function": "Grid.step",
    }


def test_calls_of_processes_of_mpi4py_add_up(workplace, openmpi):
    (workplace / "program.py").write_text(
        "from mpi4py import MPI\n"
        "def work(): pass\n"
        "for _ in range(MPI.COMM_WORLD.rank + 1): work()\n"
    )

    done, runs = count(
        workplace,
        *(sys.executable, "-m", "mpi4py", "program.py"),
        settings=(),
        options=["-p", "1,3,8", "--by", "rank", "--mpiexec", str(openmpi.mpiexec)],
    )

    assert done.exit_code == 0, done.output
    assert [counts(run) for run in runs] == [{"work": 1}, {"work": 6}, {"work": 36}]
    assert [counts(run, "count_max") for run in runs] == [
        {"work": largest} for largest in (1, 3, 8)
    ]


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("raise ValueError(n)", "ended with exit code 1: ValueError: 4"),
        ("sys.exit(3)", "ended with exit code 3"),
        ("import os; os._exit(0)", "no counts were written: the command has to begin"),
        ("import os; os.kill(os.getpid(), 9)", "was killed by signal 9"),
    ],
)
def test_program_that_does_not_end_well_has_counted_nothing(program, end, words):
    (program / "program.py").write_text(SOURCE % end)

    done, (run,) = count(program, sys.executable, "program.py", "{n}")

    assert done.exit_code == 4
    assert words in reason(run)


def test_exit_code_zero_by_sys_exit_is_a_good_end(program):
    (program / "program.py").write_text(SOURCE % "sys.exit()")

    done, (run,) = count(program, sys.executable, "program.py", "{n}")

    assert done.exit_code == 0
    assert counts(run)["fib"] == 177


@pytest.mark.usefixtures("workplace")
def test_python_is_told_from_programs_that_it_does_not_run():
    words = ["count", "--commit", "v1", "--method", "python", "--set", "n=1"]

    done = CliRunner().invoke(
        main,
        [*words, "--out", "runs.jsonl", "--", "true"],
    )

    assert done.exit_code == 4
    assert SAID["no Python"] in done.stdout + done.stderr
