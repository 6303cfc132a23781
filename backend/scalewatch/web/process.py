"""A serving process: it ends with its parent, and seldom collects garbage."""

import gc
import os
import signal
from multiprocessing import parent_process
from multiprocessing.process import BaseProcess
from threading import Thread
from typing import Final

YOUNG: Final = 10_000
"""Objects after which the collector looks for garbage. A page makes a hundred thousand,
most of which live as long as it: at the default of 700, looking takes four times as
long in all."""


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


def spare_collections() -> None:
    """Let the collector pass over what is loaded by now, and come more rarely."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 10, 10)
