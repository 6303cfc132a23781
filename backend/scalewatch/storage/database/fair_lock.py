"""A fair lock: threads get it in the order in which they asked.

SQLite lets a writer that finds another one sleep and try again, ever longer, so that
under load some wait for seconds while later ones pass. Here each is woken as soon as
its predecessor is done.
"""

from collections import deque
from threading import Event, Lock


class FairLock:
    """A lock for threads, first come, first served."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._is_taken = False
        self._waiting: deque[Event] = deque()

    def acquire(self, seconds: float) -> bool:
        """Acquire the lock; return whether that succeeded within the timeout."""
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return True
            mine = Event()
            self._waiting.append(mine)
        if mine.wait(seconds):
            return True
        with self._guard:
            if mine.is_set():  # the turn came while this thread gave up
                return True
            self._waiting.remove(mine)
            return False

    def release(self) -> None:
        """Release the lock to the thread that has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False
