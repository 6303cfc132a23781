"""Families of functions, each with the settings at which it is measured."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from benchmarks.textbook.dictionary import HELD_OUT, TEXTBOOK
from benchmarks.textbook.function import Function, Reals
from benchmarks.textbook.outside import NO_DICTIONARY
from benchmarks.textbook.surfaces import SURFACES
from benchmarks.textbook.unseen import UNSEEN


@dataclass(frozen=True, slots=True)
class Family:
    """Functions of the same parameters, and settings for all of them.

    Parameters
    ----------
    functions
        All of them.
    settings
        By what is printed of them; shape (n, parameters).
    parameters
        Their names.
    """

    functions: tuple[Function, ...]
    settings: Mapping[str, Reals]
    parameters: tuple[str, ...] = ("p",)


def _one(*settings: float) -> Reals:
    return np.array(settings, float)[:, np.newaxis]


def _crossed(p: tuple[int, ...], n: tuple[int, ...]) -> Reals:
    return np.array(list(product(p, n)), float)


USUAL: Final = {
    "2^k, 4 … 128": _one(4, 8, 16, 32, 64, 128),
    "2^k, 2 … 32": _one(2, 4, 8, 16, 32),
    "2^k, 2 … 256": _one(2, 4, 8, 16, 32, 64, 128, 256),
    "k², 4 … 64": _one(4, 9, 16, 25, 36, 49, 64),
    "k², 16 … 1024": _one(16, 64, 144, 256, 576, 1024),
    "48 … 384": _one(48, 96, 144, 192, 288, 384),
    "6 … 96": _one(6, 12, 24, 48, 96),
}
UNUSUAL: Final = {
    "2^k, 1 … 64": _one(1, 2, 4, 8, 16, 32, 64),
    "2, 3, 5 … 24": _one(2, 3, 5, 8, 13, 24),
    "7 … 181": _one(7, 12, 23, 41, 96, 181),
    "k², 1 … 100": _one(1, 4, 9, 25, 49, 100),
    "12 … 240": _one(12, 36, 60, 120, 240),
}
FEW: Final = {"4 … 256": _one(4, 16, 64, 256)}
TWO_PARAMETERS: Final = {
    "5 × 5, 2^k": _crossed((4, 8, 16, 32, 64), (16, 32, 64, 128, 256)),
    "5 × 5, irregular": _crossed((3, 6, 12, 20, 48), (10, 20, 50, 100, 200)),
}

FAMILIES: Final = {
    "textbook": Family(TEXTBOOK, USUAL),
    "held-out": Family(HELD_OUT, USUAL),
    "no dictionary": Family(NO_DICTIONARY, USUAL),
    "unseen": Family(UNSEEN, UNUSUAL),
    "four settings": Family(UNSEEN, FEW),
    "two parameters": Family(SURFACES, TWO_PARAMETERS, ("p", "n")),
}
