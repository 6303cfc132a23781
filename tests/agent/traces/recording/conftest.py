import pytest

from scalewatch_agent.errors import AgentError
from scalewatch_agent.folders import libraries_folder
from scalewatch_agent.mpi.libraries import install_library

MPICH = "mpich==5.0.2"


@pytest.fixture(scope="session")
def mpich():
    try:
        return install_library(MPICH, libraries_folder())
    except AgentError as error:
        pytest.fail(f"tests of the recorder need both libraries, but {error}")


@pytest.fixture(params=["openmpi", "mpich"])
def library(request):
    return request.getfixturevalue(request.param)
