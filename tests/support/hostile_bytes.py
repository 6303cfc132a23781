"""Files as somebody hostile or a failing disk would leave them."""

from collections.abc import Sequence
from typing import Final

import numpy as np

EXTREMES: Final = (b"\x00", b"\xff", b"\x7f", b"\x80", b"\x00\x00\x00\x80", 8 * b"\xff")


def mutated(
    content: bytes, generator: np.random.Generator, tokens: Sequence[bytes] = EXTREMES
) -> bytes:
    """Return content with one or two changes of any kind.

    Parameters
    ----------
    tokens
        What may take the place of some bytes, or come between them.
    """
    for _ in range(generator.integers(1, 3)):
        content = _changed(content, generator, tokens)
    return content


def _changed(
    content: bytes, generator: np.random.Generator, tokens: Sequence[bytes]
) -> bytes:
    size = max(1, len(content))
    at = int(generator.integers(size))
    span = int(generator.integers(1, 65))
    token = tokens[generator.integers(len(tokens))]
    other = int(generator.integers(size))
    return (
        lambda: content[:at] + generator.bytes(1) + content[at + 1 :],
        lambda: content[:at] + generator.bytes(span) + content[at + span :],
        lambda: content[:at] + token + content[at + len(token) :],
        lambda: content[:at] + token + content[at:],
        lambda: content[:at] + content[at + span :],
        lambda: content[:at] + content[other : other + span] + content[at:],
        lambda: content[:at],
    )[generator.integers(7)]()
