"""The methods of counting, and which of them suits a program."""

import re
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from scalewatch_agent.counts.callgrind import Callgrind
from scalewatch_agent.counts.clang import Clang, counts_regions
from scalewatch_agent.counts.counting import Counting, Method
from scalewatch_agent.counts.gcov.gcov import Gcov
from scalewatch_agent.counts.python.calls import PythonCalls, is_python
from scalewatch_agent.errors import ToolMissing
from scalewatch_agent.experiments.loading import Loaded

METHODS: Final[Mapping[str, Method]] = {
    "gcov": Gcov(),
    "clang": Clang(),
    "callgrind": Callgrind(),
    "python": PythonCalls(),
}

CLANG: Final = re.compile(r"\bclang")
"""Names of clang in the commands that compile."""


def counting(
    loaded: Loaded, folders: tuple[Path, ...], chosen: str | None, *, is_by_rank: bool
) -> Counting:
    """Return the instrument with the method that was chosen, or that suits the program.

    `folders` hold sources beside those of the experiment.

    Raises
    ------
    ToolMissing
        If the method needs a program that is not there.
    """
    roots = dict.fromkeys(folder.resolve() for folder in (loaded.source, *folders))
    method = METHODS[chosen or _suitable(loaded)]
    if method.tool is not None and shutil.which(method.tool) is None:
        raise ToolMissing(method.tool)
    return Counting(loaded.experiment.name, tuple(roots), method, is_by_rank)


def _suitable(loaded: Loaded) -> str:
    """Return the method that suits the program, as far as the experiment tells."""
    compile_step = loaded.experiment.compile
    words = shlex.split(loaded.experiment.execute.run)
    if compile_step and CLANG.search(compile_step.run):
        return "clang"
    if words[0] == "{python}" or is_python(words[0]):
        return "python"
    program = Path(words[0])
    if program.is_file() and counts_regions(program):
        return "clang"
    return "gcov"
