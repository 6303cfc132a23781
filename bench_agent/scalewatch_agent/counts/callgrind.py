"""Count the instructions of a program that was not compiled to count.

valgrind executes the program on a processor of its own and writes, for each function
of each object, how many instructions it took. Those of the program's own objects
count; what MPI's library does while it waits differs from run to run.

References
----------
The format: https://valgrind.org/docs/manual/cl-format.html
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scalewatch_agent.counts.counting import Method, Tally
from scalewatch_agent.counts.programs import Build, build_in, files_in, written_at
from scalewatch_agent.counts.regions import Function, Place, Uncountable, is_below
from scalewatch_agent.experiments.launchers.jobs import Request

PREFIX: Final = "SCALEWATCH_COUNTS"
NAME: Final = re.compile(r"(?P<kind>ob|fl|fi|fe|fn)=\((?P<id>\d+)\)(?: (?P<name>.*))?")
COST: Final = re.compile(r"(?P<sign>[+-]?)(?P<line>\d+|\*) (?P<cost>\d+)")
CLONE: Final = re.compile(
    r"('\d+|\.(constprop|isra|part|cold|lto_priv)(\.\d+)*){1,20}$"
)
"""Suffixes of callgrind for recursive functions, and of gcc for copies."""

STARTING: Final = re.compile(
    r"0x[0-9a-f]+|\(below main\)|_start|_init|_fini|frame_dummy|(de)?register_tm_clones"
    r"|__do_global_dtors_aux|__libc_csu_\w+"
)
"""Functions that the linker adds to every program."""

UNKNOWN: Final = "???"


class Callgrind(Method):
    """Counts instructions by function, in programs as they are."""

    title = "callgrind"
    variable = PREFIX
    tool = "valgrind"
    advice = "valgrind has written no counts: did the program replace itself?"

    def started(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """Return the program under valgrind."""
        out = f"--callgrind-out-file=%q{{{PREFIX}}}.%p"
        return ("valgrind", "--quiet", "--tool=callgrind", out, *words)

    def build(self, request: Request) -> Build:
        """Return how the program was compiled, if that was with -g."""
        return build_in(request, is_any=True)

    def tally(
        self, prefix: Path, request: Request, roots: tuple[Path, ...]
    ) -> Tally | None:
        """Return the instructions of all processes."""
        files = written_at(prefix)
        if not files:
            return None
        objects = {path.resolve() for path in files_in(request)}
        functions: dict[tuple[str, Path], Function] = {}
        for file in files:
            for cost in _costs(file):
                of_program = cost.object in objects or is_below(cost.object, roots)
                if of_program and not STARTING.fullmatch(cost.function):
                    _add(functions, cost)
        return Tally(list(functions.values()), {"valgrind": len(files)})


@dataclass(frozen=True, slots=True)
class _Cost:
    """Instructions of one line; `line` is 0 where it lies in another file."""

    object: Path
    file: str
    function: str
    line: int
    instructions: int


def _add(functions: dict[tuple[str, Path], Function], cost: _Cost) -> None:
    name = CLONE.sub("", cost.function)
    file = cost.object if cost.file == UNKNOWN else Path(cost.file)
    key = (name, file)
    before = functions.get(key)
    lines = {before.place.line if before else 0, cost.line} - {0}
    functions[key] = Function(
        name=name,
        place=Place(file, min(lines, default=0)),
        calls=cost.instructions + (before.calls if before else 0),
    )


def _costs(path: Path) -> Iterator[_Cost]:
    """Yield the instructions of lines; what called functions took is left to them."""
    names: dict[tuple[str, str], str] = {}
    at = {"ob": UNKNOWN, "fl": UNKNOWN, "fn": UNKNOWN, "inside": UNKNOWN}
    number = 0
    is_call = False
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                if named := NAME.match(line):
                    kind = named["kind"]
                    # Files share their numbers, whatever part they play.
                    key = ("fl" if kind in {"fi", "fe"} else kind, named["id"])
                    name = names.setdefault(key, (named["name"] or UNKNOWN).strip())
                    at["inside" if kind in {"fl", "fi", "fe"} else kind] = name
                    if kind == "fl":
                        at["fl"] = name
                elif line.startswith(("cob=", "cfi=", "cfl=", "cfn=")):
                    _remember(line, names)
                elif line.startswith("calls="):
                    is_call = True
                elif cost := COST.match(line):
                    if cost["line"] != "*":  # as far from the last one, or itself
                        step = int(cost["line"])
                        signed = {"": step - number, "+": step, "-": -step}
                        number += signed[cost["sign"]]
                    if not is_call:
                        is_own = at["inside"] == at["fl"]
                        yield _Cost(
                            Path(at["ob"]),
                            at["fl"],
                            at["fn"],
                            number if is_own else 0,
                            int(cost["cost"]),
                        )
                    is_call = False
    except OSError as error:
        raise Uncountable(f"{path} cannot be read: {error.strerror}") from None


def _remember(line: str, names: dict[tuple[str, str], str]) -> None:
    """Note the name of a number, which is given where it occurs first."""
    called = NAME.match(line[1:].replace("fl=", "fi=", 1))
    if called and called["name"]:
        kind = "fl" if called["kind"] in {"fi", "fe"} else called["kind"]
        names.setdefault((kind, called["id"]), called["name"].strip())
