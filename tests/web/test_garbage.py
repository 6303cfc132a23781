import asyncio
import gc
import weakref

import pytest
from anyio.from_thread import start_blocking_portal

from scalewatch.web.garbage import FEW, Garbage

START = {"type": "http.response.start", "status": 200, "headers": []}


def run(function, *arguments):
    """Run it in a thread, whose loop is its own, whatever runs in that of the tests."""
    with start_blocking_portal() as portal:
        return portal.call(function, *arguments)


class Cycle:
    """What only the collector can remove."""

    def __init__(self):
        self.own = self


@pytest.fixture
def _uncollected():
    thresholds = gc.get_threshold()
    gc.set_threshold(1_000_000, 50, 100)
    yield
    gc.set_threshold(*thresholds)


async def receive():
    return {"type": "http.request", "body": b"", "more_body": False}


async def send(message):
    assert message


@pytest.mark.usefixtures("_uncollected")
def test_what_an_answer_left_is_collected_once_it_is_given():
    left = []

    async def app(*_):
        left.append(weakref.ref(Cycle()))

    run(Garbage(app), {"type": "http"}, receive, send)

    assert left[0]() is None


@pytest.mark.usefixtures("_uncollected")
def test_what_outlives_its_own_answer_is_collected_after_a_few():
    kept, left = [], []

    async def app(*_):
        kept.append(Cycle())
        left.append(weakref.ref(kept[-1]))

    async def answers():
        garbage = Garbage(app)
        await garbage({"type": "http"}, receive, send)  # it is older from here on
        kept.clear()
        for _ in range(FEW):
            await garbage({"type": "http"}, receive, send)
            kept.clear()

    run(answers)

    assert left[0]() is None


def test_older_objects_wait_while_an_answer_is_made_but_not_for_a_stream(monkeypatch):
    generations = []
    monkeypatch.setattr(
        gc, "collect", lambda generation=2: generations.append(generation)
    )

    async def scenario(before):
        done = asyncio.Event()

        async def app(scope, _receive, answer):
            if scope["path"] == "/long":
                for message in before:
                    await answer(message)
                await done.wait()

        garbage = Garbage(app)
        long = asyncio.create_task(
            garbage({"type": "http", "path": "/long"}, receive, send)
        )
        await asyncio.sleep(0)
        for _ in range(FEW):
            await garbage({"type": "http", "path": "/short"}, receive, send)
        found = [*generations]
        done.set()
        await long
        generations.clear()
        return found

    assert run(scenario, []) == [0] * FEW
    assert run(scenario, [START]) == [0] * (FEW - 1) + [1]
