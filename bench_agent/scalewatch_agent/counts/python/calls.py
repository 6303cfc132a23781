"""Count the calls of functions of a program in Python, mpi4py's too."""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from scalewatch_agent.counts.counting import Method, Tally
from scalewatch_agent.counts.programs import Build, written_at
from scalewatch_agent.counts.python import counter
from scalewatch_agent.counts.regions import Function, Place, Uncountable
from scalewatch_agent.experiments.launchers.jobs import Request

INTERPRETER: Final = re.compile(r"python[0-9.]*")
WITH_ARGUMENT: Final = frozenset({"-W", "-X"})
INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
"""Folders of packages that a program uses, should they lie among its sources."""

NAMELESS: Final = re.compile(r"(.*\.)?<(list|set|dict)comp>")
"""Comprehensions, which newer Pythons inline."""


class PythonCalls(Method):
    """Counts calls of functions whose sources are the program's own."""

    title = "python"
    variable = counter.VARIABLE
    advice = (
        "no counts were written: the command has to begin with a Python, and the "
        "program to end by returning, or by sys.exit"
    )

    def started(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the interpreter with the counter between its options and program."""
        if not is_python(words[0]):
            return words
        at = 1
        while at < len(words) and words[at].startswith("-"):
            if words[at] in {"-m", "-c"}:
                break
            at += 2 if words[at] in WITH_ARGUMENT else 1
        return (*words[:at], str(Path(counter.__file__)), *words[at:])

    def build(self, request: Request) -> Build:  # noqa: ARG002 - the protocol's
        """Return nothing: nothing was compiled."""
        return Build()

    def tally(
        self,
        prefix: Path,
        request: Request,  # noqa: ARG002 - the protocol's
        roots: tuple[Path, ...],
    ) -> Tally | None:
        """Return the calls of all processes."""
        files = written_at(prefix)
        if not files:
            return None
        functions = []
        for file in files:
            try:
                entries = json.loads(file.read_text())
            except (OSError, ValueError, RecursionError):
                raise Uncountable(f"{file} cannot be read: count again") from None
            functions += [
                Function(e["name"], Place(Path(e["file"]), e["line"]), e["calls"])
                for e in entries
                if _is_own(e, roots)
            ]
        return Tally(functions, {"python": len(files)})


def is_python(word: str) -> bool:
    """Tell whether a program is an interpreter of Python."""
    program = shutil.which(word) or word
    return INTERPRETER.fullmatch(Path(program).name) is not None


def _is_own(entry: Mapping[str, Any], roots: tuple[Path, ...]) -> bool:
    if NAMELESS.fullmatch(entry["name"]) or entry["file"] == counter.__file__:
        return False
    file = Path(entry["file"])
    return any(
        file.is_relative_to(root)
        and not INSTALLED.intersection(file.relative_to(root).parts)
        for root in roots
    )
