"""Messages through a real broker; what they wake is tested with real processes."""

from functools import partial
from threading import Event

import pytest

from scalewatch.jobs.broker import Messenger, connected, sweep, waiting
from scalewatch.storage.database.session import transact
from support.builders import sweep_reports
from support.recorded import record_runs

PATIENCE = 60.0
NOBODY_LISTENS = "redis://127.0.0.1:1/0"


@pytest.fixture
def broker(broker_server):
    broker_server.empty()
    broker = connected(broker_server.url)
    yield broker
    broker.close()


def post(sessions, seed=1):
    reports = sweep_reports(seed=seed)
    return transact(sessions, partial(record_runs, reports=reports))


def wait_for_messages(broker, number):
    pause = Event()
    for _ in range(int(PATIENCE / 0.05)):
        if waiting(broker) == number:
            return
        pause.wait(0.05)
    pytest.fail(f"{waiting(broker)} messages instead of {number}")


def test_committed_job_is_announced(sessions, broker, broker_server):
    messenger = Messenger(sessions, broker_server.url)
    messenger.start()

    post(sessions)

    wait_for_messages(broker, 1)
    messenger.stop()


def test_job_that_was_rolled_back_is_not_announced(sessions, broker, broker_server):
    messenger = Messenger(sessions, broker_server.url)
    messenger.start()
    with sessions.writing() as session:
        record_runs(session, sweep_reports(seed=7))
        session.rollback()

    post(sessions)

    wait_for_messages(broker, 1)
    messenger.stop()
    assert waiting(broker) == 1


def test_posting_does_not_wait_for_a_broker_that_is_down(sessions):
    messenger = Messenger(sessions, NOBODY_LISTENS)
    messenger.start()

    receipts = [receipt for seed in range(20) for receipt in post(sessions, seed)]

    messenger.stop()
    assert all(receipt.is_new for receipt in receipts)


def test_sweep_announces_what_a_broker_has_forgotten(sessions, broker):
    post(sessions)
    assert sweep(sessions, broker) == 1
    assert waiting(broker) == 1


def test_sweep_adds_nothing_while_messages_wait(sessions, broker):
    post(sessions)
    sweep(sessions, broker)

    assert sweep(sessions, broker) == 0
    assert waiting(broker) == 1


def test_sweep_with_nothing_due_is_silent(sessions, broker, work_off):
    post(sessions)
    work_off()

    assert sweep(sessions, broker) == 0
