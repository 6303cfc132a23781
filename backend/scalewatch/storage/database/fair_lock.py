"""Turns: threads that want the same thing get it in the order in which they came.

SQLite lets a writer that finds another one sleep and try again, ever longer, so that
under load some wait for seconds while later ones pass. Here each is woken as soon as
its predecessor is done.
"""

from collections import deque
from threading import Event, Lock


class Turns:
    """A lock that is fair."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._is_taken = False
        self._waiting: deque[Event] = deque()

    def take(self, seconds: float) -> bool:
        """Wait for one's turn; return whether it came in time."""
        with self._guard:
            if not self._is_taken:
                self._is_taken = True
                return True
            mine = Event()
            self._waiting.append(mine)
        if mine.wait(seconds):
            return True
        with self._guard:
            if mine.is_set():  # it came while we gave up
                return True
            self._waiting.remove(mine)
            return False

    def give(self) -> None:
        """End one's turn; the next one in line has it at once."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False
