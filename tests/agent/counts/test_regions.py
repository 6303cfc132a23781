"""What is a region of a program that gcc has compiled, and what it counts."""

import gzip
import json
import subprocess
from pathlib import Path

import pytest

from scalewatch_agent.counts.gcov.gcov import FLAGS
from support.counting import compiled, count, counted, counts

EXAMPLES = Path(__file__).parents[3] / "examples" / "count"
MAIN = "int main(int c, char **w) { return work(atoi(w[1])) < 0; }\n"
HEAD = "#include <stdlib.h>\n"


def test_function_and_loops_are_named_in_the_order_of_the_source(workplace):
    source = HEAD + (
        "static int deep(int n) {\n"
        "    int s = 0;\n"
        "    for (int i = 0; i < n; i++)\n"
        "        for (int j = 0; j < 3; j++) s += j;\n"
        "    while (n > 1) n /= 2;\n"
        "    return s + n;\n"
        "}\n"
        "static int work(int n) { return deep(n) + deep(n); }\n"
    )

    found = counted(workplace, source + MAIN, n=8)

    assert found == {
        "deep": 2,
        "deep › loop 1": 16,
        "deep › loop 2": 48,
        "deep › loop 3": 6,
        "work": 1,
        "main": 1,
    }


@pytest.mark.parametrize(
    ("loop", "rounds"),
    [
        ("for (int i = 0; i < n; i++) s += i;", 5),
        ("for (int i = 0; i < n; i++)\n s += i;", 5),
        ("for (int i = 0; i < n && s < 100; i++)\n s += i;", 5),
        ("for (int i = 0; i < n; i++) {\n if (i == 2)\n break;\n s += i;\n}", 3),
        ("for (int i = 0; i < n; i++) {\n if (i % 2)\n continue;\n s += i;\n}", 5),
        ("do s++; while (--n > 0);", 5),
        ("do {\n s++;\n if (s == 3)\n break;\n } while (--n > 0);", 3),
        ("for (;;) {\n if (++s == n)\n break;\n}", 5),
        ("again: if (s++ < n) goto again;", 5),
    ],
)
@pytest.mark.parametrize("level", ["-O0", "-O2", "-O3"])
def test_loop_counts_the_rounds_that_begin(workplace, loop, rounds, level):
    source = f"{HEAD}static int work(int n) {{\n int s = 0;\n{loop}\nreturn s;\n}}\n"

    found = counted(workplace, source + MAIN, n=5, flags=f"{level} {FLAGS}")

    assert found["work › loop 1"] == rounds


def test_line_that_moves_keeps_its_region(workplace):
    work = "static int work(int n) {\n while (n > 0)\n n--;\n return n;\n}\n"
    lines = []
    for moved in ("", "\n\n/* a comment */\n"):
        (workplace / "program.c").write_text(HEAD + moved + work + MAIN)
        compiled(workplace, "program.c")
        _, (run,) = count(workplace, "./program", "{n}")
        loop = next(one for one in run["results"] if one["region"] == "work › loop 1")
        assert loop["location"]["file"] == "program.c"
        assert loop["location"]["function"] == "work"
        lines.append(loop["location"]["line"])

    assert lines == [3, 6]


def test_recursion_counts_each_call_even_where_gcc_makes_a_loop_of_it(workplace):
    source = HEAD + (
        "static int sum(int n, int s) { return n ? sum(n - 1, s + n) : s; }\n"
        "static int work(int n) { return sum(n, 0); }\n"
    )

    assert counted(workplace, source + MAIN, n=9)["sum"] == 10


def test_static_functions_of_one_name_say_their_file(workplace):
    for number, name in enumerate("ab", start=1):
        (workplace / f"{name}.c").write_text(
            f"static int step(int n) {{ return n + {number}; }}\n"
            f"int {name}(int n) {{ for (int i = 0; i < {number}; i++) n = step(n);"
            " return n; }\n"
        )
    (workplace / "main.c").write_text(
        "int a(int), b(int);\nint main(void) { return a(1) + b(1) < 0; }\n"
    )
    compiled(workplace, "a.c", "b.c", "main.c")

    _, (run,) = count(workplace, "./program")

    found = counts(run)
    assert (found["step (a.c)"], found["step (b.c)"]) == (1, 2)


def test_function_of_a_header_adds_up_over_the_objects_that_hold_it(workplace):
    header = "static inline int twice(int n) { return 2 * n; }\n"
    (workplace / "twice.h").write_text(header)
    (workplace / "a.c").write_text(
        '#include "twice.h"\nint a(int n) { return twice(n) + twice(n); }\n'
    )
    (workplace / "main.c").write_text(
        '#include "twice.h"\nint a(int);\n'
        "int main(void) { return a(1) + twice(1) < 0; }\n"
    )
    compiled(workplace, "a.c", "main.c")

    _, (run,) = count(workplace, "./program")

    assert counts(run)["twice"] == 3


def test_instances_of_a_template_are_functions_of_their_own(workplace):
    source = (
        "#include <cstdlib>\n#include <vector>\n"
        "template <class T> T sum(const std::vector<T> &all) {\n"
        "    T s{};\n    for (const T &one : all) s += one;\n    return s;\n}\n"
        "struct Half { double y; double of(double x) const { return x / y; } };\n"
        "Half operator/(Half one, int by) { return {one.y / by}; }\n"
        "int main(int, char **words) {\n"
        "    std::size_t n = std::atoi(words[1]);\n"
        "    auto twice = [](double x) { return 2 * x; };\n"
        "    Half half = Half{2.0 * n} / 2;\n"
        "    return sum(std::vector<int>(n)) + sum(std::vector<double>(3 * n)) +\n"
        "           twice(half.of(1)) < 0;\n"
        "}\n"
    )

    found = counted(workplace, source, n=4, name="program.cpp", compiler="g++")

    instances = {name: value for name, value in found.items() if "sum<" in name}
    assert sorted(instances.values()) == [1, 1, 4, 12]
    assert any(name.startswith("operator∕(") for name in found)
    assert any("lambda" in name for name in found)
    assert not any("vector" in name.partition("(")[0] for name in found), found


def test_threads_that_count_atomically_lose_nothing(workplace):
    source = (
        "#include <pthread.h>\n#include <stdlib.h>\n"
        "static long rounds;\nstatic volatile long sink;\n"
        "static void *work(void *none) {\n"
        "    for (long i = 0; i < rounds; i++) sink = i;\n    return none;\n}\n"
        "int main(int c, char **words) {\n"
        "    pthread_t threads[4];\n    rounds = atol(words[1]);\n"
        "    for (int i = 0; i < 4; i++) pthread_create(threads + i, 0, work, 0);\n"
        "    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);\n"
        "    return c < 0;\n}\n"
    )

    found = counted(workplace, source, n=100_000, flags=f"-O2 -pthread {FLAGS}")

    assert found["work › loop 1"] == 400_000


def test_parallel_region_of_openmp_is_part_of_its_function(workplace):
    source = (
        HEAD + "static int work(int n) {\n int s = 0;\n"
        "#pragma omp parallel for reduction(+:s) num_threads(3)\n"
        " for (int i = 0; i < n; i++)\n  s += i;\n return s;\n}\n"
    )

    found = counted(workplace, source + MAIN, n=90, flags=f"-O2 -fopenmp {FLAGS}")

    assert found["work › parallel 1"] == 3
    assert found["work › parallel 1 › loop 1"] == 90


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_calls_agree_with_what_gcov_says(workplace, level):
    source = EXAMPLES / "kernels.c"
    compiled(workplace, str(source), flags=f"{level} {FLAGS}")
    subprocess.run(["./program", "quick", "64"], check=True, capture_output=True)
    (data,) = workplace.glob("*.gcda")
    command = ["gcov", "--json-format", data.name]
    subprocess.run(command, check=True, capture_output=True)
    (report,) = workplace.glob("*.gcov.json.gz")
    said = json.loads(gzip.decompress(report.read_bytes()))["files"][0]["functions"]

    options = ["--source", str(EXAMPLES)]
    _, (run,) = count(
        workplace, "./program", "quick", "{n}", settings=["n=64"], options=options
    )

    found = {name: value for name, value in counts(run).items() if "›" not in name}
    assert found == {
        one["name"]: one["execution_count"] for one in said if one["execution_count"]
    }


def test_calls_of_mpi_on_one_line_are_told_apart_where_they_can_be(workplace):
    source = HEAD + (
        "void MPI_Send(int), MPI_Recv(int), other(int);\n"
        "#define CHECK(call) call; if (n < 0) abort(), other(1)\n"
        "#define TWICE(n) other(n), MPI_Recv(n)\n"
        "static int work(int n) {\n"
        "    for (int i = 0; i < n; i++)\n"
        "        if (i < 2) MPI_Send(i); else MPI_Recv(i);\n"
        "    MPI_Send(n); MPI_Recv(n); // MPI_Recv(n);\n"
        "    if (n > 100) MPI_Send(1); other(n);\n"
        "    CHECK(MPI_Send(1));\n"
        "    MPI_Recv(1); TWICE(1);\n"
        "    return n;\n"
        "}\n"
    )
    (workplace / "mpi.c").write_text(
        "void MPI_Send(int n) {}\nvoid MPI_Recv(int n) {}\nvoid other(int n) {}\n"
    )
    subprocess.run(["gcc", "-c", "mpi.c"], check=True)

    found = counted(workplace, source + MAIN, n=9, flags=f"-O2 {FLAGS} mpi.o")

    assert {name: value for name, value in found.items() if "MPI" in name} == {
        "work › MPI_Send": 2,
        "work › MPI_Recv": 7,
        "work › MPI_Send 2": 1,
        "work › MPI_Recv 2": 1,
        "work › MPI_Send 3": 0,
        "work › MPI_Send 4": 1,
        "work › MPI_Recv 3": 1,
    }
