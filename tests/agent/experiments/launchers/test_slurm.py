"""`scalewatch-agent run --launcher slurm` against a real slurmctld and slurmd."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from scalewatch_agent.folders import libraries_folder
from scalewatch_agent.mpi.libraries import install_library
from support import slurm_cluster
from support.agent_sentences import EXPERIMENTS as SAID
from support.experiments import GOOD, experiment, run

MPICH = "mpich==5.0.2"
NOBODY = "http://127.0.0.1:9"
MPI = (
    "from mpi4py import MPI\n"
    "if MPI.COMM_WORLD.rank == 0:\n"
    "    print('took', MPI.COMM_WORLD.size, 's')\n"
)


@pytest.fixture(scope="module")
def cluster():
    if missing := slurm_cluster.missing_programs():
        pytest.skip(f"no {', '.join(missing)} here: {slurm_cluster.HOW}")
    # Sockets have short names, which pytest's own folders do not.
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder:
        cluster = slurm_cluster.Cluster(Path(folder))
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.stop()


@pytest.fixture
def folder(folder, cluster, monkeypatch):
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    return folder


def sweep(folder, code=GOOD, *, launcher=None, execute=None, **fields):
    """Write an experiment for the cluster, which names its machine itself."""
    program = {
        "run": "{python} {experiment}/program.py {p}",
        "processes": "p",
        "time_limit": 60,
    }
    return experiment(
        folder,
        code,
        execute=program | (execute or {}),
        launcher={"kind": "slurm", "poll": 0.2} | (launcher or {}),
        **{"machine": None} | fields,
    )


def reasons(receiver):
    return {
        run["coordinate"]["p"]: run["results"][0].get("reason") for run in receiver.runs
    }


def test_repeats_are_elements_of_an_array(folder, receiver):
    path = sweep(
        folder, repeats=2, launcher={"check_size": False}, execute={"threads": 2}
    )

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert len(receiver.runs) == 4
    jobs = {run["job"]["id"] for run in receiver.runs}
    assert len(jobs) == 4
    assert len({job.partition("_")[0] for job in jobs}) == 2
    for posted in receiver.runs:
        p = posted["coordinate"]["p"]
        job = posted["job"]
        assert job["scheduler"] == "slurm"
        assert job["started_at"] <= job["ended_at"]
        assert job["environment"]["SLURM_NTASKS"] == str(p)
        assert job["environment"]["SLURM_CPUS_PER_TASK"] == "2"
        assert job["environment"]["OMP_NUM_THREADS"] == "2"
        assert job["environment"]["SLURM_ARRAY_TASK_ID"] == str(
            job["environment"]["repeat"]
        )
        # srun starts the program in each process.
        assert posted["results"][0]["values"] == [2.5] * p
        assert posted["machine"]["name"] == "tiny"
        assert posted["machine"]["fingerprint"]["memory_bytes"] > 0


def test_processes_find_each_other_by_srun_with_mpich(folder, receiver):
    library = install_library(MPICH, libraries_folder({**os.environ, **home()}))
    path = sweep(
        folder,
        MPI,
        launcher={"mpiexec": str(library.mpiexec), "srun_mpi": "pmi2"},
    )

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    found = {
        run["coordinate"]["p"]: run["results"][0]["values"] for run in receiver.runs
    }
    assert found == {1: [1.0], 2: [2.0]}
    assert "MPICH" in receiver.runs[0]["machine"]["fingerprint"]["mpi"]


def test_each_repeat_of_an_array_leaves_a_trace_of_its_own(folder, receiver):
    library = install_library(MPICH, libraries_folder({**os.environ, **home()}))
    code = (
        "import os\n"
        "from mpi4py import MPI\n"
        "for _ in range(2 + int(os.environ['SLURM_ARRAY_TASK_ID'])):\n"
        "    MPI.COMM_WORLD.Barrier()\n"
    )
    path = sweep(
        folder,
        code,
        parameters={"p": [2]},
        repeats=2,
        execute={"trace": True},
        launcher={"mpiexec": str(library.mpiexec), "srun_mpi": "pmi2"},
    )

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    calls = {}
    for posted in receiver.runs:
        repeat = int(posted["job"]["environment"]["repeat"])
        assert posted["configuration"]["traced"] is True
        calls[repeat] = {
            (one["region"].rpartition(" ")[2], one["location"]["line"]): one["values"]
            for one in posted["results"]
            if one["metric"] == "calls" and one["region"].endswith("MPI_Barrier")
        }
    assert calls == {
        repeat: {("MPI_Barrier", 4): [2 * (2 + repeat)]} for repeat in calls
    }
    assert len(calls) == 2


def home():
    """Let libraries be kept between sessions, not in the folder of a test."""
    return {"SCALEWATCH_AGENT_HOME": ""}


def test_lonely_processes_are_no_measurement(folder, receiver, openmpi):
    path = sweep(
        folder,
        MPI,
        parameters={"p": [2]},
        launcher={"mpiexec": str(openmpi.mpiexec)},
    )

    done = run(path, receiver.url)

    assert done.exit_code == 4
    assert SAID["lonely processes"] in reasons(receiver)[2]


def test_open_mpi_starts_by_its_own_mpiexec(folder, receiver, openmpi):
    path = sweep(
        folder,
        MPI,
        parameters={"p": [2]},
        execute={
            "starter": "mpiexec",
            "environment": {"PRTE_MCA_ras": "^slurm", "PRTE_MCA_plm": "^slurm"},
        },
        launcher={
            "mpiexec": str(openmpi.mpiexec),
            "setup": "export PRTE_MCA_ras=^slurm PRTE_MCA_plm=^slurm",
        },
    )

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert receiver.runs[0]["results"][0]["values"] == [2.0]


def test_more_processes_than_the_cluster_has_are_recorded(folder, receiver):
    path = sweep(folder, parameters={"p": [64, 1]}, launcher={"check_size": False})

    done = run(path, receiver.url)

    assert done.exit_code == 4
    found = reasons(receiver)
    assert found[1] is None
    assert found[64].startswith(SAID["hopeless"])


def test_job_that_slurm_does_not_take_is_recorded(folder, receiver):
    path = sweep(
        folder, parameters={"p": [1]}, launcher={"options": ["--partition=nowhere"]}
    )

    done = run(path, receiver.url)

    assert done.exit_code == 4
    assert reasons(receiver)[1].startswith(SAID["refused"])


def test_failures_are_recorded_and_the_sweep_goes_on(folder, receiver):
    code = (
        "import sys, time\n"
        "if sys.argv[1] == '1':\n    sys.exit('error: no mesh')\n"
        "if sys.argv[1] == '2':\n    time.sleep(600)\n"
        f"{GOOD}\n"
    )
    path = sweep(
        folder,
        code,
        parameters={"p": [1, 2, 3]},
        execute={"time_limit": 3},
        launcher={"check_size": False},
    )

    done = run(path, receiver.url)

    assert done.exit_code == 4
    found = reasons(receiver)
    assert SAID["exit code"] in found[1]
    assert found[2].startswith(SAID["time limit"].format(3))
    assert found[3] is None


def test_job_that_loses_its_node_runs_on_another_one(folder, receiver, cluster):
    code = (
        "import os, pathlib, time\n"
        f"note = pathlib.Path({str(folder)!r}) / 'nodes'\n"
        "with note.open('a') as file:\n"
        "    file.write(os.environ['SLURMD_NODENAME'] + '\\n')\n"
        "if len(note.read_text().splitlines()) == 1:\n    time.sleep(600)\n"
        f"{GOOD}\n"
    )
    path = sweep(folder, code, parameters={"p": [1]}, launcher={"check_size": False})
    note = folder / "nodes"
    lost = "n1"
    process = agent(path, receiver.url)
    try:
        slurm_cluster.until(lambda: note.exists() and note.read_text(), "the job")
        lost = note.read_text().strip()
        # Drained, too: a node that answers would be back at once.
        for state in ("drain", "down"):
            update = (f"node={lost}", f"state={state}", "reason=test")
            cluster.ask("scontrol", "update", *update)
        slurm_cluster.until(lambda: requeued(cluster), "the job to be requeued")
        for job in requeued(cluster):
            # Slurm would wait for minutes.
            cluster.ask("scontrol", "update", f"jobid={job}", "starttime=now")
        _, complaint = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
        cluster.ask("scontrol", "update", f"node={lost}", "state=resume")

    assert process.returncode == 0, complaint
    first, second = note.read_text().split()
    assert first != second
    (posted,) = receiver.runs
    assert posted["results"][0]["values"] == [2.5]
    assert posted["job"]["environment"]["SLURM_RESTART_COUNT"] == "1"


def requeued(cluster):
    """Return the jobs that wait for another node."""
    lines = cluster.ask("squeue", "--noheader", "--format=%A %r").stdout.splitlines()
    return [line.split()[0] for line in lines if line.endswith("BeginTime")]


def agent(path, server):
    return subprocess.Popen(
        [sys.executable, "-m", "scalewatch_agent", "run", path, "--server", server],
        env=os.environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_jobs_that_outlive_the_agent_are_collected_by_the_next_one(
    folder, receiver, cluster
):
    go = folder / "go"
    code = (
        "import pathlib, time\n"
        f"while not pathlib.Path({str(go)!r}).exists(): time.sleep(0.05)\n"
        f"{GOOD}\n"
    )
    path = sweep(folder, code, parameters={"p": [1]}, launcher={"check_size": False})
    first = agent(path, NOBODY)
    journal = folder / "sweep.sweep" / "journal.jsonl"
    slurm_cluster.until(
        lambda: journal.exists() and "submitted" in journal.read_text(), "the job"
    )
    first.kill()
    first.communicate(timeout=30)
    before = known_jobs(cluster)
    go.touch()

    done = run(path, receiver.url)

    assert done.exit_code == 0, done.output
    assert receiver.runs[0]["results"][0]["values"] == [2.5]
    assert known_jobs(cluster) == before


def known_jobs(cluster):
    return set(
        cluster.ask(
            "squeue", "--noheader", "--states=all", "--format=%A"
        ).stdout.split()
    )


def test_missing_slurm_is_one_clear_line(folder, nobody, monkeypatch):
    path = sweep(folder, launcher={"check_size": False}, machine="here")
    monkeypatch.setenv("PATH", str(folder))

    done = run(path, nobody)

    assert done.exit_code == 4
    assert SAID["no Slurm"] in done.stderr
