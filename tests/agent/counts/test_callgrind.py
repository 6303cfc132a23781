"""Counting instructions of programs as they are, with valgrind."""

import shutil

import pytest
from click.testing import CliRunner

from scalewatch_agent.cli import main
from support.agent_sentences import COUNTS as SAID
from support.counting import compiled, count, counts, reason

needs_valgrind = pytest.mark.skipif(
    shutil.which("valgrind") is None, reason="no valgrind: apt-get install -y valgrind"
)
CALLGRIND = ["--method", "callgrind"]
SOURCE = """
#include <stdlib.h>
#include <string.h>
static volatile long sink;
__attribute__((noinline)) static void work(long n) {
    for (long i = 0; i < n; i++) sink += i;
}
__attribute__((noinline)) static long tree(long n) {
    return n < 2 ? n : tree(n - 1) + tree(n - 2);
}
int main(int c, char **words) {
    char *copy = malloc(1000000);
    memset(copy, c, 1000000);
    work(atol(words[1]));
    return tree(10) + copy[7] == 0;
}
"""


def built(folder, source=SOURCE, flags="-O1 -g"):
    (folder / "program.c").write_text(source)
    compiled(folder, "program.c", flags=flags)


@needs_valgrind
def test_instructions_of_the_program_count_and_those_of_libraries_do_not(workplace):
    built(workplace)

    done, runs = count(
        workplace, "./program", "{n}", settings=["n=10,20,30"], options=CALLGRIND
    )

    assert done.exit_code == 0, done.output
    first, second, third = map(counts, runs)
    assert set(first) == {"main", "work", "tree"}
    assert second["work"] - first["work"] == third["work"] - second["work"] > 0
    assert first["tree"] == second["tree"] == third["tree"] > 177
    assert first["main"] < 100
    work = next(one for one in runs[0]["results"] if one["region"] == "work")
    assert work["location"]["file"] == "program.c"
    assert work["location"]["line"] in {5, 6}
    assert runs[0]["configuration"] == {
        "counted_by": "callgrind",
        "optimisation": "-O1",
    }


@needs_valgrind
def test_program_without_debug_data_is_counted_by_its_symbols(workplace):
    built(workplace, flags="-O1")

    _, (run,) = count(workplace, "./program", "{n}", options=CALLGRIND)

    assert set(counts(run)) == {"main", "work", "tree"}


@needs_valgrind
def test_instructions_of_processes_add_up(workplace, openmpi):
    built(workplace)

    done, runs = count(
        workplace,
        "./program",
        "{n}",
        options=[
            *(*CALLGRIND, "-p", "1,2", "--by", "rank"),
            *("--mpiexec", str(openmpi.mpiexec)),
        ],
    )

    assert done.exit_code == 0, done.output
    one, two = map(counts, runs)
    assert two["work"] == 2 * one["work"]
    assert counts(runs[1], "count_max")["work"] == one["work"]


@needs_valgrind
def test_program_that_fails_has_counted_nothing(workplace):
    built(workplace, SOURCE.replace("work(atol", "abort(); work(atol"))

    done, (run,) = count(workplace, "./program", "{n}", options=CALLGRIND)

    assert done.exit_code == 4
    assert "killed by signal 6" in reason(run)


def test_valgrind_that_is_missing_is_named_before_anything_runs(
    workplace, monkeypatch, tmp_path
):
    built(workplace)
    monkeypatch.setenv("PATH", str(tmp_path))

    done = CliRunner().invoke(
        main,
        ["count", "--commit", "v1", "--set", "n=1", *CALLGRIND, "--", "./program"],
    )

    assert done.exit_code == 4
    assert done.stderr.endswith(SAID["no valgrind"])
