"""Places go round among callers, and among the projects of each."""

import tracemalloc

import anyio
import pytest

from scalewatch.api.runs import posting
from scalewatch.api.runs.posting import FairTurns
from scalewatch.errors import TooBusy


class Requests:
    """Requests that begin to wait in an order, and note in which they have turns."""

    def __init__(self, group, places=1):
        self.group = group
        self.turns = FairTurns(places)
        self.order = []

    async def come(self, caller, project="p"):
        """Let a request wait; return its scope and the event that ends its turn."""
        scope, ending = anyio.CancelScope(), anyio.Event()

        async def take_turn():
            with scope:
                async with self.turns.turn(caller, project):
                    self.order.append(f"{caller} {project}")
                    await ending.wait()

        self.group.start_soon(take_turn)
        await anyio.wait_all_tasks_blocked()
        return scope, ending


async def order_of(comers, places=1):
    """Return the order in which requests have turns that wait behind the first."""
    async with anyio.create_task_group() as group:
        requests = Requests(group, places)
        endings = [(await requests.come(*each))[1] for each in comers]
        for ending in endings:
            ending.set()
        await anyio.wait_all_tasks_blocked()
    return requests.order


def test_caller_of_few_requests_does_not_wait_for_all_of_another():
    order = anyio.run(order_of, [("a",)] * 6 + [("b",)] * 2)

    assert [each[0] for each in order] == ["a", "b", "a", "b", "a", "a", "a", "a"]


def test_projects_of_a_caller_take_turns_of_theirs():
    comers = [*(("a", "p"),) * 3, *(("a", "q"),) * 2, *(("b", "p"),) * 2]

    order = anyio.run(order_of, comers)

    assert order == ["a p", "b p", "a q", "b p", "a p", "a q", "a p"]


def test_many_projects_of_a_caller_are_no_more_turns():
    comers = [("a", f"project {n}") for n in range(20)] + [("b", "p")]

    order = anyio.run(order_of, comers)

    assert order.index("b p") == 1


def test_place_of_who_gives_up_goes_to_the_next():
    async def order():
        async with anyio.create_task_group() as group:
            requests = Requests(group)
            first, _ = await requests.come("a")
            second, _ = await requests.come("b")
            _, ending = await requests.come("c")
            second.cancel()  # before its turn
            first.cancel()  # within it
            await anyio.wait_all_tasks_blocked()
            ending.set()
        return requests.order

    assert anyio.run(order) == ["a p", "c p"]


def test_only_those_of_the_same_caller_and_project_are_refused():
    async def waited(caller, project):
        async with anyio.create_task_group() as group:
            requests = Requests(group)
            for _ in range(3):
                await requests.come("a")
            with anyio.move_on_after(0.01) as scope:
                async with requests.turns.turn(caller, project, most_waiting=2):
                    pass
            group.cancel_scope.cancel()
        return scope.cancelled_caught

    with pytest.raises(ExceptionGroup, match="unhandled") as refused:
        anyio.run(waited, "a", "p")
    assert refused.group_contains(TooBusy)
    assert anyio.run(waited, "a", "q")
    assert anyio.run(waited, "b", "p")


def test_turns_of_endless_names_are_forgotten(monkeypatch):
    monkeypatch.setattr(posting, "MOST_REMEMBERED", 4)

    async def take_turns(number):
        turns = FairTurns(1)
        tracemalloc.start()
        for each in range(number):
            async with turns.turn("a", f"{each:0100}"):
                pass
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return kept

    assert anyio.run(take_turns, 2_000) < 100_000  # the names alone are 300,000
