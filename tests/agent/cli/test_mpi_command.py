import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from scalewatch.wire import RunReport
from scalewatch_agent.cli import main, mpi
from scalewatch_agent.delivery.spool import Spool, SpooledRun
from scalewatch_agent.machine import processors
from scalewatch_agent.mpi.libraries import Library
from scalewatch_agent.suite.suites import RUNTIME
from support.agent_sentences import CLI as SAID

QUICK = ("--repetitions", "5", "--warm-ups", "2", "--budget", "1")
FEWER = ("--budget", "0.1")
"""Where any number of repetitions will do: beside other work each waits for a turn."""


def measure(library, server, *arguments):
    options = ["mpi", "--mpiexec", str(library.mpiexec), "--server", server, *QUICK]
    return CliRunner().invoke(main, [*options, *arguments])


def broken_for_three(library, folder):
    """Return an mpiexec beside the same library that fails for three processes."""
    (folder / "bin").mkdir()
    (folder / "lib").symlink_to(library.mpiexec.parents[1] / "lib")
    mpiexec = folder / "bin" / "mpiexec"
    mpiexec.write_text(
        "#!/bin/sh\n"
        'if [ "$2" = 3 ]; then echo "Error: node lost" >&2; exit 9; fi\n'
        f'exec {library.mpiexec} "$@"\n'
    )
    mpiexec.chmod(0o755)
    return mpiexec


def test_sweep_posts_a_run_per_process_count(openmpi, receiver, spool_folder):
    done = measure(openmpi, receiver.url, "-p", f"1,2,{processors() + 1}")

    assert done.exit_code == 0, done.output
    runs = [RunReport.model_validate_json(json.dumps(run)) for run in receiver.runs]
    assert [run.coordinate["p"] for run in runs] == [1, 2, processors() + 1]
    assert {run.project for run in runs} == {"openmpi"}
    assert {run.commit.tag for run in runs} == {"v5.0.11"}
    assert len({json.dumps(run.configuration) for run in runs}) == 1
    for run in runs:
        assert tuple(result.region for result in run.results) == RUNTIME.regions
        assert {result.status for result in run.results} == {"ok"}
        assert {len(result.values) for result in run.results} == {5}
        assert min(min(result.values) for result in run.results) > 0
    crowded = [result.procedure for result in runs[-1].results]
    assert {procedure.synchronisation for procedure in crowded} == {"barrier"}
    assert {procedure.loop for procedure in crowded} == {runs[0].configuration["loop"]}
    assert all(procedure.timer_overhead > 0 for procedure in crowded)
    assert all(procedure.oversubscribed for procedure in crowded)
    assert not any(result.procedure.oversubscribed for result in runs[0].results)
    assert list(Spool(spool_folder).pending()) == []
    assert "MPI_Alltoall" in done.stdout


@pytest.mark.usefixtures("spool_folder")
def test_message_sizes_are_swept(openmpi, receiver):
    options = ("-p", "2", "--message-bytes", "8,1024", "--regions", "MPI_Bcast")

    done = measure(openmpi, receiver.url, *options)

    assert done.exit_code == 0, done.output
    sizes = [run["configuration"]["message_bytes"] for run in receiver.runs]
    assert sizes == [8, 1024]
    assert {run["coordinate"]["p"] for run in receiver.runs} == {2}


@pytest.mark.usefixtures("spool_folder")
def test_memory_suite_counts_what_constructors_allocate(openmpi, receiver):
    options = ("--suite", "memory", "-p", "1,2,4", "--repetitions", "2")

    done = measure(openmpi, receiver.url, *options)

    assert done.exit_code == 0, done.output
    runs = [RunReport.model_validate_json(json.dumps(run)) for run in receiver.runs]
    assert {run.suite for run in runs} == {"mpi-memory"}
    dup = {
        run.coordinate["p"]: set(result.values)
        for run in runs
        for result in run.results
        if (result.region, result.metric) == ("MPI_Comm_dup", "memory")
    }
    # A list of processes, 8 bytes each, beside what does not depend on their number.
    assert dup == {p: {8580 + 8 * p} for p in (2, 4)} | {1: dup[1]}
    for run in runs:
        of_mpi = {
            result.metric: result.values[0]
            for result in run.results
            if result.region == "MPI memory"
        }
        assert of_mpi["memory"] > 100_000
        assert (
            max(of_mpi["anonymous memory"], of_mpi["shared memory"])
            <= (of_mpi["memory"])
        )


@pytest.mark.usefixtures("spool_folder")
def test_operations_on_request_are_measured_in_their_own_metrics(openmpi, receiver):
    done = measure(openmpi, receiver.url, "-p", "2", "--regions", "all", *FEWER)

    assert done.exit_code == 0, done.output
    (run,) = (RunReport.model_validate_json(json.dumps(run)) for run in receiver.runs)
    found = {result.region: (result.metric, result.unit) for result in run.results}
    assert list(found) == [*RUNTIME.regions, *RUNTIME.more]
    assert all(found[region] == RUNTIME.measured_of(region) for region in found)
    better = {result.metric: result.better for result in run.results}
    assert better == {"time": "lower", "overlap": "higher", "bandwidth": "higher"}


@pytest.mark.usefixtures("spool_folder")
def test_sorting_is_a_project_of_its_own_and_fails_only_where_it_has_to(
    openmpi, receiver
):
    done = measure(openmpi, receiver.url, "--suite", "sorting", "-p", "2,3", *FEWER)

    assert done.exit_code == 4  # a network of three
    two, three = (
        RunReport.model_validate_json(json.dumps(run)) for run in receiver.runs
    )
    assert (two.project, two.suite) == ("scalewatch-sorting", "sorting")
    assert two.machine.fingerprint["mpi"] == "Open MPI 5.0.11"
    assert {result.status for result in two.results} == {"ok"}
    assert [result.status for result in three.results] == ["ok", "ok", "failed"]
    assert three.results[-1].reason == SAID["power of two"]


@pytest.mark.usefixtures("spool_folder")
def test_sweep_over_tcp_is_another_machine(openmpi, receiver):
    options = ("-p", "2", "--transport", "tcp", "--regions", "MPI_Bcast")

    done = measure(openmpi, receiver.url, *options)

    assert done.exit_code == 0, done.output
    (run,) = receiver.runs
    assert run["machine"]["name"].endswith("-tcp")
    assert run["machine"]["fingerprint"]["interconnect"] == "TCP over loopback"
    assert run["configuration"]["transport"] == "tcp"


def test_runs_stay_on_disk_while_the_server_is_away_and_are_replayed(
    openmpi, receiver, nobody, spool_folder
):
    done = measure(openmpi, nobody, "-p", "1,2", "--regions", "MPI_Barrier")

    assert done.exit_code == 3
    kept = [SpooledRun.read(path).run for path in Spool(spool_folder).pending()]
    assert [run["coordinate"] for run in kept] == [{"p": 1}, {"p": 2}]
    last = done.stderr.splitlines()[-1]
    assert nobody in last
    assert str(spool_folder) in last

    replay = ["spool", "replay", "--server", receiver.url]
    assert CliRunner().invoke(main, replay).exit_code == 0
    assert receiver.runs == kept


@pytest.mark.usefixtures("spool_folder")
def test_sweep_for_programs_prints_json_alone(openmpi, receiver):
    options = ("-p", "1", "--regions", "MPI_Barrier", "--json")

    done = measure(openmpi, receiver.url, *options)

    (line,) = done.stdout.splitlines()
    summary = json.loads(line)
    assert summary["id"] == receiver.runs[0]["id"]
    assert (summary["p"], summary["state"]) == (1, "delivered")
    (result,) = summary["results"]
    assert (result["region"], result["repetitions"]) == ("MPI_Barrier", 5)


@pytest.mark.usefixtures("spool_folder")
def test_failed_job_is_posted_with_its_reason_and_the_sweep_goes_on(
    openmpi, receiver, tmp_path
):
    mpiexec = broken_for_three(openmpi, tmp_path)
    options = ("-p", "3,2", "--regions", "MPI_Bcast", "--mpiexec", str(mpiexec))

    done = measure(openmpi, receiver.url, *options)

    assert done.exit_code == 4
    failed, fine = (run["results"][0] for run in receiver.runs)
    assert failed["status"] == "failed"
    assert failed["reason"] == SAID["node lost"]
    assert fine["status"] == "ok"


@pytest.mark.usefixtures("spool_folder")
def test_hanging_job_is_posted_as_failed(openmpi, receiver):
    options = ("--repetitions", "1000000000", "--budget", "600", "--time-limit", "3")

    done = measure(openmpi, receiver.url, "-p", "2", "--regions", "MPI_Bcast", *options)

    assert done.exit_code == 4
    (result,) = receiver.runs[0]["results"]
    assert result["reason"].startswith(SAID["time limit"].format(2))


@pytest.mark.usefixtures("spool_folder")
def test_without_an_mpi_nothing_is_measured_whatever_is_known_of_the_commit(
    receiver, tmp_path
):
    missing = tmp_path / "mpiexec"
    subject = ("--project", "mylib", "--commit", "abc", "--mpiexec", str(missing))

    done = CliRunner().invoke(
        main, ["mpi", "-p", "2", "--server", receiver.url, *subject]
    )

    assert done.exit_code == 4
    assert done.stderr.startswith(f"Error: no program at {missing}: load an MPI module")
    assert receiver.runs == []


@pytest.mark.usefixtures("spool_folder")
def test_library_is_part_of_the_machine_where_something_else_is_measured(
    openmpi, receiver
):
    subject = ("--project", "mylib", "--commit", "abc", "--parent", "abb")

    measure(openmpi, receiver.url, "-p", "1", "--regions", "MPI_Barrier", *subject)

    (run,) = receiver.runs
    assert run["machine"]["fingerprint"]["mpi"] == "Open MPI 5.0.11"
    assert run["commit"] == {"sha": "abc", "parents": ["abb"]}


def test_library_that_polls_is_timed_only_where_each_process_has_a_core(
    spool_folder, nobody, monkeypatch
):
    monkeypatch.setenv("SCALEWATCH_SERVER", nobody)
    polling = Library("mpich", "4.3.2", Path("/no/such/mpiexec"))
    monkeypatch.setattr(mpi, "library_of", lambda *_: polling)
    crowded = str(processors() + 1)

    refused = CliRunner().invoke(main, ["mpi", "-p", crowded])
    shortened = CliRunner().invoke(main, ["mpi", "-p", f"1,{crowded}"])
    memory = CliRunner().invoke(main, ["mpi", "-p", crowded, "--suite", "memory"])

    assert refused.exit_code == 2
    assert "waits by polling" in refused.stderr
    assert f"Left out: p = {crowded}." in shortened.stderr
    assert "Left out" not in memory.stderr
    kept = [
        SpooledRun.read(path).run["coordinate"]
        for path in Spool(spool_folder).pending()
    ]
    assert kept == [{"p": 1}, {"p": int(crowded)}]


def usable(monkeypatch, cores):
    """Let this process use so many cores of the machine, as far as it asks."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))


@pytest.mark.usefixtures("spool_folder")
def test_unless_told_times_are_measured_up_to_the_cores(openmpi, receiver, monkeypatch):
    usable(monkeypatch, 2)

    done = measure(openmpi, receiver.url, "--regions", "MPI_Barrier")

    assert done.exit_code == 0, done.output
    assert [run["coordinate"]["p"] for run in receiver.runs] == [2]
    assert SAID["few settings"] in done.stderr
    assert "share the 2 cores" in done.stderr


@pytest.mark.usefixtures("spool_folder")
def test_one_core_has_no_times_to_measure_unasked(openmpi, receiver, monkeypatch):
    usable(monkeypatch, 1)

    done = measure(openmpi, receiver.url)

    assert done.exit_code == 2
    assert SAID["one core"] in done.stderr
    assert receiver.runs == []
