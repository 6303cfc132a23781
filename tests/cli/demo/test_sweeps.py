import os

import pytest

from scalewatch.cli.demo.sweeps import RELEASES, DemoSweep, all_sweeps

POLLING, YIELDING = RELEASES[0], RELEASES[-1]


@pytest.fixture
def usable(monkeypatch):
    """Return a function that lets this process use so many cores."""
    return lambda cores: monkeypatch.setattr(
        os, "sched_getaffinity", lambda _: set(range(cores))
    )


@pytest.mark.parametrize(
    ("cores", "yielding", "polling"),
    [
        (2, (2, 4, 8, 16, 32), (2,)),
        (4, (2, 4, 8, 16, 32), (2, 3, 4)),
        (8, (2, 3, 4, 6, 8), (2, 3, 4, 6, 8)),
        (16, (2, 3, 4, 6, 8, 16), (2, 3, 4, 6, 8, 16)),
    ],
)
def test_times_are_measured_up_to_the_cores_where_these_are_enough(
    usable, cores, yielding, polling
):
    usable(cores)

    assert DemoSweep(YIELDING, "shm", "runtime").processes == yielding
    assert DemoSweep(POLLING, "shm", "runtime").processes == polling


def test_memory_is_measured_with_more_processes_than_cores(usable):
    usable(2)

    assert DemoSweep(YIELDING, "shm", "memory").processes == (2, 4, 8, 16, 32)
    assert DemoSweep(POLLING, "shm", "memory").processes == (2, 4, 6, 8, 16)


def test_quick_sweeps_take_as_few_processes_as_can_be(usable):
    usable(2)

    counts = {each.suite: each.processes for each in all_sweeps(quick=True)}
    assert counts == {"runtime": (2, 4, 6), "memory": (2, 3, 4, 6, 8)}


@pytest.mark.parametrize("cores", [1, 2, 3, 4, 5])
def test_quick_times_share_cores_wherever_they_cannot_be_judged(usable, cores):
    usable(cores)

    assert max(DemoSweep(YIELDING, "shm", "runtime", is_quick=True).processes) > cores


def test_releases_that_poll_are_not_timed_on_one_core(usable):
    usable(1)

    timed = {each.release for each in all_sweeps(quick=False) if each.suite != "memory"}
    assert not any(release.polls for release in timed)
    assert YIELDING in timed
