"""Jobs that SMPI simulates: `scalewatch-agent run --launcher smpi`."""

import shutil
import tempfile

import pytest

from support.agent_sentences import EXPERIMENTS as SAID
from support.experiments import reasons, run
from support.simgrid import needs_simgrid, simulated

pytestmark = needs_simgrid


def test_simulated_run_says_so_by_its_machine_and_where_it_comes_from(folder, receiver):
    done = run(simulated(folder), receiver.url, "--platform", "torus")

    assert done.exit_code == 0, done.output
    machine = receiver.runs[0]["machine"]
    assert machine["name"] == "torus (simulated)"
    assert machine["provenance"].startswith(SAID["simulated"])
    assert SAID["torus"] in machine["provenance"]
    assert machine["fingerprint"]["hosts"] == 4096
    assert receiver.runs[0]["configuration"] == {"computation": "none"}
    assert [run["job"]["nodes"] for run in receiver.runs] == [4, 64]
    procedure = receiver.runs[1]["results"][0]["procedure"]
    assert procedure["oversubscribed"] is False


def test_named_machine_is_still_called_simulated(folder, receiver):
    done = run(simulated(folder), receiver.url, "--machine", "jureca")

    assert done.exit_code == 0, done.output
    assert {run["machine"]["name"] for run in receiver.runs} == {"jureca (simulated)"}


@pytest.mark.parametrize(
    ("platform", "p"),
    [
        ("torus", 1024),
        ("fat-tree", 64),
        ("dragonfly", 64),
        pytest.param("fat-tree", 1024, marks=pytest.mark.thorough),
        pytest.param("dragonfly", 1024, marks=pytest.mark.thorough),
    ],
)
def test_program_without_mpi_library_runs_at_up_to_a_thousand_processes(
    platform, p, folder, receiver
):
    path = simulated(folder, parameters={"p": [p]})

    done = run(path, receiver.url, "--platform", platform)

    assert done.exit_code == 0, done.output
    time, messages = receiver.runs[0]["results"]
    assert messages["values"] == [p]
    assert 1e-5 < time["values"][0] < 0.1
    assert receiver.runs[0]["machine"]["name"] == f"{platform} (simulated)"


def test_same_simulation_without_computation_takes_the_same_time(folder, receiver):
    done = run(simulated(folder, repeats=2), receiver.url)

    assert done.exit_code == 0, done.output
    times = [run["results"][0]["values"] for run in receiver.runs]
    assert times[:2] == times[2:]


WORK = r"""
#include <mpi.h>
#include <stdio.h>
int main(int count, char **words)
{
    MPI_Init(&count, &words);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    volatile double x = 0;
    for (int i = 0; i < 20000000; i++) x += i;
    MPI_Barrier(MPI_COMM_WORLD);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!rank) printf("took %.9g s in 1 steps\n", MPI_Wtime() - start);
    MPI_Finalize();
    return 0;
}
"""


def test_computation_takes_its_time_here_scaled_by_the_speed_of_this_host(
    folder, receiver
):
    """A platform's hosts do 10 Gf, so that ten times the speed takes ten times."""
    path = simulated(
        folder, WORK, parameters={"p": [2], "speed": ["1Gf", "10Gf"]}, repeats=1
    )
    measured = "launcher: {kind: smpi, computation: measured, host_speed: SPEED}"
    times = []
    text = path.read_text()
    for speed in ("10Gf", "100Gf", "auto"):
        path.write_text(
            text.partition("launcher:")[0] + measured.replace("SPEED", speed) + "\n"
        )
        done = run(path, receiver.url, "--set", "speed=1Gf", "--fresh")
        assert done.exit_code == 0, done.output
        times.append(receiver.runs[-1]["results"][0]["values"][0])

    assert 4 < times[1] / times[0] < 25
    assert times[2] > 0
    assert receiver.runs[-1]["job"]["environment"]["host speed"].endswith("Gf")
    assert receiver.runs[-1]["configuration"]["computation"] == "measured"


ALLREDUCE = r"""
#include <mpi.h>
#include <stdio.h>
int main(int count, char **words)
{
    static int ones[4096], sums[4096];
    int rank;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double start = MPI_Wtime();
    MPI_Allreduce(ones, sums, 4096, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (!rank) printf("took %.9g s in 1 steps\n", MPI_Wtime() - start);
    MPI_Finalize();
    return 0;
}
"""


def test_algorithm_of_a_collective_decides_what_it_costs(folder, receiver):
    path = simulated(
        folder,
        ALLREDUCE,
        parameters={"p": [64]},
        launcher={"platform": "fat-tree"},
    )

    for algorithm in ("rdb", "lr"):
        done = run(path, receiver.url, "--collective", f"allreduce={algorithm}")
        assert done.exit_code == 0, done.output

    tree, ring = receiver.runs
    assert tree["configuration"]["allreduce"] == "rdb"
    assert ring["configuration"]["allreduce"] == "lr"
    assert ring["results"][0]["values"][0] > 5 * tree["results"][0]["values"][0]


@pytest.mark.skipif(
    shutil.which("gfortran") is None, reason="no gfortran: apt-get install gfortran"
)
def test_fortran_is_simulated_too(folder, receiver):
    code = """
program main
  use mpi
  integer :: error, p, rank
  call MPI_Init(error)
  call MPI_Comm_size(MPI_COMM_WORLD, p, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 0) print '(A, I0, A)', 'took 1 s in ', p, ' steps'
  call MPI_Finalize(error)
end program
"""
    path = simulated(
        folder,
        code,
        "hello.f90",
        compile="{mpif90} -o program {experiment}/hello.f90",
    )

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert [run["results"][1]["values"] for run in receiver.runs] == [[4], [64]]


DEADLOCK = r"""
#include <mpi.h>
#include <stdio.h>
int main(int count, char **words)
{
    int rank, token;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank) printf("took 1 s in 1 steps\n");
    else MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
"""


def instead_of_receiving(statement):
    return DEADLOCK.replace("else MPI_Recv", f"else {statement}; if (0) MPI_Recv")


ABORT = instead_of_receiving(
    '{ fprintf(stderr, "no mesh\\n"); MPI_Abort(MPI_COMM_WORLD, 3); }'
)
CRASH = instead_of_receiving("*(volatile int *) 0 = 1")
HANG = instead_of_receiving("while (1) MPI_Wtime()")
HUNGRY = "#include <stdlib.h>\n#include <string.h>\n" + instead_of_receiving(
    "while (1) memset(malloc(1 << 24), 1, 1 << 24)"
)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (DEADLOCK, "deadlock: processes wait for messages"),
        (ABORT, "the program called MPI_Abort: no mesh"),
        (CRASH, "Segmentation fault"),
        (HANG, "time limit of 3 s reached"),
        (HUNGRY, "memory limit of 300 MB reached"),
    ],
    ids=["deadlock", "abort", "crash", "hang", "hungry"],
)
def test_what_fails_in_the_simulation_is_not_measured(code, reason, folder, receiver):
    limit = 3 if code is HANG else 60
    path = simulated(
        folder,
        code,
        parameters={"p": [2]},
        execute={"run": "{compile}/program", "processes": "p", "time_limit": limit},
        launcher={"memory_limit": "300 MB"},
    )

    done = run(path, receiver.url)

    assert done.exit_code == 4
    assert all(reason in why for why in reasons(receiver)), reasons(receiver)
    assert receiver.runs[0]["results"][0]["values"] == []


def test_program_not_built_for_smpi_is_named_as_the_reason(folder, receiver):
    path = simulated(
        folder,
        "int main(void) { return 0; }",
        compile="cc -o program {experiment}/ring.c",
    )

    done = run(path, receiver.url)

    assert done.exit_code == 4
    assert SAID["not for SMPI"] in reasons(receiver)[0]


def test_unknown_algorithm_is_told_with_the_known_ones(folder, receiver):
    done = run(simulated(folder), receiver.url, "--collective", "allreduce=best")

    assert done.exit_code == 4
    assert SAID["unknown algorithm"] in reasons(receiver)[0]
    assert "rdb" in reasons(receiver)[0]


def test_job_with_more_processes_than_hosts_starts_nothing(folder, receiver):
    (folder / "pair.xml").write_text(
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        '<platform version="4.1">'
        '<cluster id="pair" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps"'
        ' lat="1us"/></platform>'
    )
    path = simulated(folder, launcher={"platform": "pair.xml"})

    done = run(path, receiver.url)
    fits = run(path, receiver.url, "--set", "p=4")

    assert done.exit_code == 4
    assert SAID["few hosts"] in done.output
    assert fits.exit_code == 0, fits.output
    assert [run["machine"]["name"] for run in receiver.runs] == ["pair (simulated)"]


@pytest.mark.parametrize(
    ("platform", "content", "reason"),
    [
        ("ring", None, "write one of torus, fat-tree, dragonfly, or a FILE.xml"),
        ("none.xml", None, "No such file"),
        ("bad.xml", "<platform", "this is no XML"),
        ("empty.xml", "<platform/>", "it describes no hosts"),
    ],
)
def test_platform_that_is_none_is_refused(platform, content, reason, folder, receiver):
    if content is not None:
        (folder / platform).write_text(content)

    done = run(simulated(folder, launcher={"platform": platform}), receiver.url)

    assert done.exit_code == 4
    assert reason in done.output
    assert receiver.runs == []


@pytest.mark.parametrize(
    ("launcher", "reason"),
    [
        ({"host_speed": "fast"}, "write auto, or operations a second, as 10Gf"),
        ({"memory_limit": "much"}, "write a number and one of MB, MiB, GB, GiB"),
        ({"collectives": {"send": "rdb"}}, "launcher.collectives"),
    ],
)
def test_wrong_key_of_the_launcher_is_told_with_its_line(
    launcher, reason, folder, receiver
):
    done = run(simulated(folder, launcher=launcher), receiver.url)

    assert done.exit_code == 2
    assert reason in done.output
    assert "line " in done.output


def test_missing_simgrid_is_told_with_its_package(
    folder, receiver, tmp_path, monkeypatch
):
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))

    done = run(simulated(folder), receiver.url)

    assert done.exit_code == 4
    assert "apt-get install libsimgrid-dev" in done.output
    assert receiver.runs == []


def test_missing_compiler_is_told_with_its_package(
    folder, receiver, tmp_path, monkeypatch
):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("smpirun", "smpicc", "smpif90", "sh"):
        if program := shutil.which(name):
            (tools / name).symlink_to(program)
    monkeypatch.setenv("PATH", str(tools))

    done = run(simulated(folder), receiver.url)

    assert done.exit_code == 4
    assert SAID["no compiler"] in done.output
    assert "apt-get install gcc" in done.output


def test_argument_with_blanks_is_refused_where_smpirun_would_split_it(folder, receiver):
    execute = {"run": "{compile}/program 'two words'", "processes": "p"}

    done = run(simulated(folder, execute=execute), receiver.url)

    assert done.exit_code == 4
    assert "none with blanks" in reasons(receiver)[0]


def test_simulation_leaves_no_copies_of_the_program(
    folder, receiver, tmp_path, monkeypatch
):
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(copies))

    done = run(simulated(folder, CRASH), receiver.url)

    assert done.exit_code == 4
    assert list(copies.iterdir()) == []


def test_plan_counts_the_one_core_of_a_simulation(folder):
    execute = {"run": "{compile}/program", "processes": "p", "time_limit": 3600}
    path = simulated(folder, parameters={"p": [1024]}, execute=execute)

    plan = run(path, "http://127.0.0.1:9", "--dry-run")

    assert SAID["cost"] in plan.output
