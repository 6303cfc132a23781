"""Ends of a working process: its job is given back, and the process goes."""

import logging
import os
import signal
import sys
from functools import partial
from threading import Thread
from typing import Final, NoReturn

from sqlalchemy.exc import SQLAlchemyError

from scalewatch.services import jobs as queue
from scalewatch.storage.database.session import Sessions, transact

GIVING_BACK_SECONDS: Final = 2.0
"""How long the database may take; after that, the lease has to end by itself."""

_LOG: Final = logging.getLogger(__name__)


def give_back(sessions: Sessions, owner: str) -> None:
    """Let another worker take at once what an ending process was doing."""

    def release() -> None:
        try:
            transact(sessions, partial(queue.give_back, owner=owner))
        except SQLAlchemyError as error:
            _LOG.warning("a job is not given back: %s", " ".join(str(error).split()))

    giving = Thread(target=release, name="scalewatch-give-back", daemon=True)
    giving.start()
    giving.join(GIVING_BACK_SECONDS)


def end_in_order(*_: object) -> None:
    """Do what SIGTERM does at this time, also where another signal has come."""
    signal.raise_signal(signal.SIGTERM)


def heed_hangup() -> None:
    """End in order when the terminal is closed, unless nohup wished otherwise."""
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, end_in_order)


def start_anew() -> NoReturn:
    """Replace this process, which hangs or broke down, by the command that started it.

    It keeps its number: whoever watches or stops it need not know.
    """
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606
