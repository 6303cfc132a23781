"""Where bodies of loops begin in a source of C or C++."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

TOKEN: Final = re.compile(
    r"""
    (?P<blank> \s+ | //(?:\\\n|[^\n])* | /\*.*?\*/ | ^[ \t]*\#(?:\\\n|[^\n])* )
    | R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)"
    | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'
    | \d(?:[\w.]|'(?=\w))* | \w+ | .
    """,
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
"""A word, a literal or a sign; blanks are comments and directives, too."""


@dataclass(frozen=True, slots=True)
class Body:
    """The loop's line, and line and column, from 1, at which its body begins."""

    line: int
    start: tuple[int, int]


@lru_cache(maxsize=1024)
def bodies_in(file: Path, modified: float) -> tuple[Body, ...]:  # noqa: ARG001 - of the cache
    """Return the bodies of the loops of a file, of this time of modification."""
    try:
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ()
    tokens = [each for each in TOKEN.finditer(text) if each["blank"] is None]
    place = _Places(text)
    return tuple(
        Body(place(tokens[keyword].start())[0], place(tokens[body].start()))
        for keyword, body in _loops([each[0] for each in tokens])
        if body < len(tokens)
    )


def _loops(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of a loop's keyword and of the first word of its body."""
    for at, word in enumerate(words):
        if word == "do":
            yield at, at + 1
        elif word in {"for", "while"} and words[at + 1 : at + 2] == ["("]:
            depth = 0
            for end in range(at + 1, len(words)):
                depth += {"(": 1, ")": -1}.get(words[end], 0)
                if not depth:
                    yield at, end + 1
                    break


class _Places:
    """Lines and columns, in bytes as clang counts them, of places in a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(at for at, sign in enumerate(text, 1) if sign == "\n")]

    def __call__(self, place: int) -> tuple[int, int]:
        line = bisect_right(self.starts, place)
        before = self.text[self.starts[line - 1] : place]
        return line, len(before.encode("utf-8", errors="surrogateescape")) + 1
