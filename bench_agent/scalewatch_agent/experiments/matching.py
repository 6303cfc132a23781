"""Matches of a user's expression, sought by a process that is ended in time.

An expression such as `(a+)+1` takes time that doubles with each letter, and nothing in
this process could end it. The module is also the program of that process.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Final

SECONDS: Final = 60
"""Seconds for all matches in a file; honest expressions need less than one."""


class Unmatched(Exception):
    """An expression takes too long, or its process is killed."""


def matches(
    pattern: str, text: str, seconds: float = SECONDS
) -> Iterator[Mapping[str, str]]:
    """Yield the named groups of each match, and the number as `value`.

    The one group without a name is the number, where no group is called so.

    Raises
    ------
    Unmatched
        If it takes more than `seconds`, or its process is killed.
    """
    try:
        answer = subprocess.run(  # noqa: S603 - this file
            [sys.executable, "-I", __file__],
            input=f"{json.dumps(pattern)}\n{text}".encode("utf-8", "surrogatepass"),
            capture_output=True,
            check=True,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        raise Unmatched(f"matching takes more than {seconds:g} s") from None
    except subprocess.CalledProcessError as error:
        raise Unmatched(f"matching ended with {error.returncode}") from None
    return map(json.loads, answer.stdout.splitlines())


def _found(pattern: str, text: str) -> Iterator[Mapping[str, str]]:
    expression = re.compile(pattern, re.MULTILINE)
    named = set(expression.groupindex.values())
    number = next(
        (index for index in range(1, expression.groups + 1) if index not in named), 1
    )
    for match in expression.finditer(text):
        groups = {
            key: held for key, held in match.groupdict().items() if held is not None
        }
        yield {"value": match[number], **groups}


if __name__ == "__main__":
    question = sys.stdin.buffer.read().decode("utf-8", "surrogatepass")
    stated, _, content = question.partition("\n")
    for entry in _found(json.loads(stated), content):
        sys.stdout.write(f"{json.dumps(entry)}\n")
