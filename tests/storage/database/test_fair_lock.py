from threading import Event, Thread

from scalewatch.storage.database.session import FairLock

PATIENCE = 60.0


def test_turns_come_in_the_order_of_asking():
    turns = FairLock()
    turns.acquire(PATIENCE)
    order, threads = [], []

    def want(number, asking):
        asking.set()
        turns.acquire(PATIENCE)
        order.append(number)
        turns.release()

    for number in range(5):
        asking = Event()
        threads.append(Thread(target=want, args=(number, asking)))
        threads[-1].start()
        asking.wait(PATIENCE)
        while len(turns._waiting) <= number:  # noqa: SLF001 - it has joined the line
            Event().wait(0.001)
    turns.release()
    for thread in threads:
        thread.join(PATIENCE)

    assert order == [0, 1, 2, 3, 4]


def test_who_waits_too_long_leaves_the_line():
    turns = FairLock()
    assert turns.acquire(0)

    assert not turns.acquire(0.01)

    turns.release()
    assert turns.acquire(0)


def test_writer_that_fails_gives_its_turn_away(sessions):
    for _ in range(3):
        try:
            with sessions.writing.begin() as session:
                session.connection().exec_driver_sql("SELECT nonsense FROM nowhere")
        except Exception:  # noqa: BLE001, S112 - whichever it is
            continue

    with sessions.writing.begin() as session:
        assert session.connection().exec_driver_sql("SELECT 1").scalar() == 1
