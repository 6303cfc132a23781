import os
import sys
from pathlib import Path

import pytest

from scalewatch_agent.machine import physical_cores, processors
from scalewatch_agent.mpi.libraries import Library
from scalewatch_agent.mpi.mpiexec import Launcher, is_oversubscribed

CROWD = processors() + 1


def library(name="openmpi", version="5.0.11"):
    return Library(name, version, Path("/opt/mpi/bin/mpiexec"), Path("/opt/mpi/lib/l"))


def environment(name="openmpi", version="5.0.11", transport="shm", p=CROWD):
    launcher = Launcher(library(name, version), transport, crowded=True)
    return launcher.environment(p)


@pytest.mark.parametrize(("user", "allowed"), [(0, "1"), (1000, None)])
def test_root_may_start_processes_without_asking(user, allowed, monkeypatch):
    monkeypatch.delenv("OMPI_ALLOW_RUN_AS_ROOT", raising=False)
    monkeypatch.setattr(os, "geteuid", lambda: user)

    assert environment().get("OMPI_ALLOW_RUN_AS_ROOT") == allowed


@pytest.mark.parametrize(
    ("version", "variable"),
    [
        ("4.1.8", "OMPI_MCA_rmaps_base_oversubscribe"),
        ("5.0.11", "PRTE_MCA_rmaps_default_mapping_policy"),
    ],
)
def test_more_processes_than_cores_are_allowed_only_where_needed(version, variable):
    assert variable in environment(version=version, p=CROWD)
    assert variable not in environment(version=version, p=physical_cores())


@pytest.mark.parametrize(
    ("version", "transport", "layers"),
    [
        ("4.1.8", "shm", "self,vader"),
        ("5.0.11", "shm", "self,sm"),
        ("4.1.8", "tcp", "self,tcp"),
        ("5.0.11", "tcp", "self,tcp"),
    ],
)
def test_transport_of_open_mpi_is_the_chosen_one(version, transport, layers):
    variables = environment(version=version, transport=transport)

    assert variables["OMPI_MCA_btl"] == layers
    assert variables["OMPI_MCA_pml"] == "ob1"


def test_transport_of_intel_mpi_holds_for_collectives_too():
    variables = environment(name="impi-rt", transport="tcp")

    assert variables["FI_PROVIDER"] == "tcp"
    assert variables["I_MPI_COLL_INTRANODE"] == "pt2pt"
    assert environment(name="impi-rt")["I_MPI_FABRICS"] == "shm"


def test_transport_of_mpich_is_the_chosen_one():
    assert environment(name="mpich", transport="tcp")["MPIR_CVAR_NOLOCAL"] == "1"
    assert "MPIR_CVAR_NOLOCAL" not in environment(name="mpich", transport="shm")


@pytest.mark.parametrize(
    ("name", "version", "crowded", "level"),
    [
        ("openmpi", "5.0.11", True, "single"),
        ("openmpi", "5.0.11", False, "single"),
        ("mpich", "5.0.2", True, "multiple"),
        ("mpich", "5.0.2", False, "single"),
        ("mpich", "4.3.2", True, "single"),
        ("impi-rt", "2021.17", True, "single"),
    ],
)
def test_thread_level_lets_waiting_processes_yield(name, version, crowded, level):
    assert Launcher(library(name, version), "shm", crowded).thread_level == level


def test_configuration_is_one_for_all_jobs_of_a_sweep():
    launcher = Launcher(library(), "tcp", crowded=True)

    assert launcher.settings == {
        "thread_level": "single",
        "transport": "tcp",
        "yield_when_idle": True,
    }
    assert environment(p=2)["OMPI_MCA_mpi_yield_when_idle"] == "1"
    assert environment(p=CROWD)["OMPI_MCA_mpi_yield_when_idle"] == "1"


def test_job_runs_this_interpreter_with_the_library_it_is_given():
    launcher = Launcher(library(), "shm", crowded=False)

    assert launcher.command(4, "-m", "that") == [
        "/opt/mpi/bin/mpiexec",
        *("-n", "4", sys.executable, "-m", "that"),
    ]
    assert environment()["MPI4PY_LIBMPI"] == "/opt/mpi/lib/l"


def test_only_more_processes_than_processors_are_oversubscribed():
    assert not is_oversubscribed(processors())
    assert is_oversubscribed(CROWD)


def test_mpich_is_told_to_keep_processes_on_their_cores_where_there_are_enough():
    def command(name, processes):
        return Launcher(library(name), "shm", crowded=True).command(processes, "x.py")

    few = physical_cores()

    assert "-bind-to" in command("mpich", few)
    assert "-bind-to" not in command("mpich", few + 1)
    assert "-bind-to" not in command("openmpi", few)


@pytest.mark.parametrize(
    ("name", "version", "polls"),
    [
        ("mpich", "4.3.2", True),
        ("mpich", "5.0.2", False),
        ("openmpi", "4.1.8", False),
    ],
)
def test_libraries_that_never_yield_a_core_are_known(name, version, polls):
    assert library(name, version).polls is polls
