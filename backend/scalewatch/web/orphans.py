"""Orphans: a serving process ends when its parent was killed."""

import os
import signal
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from threading import Thread


def end_with_parent() -> None:
    """Stop in order once the process that started this one is gone, if one did.

    Otherwise the port would stay occupied by processes that nobody watches.
    """
    parent = parent_process()
    if parent is not None:
        Thread(
            target=_follow, args=(parent,), name="scalewatch-orphan", daemon=True
        ).start()


def _follow(parent: BaseProcess) -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
