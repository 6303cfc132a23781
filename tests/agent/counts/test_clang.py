"""Counting with clang: the same regions as with gcc."""

import os

import pytest

from scalewatch_agent.counts.clang import FLAGS
from support import clang
from support.agent_sentences import COUNTS as SAID
from support.counting import compiled, count, counts, reason

pytestmark = pytest.mark.skipif(
    not clang.is_usable(), reason=f"no clang that can count: {clang.HOW}"
)

SOURCE = """
#include <stdlib.h>
#define ROUNDS(n) for (int i = 0; i < (n); i++)  /* not seen: for (;;) */
static const char *text = "while (1) { for (;;) }";
static int work(int n) {
    int s = 0; // for (;;)
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += j ^ text[0];
    while (n > 1) n /= 2;
    do { s++; } while (++n < 4);
    for (;;) {
        if (++s > 0)
            break;
    }
    return s;
}
int main(int c, char **words) { return work(atoi(words[1])) < c - 2; }
"""


def built(folder, source=SOURCE, name="program.c", flags=f"-O2 {FLAGS}"):
    (folder / name).write_text(source)
    compiled(folder, name, compiler=clang.COMPILER, flags=flags)


def counted_in_vain(folder, *options):
    done, (run,) = count(folder, "./program", "{n}", options=options)
    assert done.exit_code == 4, done.output
    return reason(run)


def test_functions_and_loops_are_those_of_gcc(workplace):
    built(workplace)
    _, (by_clang,) = count(workplace, "./program", "{n}", settings=["n=8"])
    compiled(workplace, "program.c")
    _, (by_gcc,) = count(workplace, "./program", "{n}", settings=["n=8"])

    assert counts(by_clang) == {
        "main": 1,
        "work": 1,
        "work › loop 1": 8,
        "work › loop 2": 64,
        "work › loop 3": 3,
        "work › loop 4": 3,
        "work › loop 5": counts(by_gcc)["work › loop 5"],
    }
    assert counts(by_gcc) == counts(by_clang)
    assert by_clang["configuration"] == {"counted_by": "clang", "optimisation": "-O2"}
    assert by_clang["job"]["environment"]["compiler"].startswith("clang version")
    places = [
        {one["region"]: one["location"] for one in run["results"]}
        for run in (by_clang, by_gcc)
    ]
    assert places[0]["work › loop 2"] == places[1]["work › loop 2"]


def test_counts_of_processes_add_up_and_are_told_by_rank(workplace, openmpi):
    built(workplace)
    done, runs = count(
        workplace,
        "./program",
        "{n}",
        options=["-p", "1,3", "--by", "rank", "--mpiexec", str(openmpi.mpiexec)],
    )

    assert done.exit_code == 0, done.output
    assert [counts(run)["work › loop 2"] for run in runs] == [16, 48]
    assert [counts(run, "count_max")["work › loop 2"] for run in runs] == [16, 16]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (SOURCE.replace("return work", "_Exit(0); return work"), "no counts were"),
        (SOURCE.replace("return work", "abort(); return work"), "by signal 6"),
        (
            "#include <pthread.h>\nstatic void *idle(void *none) { return none; }\n"
            + SOURCE.replace(
                "return work",
                "pthread_t t; pthread_create(&t, 0, idle, 0); return work",
            ),
            "the program has threads, which lose counts",
        ),
    ],
    ids=["no data", "killed", "threads"],
)
def test_program_that_does_not_count_well_is_refused(workplace, source, words):
    built(workplace, source)

    assert words in counted_in_vain(workplace, "--method", "clang")


def test_source_that_has_changed_since_it_was_compiled(workplace):
    built(workplace)
    source = workplace / "program.c"
    (workplace / "program").touch()

    later = (workplace / "program").stat().st_mtime + 10
    os.utime(source, (later, later))

    why = counted_in_vain(workplace)

    assert why.endswith(SAID["changed source"])


def test_two_programs_in_one_job(workplace):
    for name in ("one", "two"):
        more = f"int {name}(int n) {{ return n; }}\n"
        source = SOURCE + more * (name == "two")
        (workplace / f"{name}.c").write_text(source)
        compiled(
            workplace,
            f"{name}.c",
            compiler=clang.COMPILER,
            flags=f"-O2 {FLAGS}",
            name=name,
        )
    script = workplace / "program"
    script.write_text("#!/bin/sh -e\n./one $1\n./two $1\n")
    script.chmod(0o755)

    assert SAID["several programs"] in counted_in_vain(workplace, "--method", "clang")


def test_tool_that_is_missing_is_named(workplace, monkeypatch, tmp_path):
    built(workplace)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert counted_in_vain(workplace) == (SAID["no llvm"])
