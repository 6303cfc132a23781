"""Things break under load; what was acknowledged is counted against what is stored."""

import random
import resource
import time
from datetime import timedelta

import httpx2
import pytest

from faults.agents import RESULTS, Agents
from support.servers.clocks import WallClock
from support.servers.composition import Composition
from support.servers.programs import NoProgram

HOUR = 3600

distributed = pytest.mark.parametrize("started", ["distributed"], indirect=True)
embedded = pytest.mark.parametrize("started", ["embedded"], indirect=True)


def assert_nothing_is_lost(agents, stored):
    """Every acknowledged run is there once, whole, and every job is done."""
    assert len(stored.runs) == len(set(stored.runs))
    assert agents.acknowledged <= set(stored.runs)
    assert set(stored.points.values()) == {RESULTS}
    assert set(stored.points) == set(stored.runs)
    assert set(stored.states) <= {"done", "superseded"}


def test_any_part_is_killed_at_any_moment(composition, thorough):
    draw = random.Random(None if thorough else 7)  # noqa: S311 - moments, no secrets
    rounds = 3 if thorough else 1

    with Agents(composition.base) as agents:
        agents.wait_for(3)
        for part in [*composition.parts] * rounds:
            time.sleep(draw.uniform(0, 1))
            composition.kill(part)
            time.sleep(draw.uniform(0, 1))
            composition.revive(part)
            agents.wait_for(3)

    assert_nothing_is_lost(agents, composition.finished())


@distributed
def test_posting_goes_on_and_pages_say_that_brokers_and_workers_are_down(composition):
    with Agents(composition.base) as agents:
        composition.kill("worker")
        composition.kill("broker")
        agents.wait_for(10)
        composition.let_jobs_wait(timedelta(minutes=6))
        pages = [
            httpx2.get(f"{composition.base}{path}", timeout=60)
            for path in ("/", "/p/mpich", "/status")
        ]
        composition.revive("broker")
        composition.revive("worker")

    assert agents.refusals == 0
    assert [page.status_code for page in pages] == [200, 200, 200]
    assert all("analysis is behind" in page.text.lower() for page in pages)
    assert_nothing_is_lost(agents, composition.finished())


@distributed
def test_emptied_broker_is_filled_again(composition):
    with Agents(composition.base) as agents:
        composition.kill("worker")
        agents.wait_for(10)
        composition.broker.empty()
    composition.revive("worker")

    assert_nothing_is_lost(agents, composition.finished())


@distributed
def test_worker_starts_anew_where_the_broker_refuses_to_write(composition):
    worker = composition.processes["worker"]
    with Agents(composition.base) as agents:
        agents.wait_for(3)
        with composition.broker.read_only():
            assert any("Working on" in line for line in worker.stdout)
        agents.wait_for(3)

    assert_nothing_is_lost(agents, composition.finished())
    assert worker.poll() is None


@distributed
def test_restarted_database_is_found_again(composition):
    with Agents(composition.base) as agents:
        agents.wait_for(3)
        composition.database.stop()
        composition.database.start()
        agents.wait_for(3)

    assert_nothing_is_lost(agents, composition.finished())


@distributed
def test_worker_that_hangs_is_replaced(composition):
    with Agents(composition.base) as agents:
        agents.wait_for(3)
        composition.freeze("worker")
        hanging = composition.processes.pop("worker")
        composition.start_command("worker")
        composition.processes["hanging"] = hanging

    assert_nothing_is_lost(agents, composition.finished())


@embedded
def test_full_disk_refuses_runs_and_loses_none(composition):
    """No file may grow any more, as where no block is left; reading goes on."""
    server = composition.processes["serve"].pid
    unlimited = resource.prlimit(server, resource.RLIMIT_FSIZE)
    with Agents(composition.base) as agents:
        agents.wait_for(3)
        resource.prlimit(server, resource.RLIMIT_FSIZE, (0, unlimited[1]))
        agents.wait_for_refusals(3)
        page = httpx2.get(f"{composition.base}/api/v1/projects", timeout=60)
        ready = httpx2.get(f"{composition.base}/readyz", timeout=60)
        resource.prlimit(server, resource.RLIMIT_FSIZE, unlimited)
        agents.wait_for(3)

    assert page.status_code == 200
    assert ready.status_code == 503
    assert "disk is full" in ready.json()["detail"]
    assert "disk is full" in agents.refusal
    assert_nothing_is_lost(agents, composition.finished())


@pytest.mark.thorough
def test_clock_that_is_set_by_an_hour_holds_up_no_analysis(tmp_path):
    try:
        clock = WallClock(tmp_path)
    except NoProgram as missing:
        pytest.skip(str(missing))
    composition = Composition(tmp_path, is_distributed=False, variables=clock.variables)
    try:
        composition.start()
        with Agents(composition.base) as agents:
            for seconds in (HOUR, -HOUR, -HOUR):
                agents.wait_for(3)
                clock.set_by(seconds)
                clock.wait_until_told_by(composition.base)
            agents.wait_for(3)

        assert_nothing_is_lost(agents, composition.finished())
    finally:
        composition.remove()
