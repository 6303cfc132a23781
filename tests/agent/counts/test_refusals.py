"""What cannot be counted: each job ends as a failed run with one clear sentence."""

import os
import shutil
import struct
import subprocess

import pytest

from scalewatch.wire import Location
from scalewatch_agent.counts.regions import Region, Uncountable, results
from support.agent_sentences import COUNTS as SAID
from support.counting import compiled, count, reason

GOOD = (
    "#include <stdlib.h>\n#include <unistd.h>\n#include <signal.h>\n"
    "static volatile long sink;\n"
    "static void work(long n) { for (long i = 0; i < n; i++) sink += i; }\n"
    "int main(int c, char **words) { work(atol(words[1])); %s return 0; }\n"
)


def written(folder, end="", name="program.c"):
    (folder / name).write_text(GOOD % end)
    return name


def counted_in_vain(folder, *options):
    done, (run,) = count(folder, "./program", "{n}", options=options)
    assert done.exit_code == 4, done.output
    return reason(run)


def test_program_that_was_not_compiled_to_count(workplace):
    compiled(workplace, written(workplace), flags="-O2")

    why = counted_in_vain(workplace)

    assert why.startswith(SAID["not instrumented"])


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("abort();", "program was killed by signal 6"),
        ("kill(getpid(), 9);", "program was killed by signal 9"),
        ("exit(3);", "program ended with exit code 3"),
        ("_exit(0);", "no counts were written"),
    ],
)
def test_program_that_does_not_end_well_has_counted_nothing(workplace, end, words):
    compiled(workplace, written(workplace, end))

    assert words in counted_in_vain(workplace)


def test_source_that_has_changed_since_it_was_compiled(workplace):
    compiled(workplace, written(workplace))
    later = (workplace / "program.gcno").stat().st_mtime + 10
    os.utime(workplace / "program.c", (later, later))

    why = counted_in_vain(workplace)

    assert why.endswith(SAID["changed source"])


def test_source_that_has_moved(workplace):
    compiled(workplace, written(workplace))
    (workplace / "program.c").rename(workplace / "other.c")

    assert SAID["moved source"] in counted_in_vain(workplace)


def test_program_of_another_build(workplace):
    compiled(workplace, written(workplace))
    (workplace / "program").rename(workplace / "before")
    compiled(workplace, written(workplace, "work(3);"))
    (workplace / "before").replace(workplace / "program")

    assert SAID["another build"] in counted_in_vain(workplace)


def test_counters_that_lie_there_from_before_count_for_nothing(workplace):
    compiled(workplace, written(workplace))
    for _ in range(2):
        subprocess.run(["./program", "1000"], check=True)
    assert list(workplace.glob("*.gcda"))

    done, (run,) = count(workplace, "./program", "{n}")

    assert done.exit_code == 0
    loop = next(one for one in run["results"] if one["region"] == "work › loop 1")
    assert loop["values"] == [4]


def test_notes_that_are_not_there(workplace):
    compiled(workplace, written(workplace))
    (workplace / "program.gcno").unlink()

    why = counted_in_vain(workplace)

    assert SAID["no notes"] in why


@pytest.mark.parametrize("version", [b"A83*", b"A47*"])
def test_gcc_that_is_too_old(workplace, version):
    compiled(workplace, written(workplace))
    notes = workplace / "program.gcno"
    content = notes.read_bytes()
    (number,) = struct.unpack(">I", version)
    notes.write_bytes(content[:4] + struct.pack("=I", number) + content[8:])

    assert SAID["old gcc"] in counted_in_vain(workplace)


@pytest.mark.parametrize("left", [10, 200])
def test_notes_that_are_cut_off(workplace, left):
    compiled(workplace, written(workplace))
    notes = workplace / "program.gcno"
    notes.write_bytes(notes.read_bytes()[:left])

    assert counted_in_vain(workplace).endswith("build again")


def test_two_programs_in_one_job(workplace):
    for name in ("one", "two"):
        compiled(workplace, written(workplace, name=f"{name}.c"), name=name)
    script = workplace / "program"
    script.write_text("#!/bin/sh -e\n./one $1\n./two $1\n")
    script.chmod(0o755)

    assert counted_in_vain(workplace) == (SAID["two programs"])


def test_threads_without_atomic_counters(workplace):
    source = (
        "#include <pthread.h>\nstatic void *idle(void *none) { return none; }\n" + GOOD
    )
    thread = "pthread_t t; pthread_create(&t, 0, idle, 0); pthread_join(t, 0);"
    (workplace / "program.c").write_text(source % thread)
    flags = "-O2 -g --coverage"  # with -pthread, gcc counts atomically by itself
    compiled(workplace, "program.c", flags=flags)

    why = counted_in_vain(workplace)

    assert why.startswith(SAID["threads"])


def test_sources_that_lie_elsewhere(workplace, tmp_path, monkeypatch):
    compiled(workplace, written(workplace))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(workplace / "program", elsewhere)
    monkeypatch.chdir(elsewhere)

    assert counted_in_vain(elsewhere) == (SAID["sources elsewhere"])
    done, (run,) = count(
        elsewhere, "./program", "{n}", options=["--source", str(workplace)]
    )
    assert (done.exit_code, len(run["results"])) == (0, 3)


def test_counts_beyond_what_numbers_tell():
    region = Region("work", Location(file="work.c", line=1), 2**53 + 1)

    with pytest.raises(Uncountable, match="up to which numbers are exact"):
        results([region])
