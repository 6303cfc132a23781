"""Run a program in Python and write how often its functions were called.

    python counter.py SCRIPT ARGUMENTS…
    python counter.py -m MODULE ARGUMENTS…
    python counter.py -c CODE ARGUMENTS…

It runs in the program's own Python, which need not know the agent, hence by its path
and with nothing but the standard library. cProfile counts exactly; where Python has
`sys.monitoring` (3.12), that is what it counts with.
"""

import cProfile
import json
import os
import runpy
import sys
import threading
from collections import Counter
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

VARIABLE = "SCALEWATCH_COUNTS"


class ThreadCounter:
    """Counts the calls of all threads, each by a profiler of its own."""

    def __init__(self) -> None:
        self.profilers: list[cProfile.Profile] = []
        self.process = os.getpid()

    def begin(self) -> None:
        """Count in this thread from now on, and in those that it starts."""
        threading.setprofile(self._begin_there)
        self._begin_here()

    def _begin_there(self, _frame: FrameType, _event: str, _argument: Any) -> None:
        sys.setprofile(None)
        self._begin_here()

    def _begin_here(self) -> None:
        profiler = cProfile.Profile(builtins=False)
        self.profilers.append(profiler)
        profiler.enable()

    def end(self) -> list[dict[str, Any]]:
        """Return the calls of each function."""
        sys.setprofile(None)
        calls: Counter[CodeType] = Counter()
        for profiler in self.profilers:
            profiler.disable()
            for entry in profiler.getstats():
                code = entry.code
                # Modules and bodies of classes are none, nor what no file holds.
                if (
                    isinstance(code, CodeType)
                    and code.co_flags & CO_OPTIMIZED
                    and not code.co_filename.startswith("<")
                ):
                    calls[code] += entry.callcount
        return [
            {
                "file": os.path.abspath(code.co_filename),  # noqa: PTH100 - at exit
                "line": code.co_firstlineno,
                "name": getattr(code, "co_qualname", code.co_name),
                "calls": number,
            }
            for code, number in calls.items()
        ]


def run(words: list[str]) -> None:
    """Run what Python would run with these words."""
    if words[0] == "-m":
        sys.argv = words[1:]
        sys.path[0] = os.getcwd()  # noqa: PTH109 - as Python itself does
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    elif words[0] == "-c":
        sys.argv = ["-c", *words[2:]]
        sys.path[0] = ""
        exec(compile(words[1], "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102 - the user's own code
    else:
        sys.argv = words
        sys.path[0] = str(Path(words[0]).resolve().parent)
        runpy.run_path(words[0], run_name="__main__")


def main() -> None:
    """Run a program, and write what it has called when it ends well."""
    counter = ThreadCounter()
    counter.begin()
    try:
        run(sys.argv[1:])
    except SystemExit as ended:
        if ended.code not in {None, 0}:
            raise
    if os.getpid() != counter.process:
        return  # a child of the program, which counts for itself
    text = json.dumps(counter.end())
    # Each process of a job, on any of its nodes, has files of its own.
    process = f"{os.uname().nodename}-{os.getpid()}"
    target = f"{os.environ[VARIABLE]}.{process}"
    partial = Path(f"{os.environ[VARIABLE]}-{process}.part")
    partial.write_text(text)
    partial.replace(target)


if __name__ == "__main__":
    main()
