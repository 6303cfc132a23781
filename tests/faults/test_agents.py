"""What the bench itself counts, when an agent is killed at the wrong moment."""

from benchmarks.faults.agent import note
from benchmarks.faults.agents import Agents, put
from benchmarks.faults.inputs import uuid_of

SEED = 5


def test_a_run_is_counted_that_its_agent_was_killed_after(tmp_path):
    agents = Agents(tmp_path, "http://127.0.0.1:9", SEED)
    for number, folder in enumerate(agents.folders):
        put(folder, agents.server, SEED, number, 3 if number == 1 else 2)
        note(folder, 2)  # agent 1 was killed before it noted its third run

    agents.__exit__()

    assert agents.measured() == [2, 3, 2, 2]


def test_no_run_is_counted_that_was_never_spooled(tmp_path):
    agents = Agents(tmp_path, "http://127.0.0.1:9", SEED)
    for folder in agents.folders:
        folder.mkdir()

    agents.__exit__()

    assert agents.measured() == [0, 0, 0, 0]
    assert uuid_of(SEED, 0, 0) not in agents.acknowledged()
