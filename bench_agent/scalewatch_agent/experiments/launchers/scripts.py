"""The script of a job in a queue, and the files by which it tells how it went.

The script belongs to the scheduler, the file `.command` beside it to the job: all
elements of an array share the first. Both run on the node of the job, on which the
agent is not, so that the exit code, the times, the size of the communicator and the
facts of the node come back as files.
"""

import json
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from scalewatch.wire import Fact
from scalewatch_agent.activity import MARK
from scalewatch_agent.experiments.launchers.jobs import Request

COMMAND: Final = ".command"
FACTS: Final = ".facts.json"
ACTIVITY: Final = ".activity.json"
SIZE: Final = ".size"
STARTED: Final = ".started"
ENDED: Final = ".ended"
SCRIPT: Final = "job.sh"

WRONG_SIZE: Final = 97
TIMED_OUT: Final = 124
"""Exit codes of the script: ours for the first, those of `timeout` for the second."""

GRACE: Final = 60
"""Seconds that a scheduler grants beyond the program's own time limit."""

_SIZE_LINE: Final = re.compile(r"^communicator (\d+) (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Remains:
    """Files that a job has left in its folder, as they were read.

    `code` is the exit code of its program, None while there is none; `sizes` are those
    that its processes saw of the communicator, `activity` facts of what its node did
    besides.
    """

    code: int | None
    sizes: tuple[int, ...]
    library: str | None
    hardware: Mapping[str, Fact]
    surroundings: Mapping[str, Fact]
    activity: Mapping[str, Fact]
    started_at: datetime | None
    ended_at: datetime | None


def script(
    request: Request,
    directives: Sequence[str],
    folder: str,
    variables: Mapping[str, str],
    setup: str | None,
) -> str:
    """Return the batch script of a job, or of all jobs that differ by their folder.

    Parameters
    ----------
    directives
        Lines by which the scheduler is told what the job wants.
    folder
        The folder of the job, as the shell writes it.
    variables
        Environment of the job beside what the scheduler passes on.
    setup
        Commands of the user, such as `module load`.
    """
    configured = request.configured
    lines = [
        "#!/bin/bash",
        *directives,
        f"cd {folder} || exit 98",
        f"rm -f {ENDED} {SIZE} {FACTS} {ACTIVITY}",
        f"export OMP_NUM_THREADS={configured.threads}",
        *(f"export {key}={shlex.quote(value)}" for key, value in variables.items()),
        *(setup or "").splitlines(),
        _module("machine", f"> {FACTS} 2> /dev/null"),
        # It sees the processes on this node that have inherited the mark.
        f'export {MARK}="$$-$RANDOM"',
        _module(f'activity "${MARK}"', f"> {ACTIVITY} 2> /dev/null &"),
        "watcher=$!",
        f"date +%s.%N > {STARTED}",
        f"timeout --kill-after=10 {configured.time_limit:g} /bin/bash {COMMAND}",
        "code=$?",
        "ended=$(date +%s.%N)",
        'kill "$watcher" 2> /dev/null',
        'wait "$watcher" 2> /dev/null',
        f'echo "$code $ended" > {ENDED}.new && mv {ENDED}.new {ENDED}',
        'exit "$code"',
    ]
    return "\n".join(lines) + "\n"


def command(request: Request, starter: Sequence[str], *, checks_size: bool) -> str:
    """Return the commands of one job: they know its repeat and its folder."""
    lines = []
    if checks_size:
        # A probe that cannot start says nothing; the program will.
        probe = _module("suite.size", f"> {SIZE} 2> /dev/null")
        test = "'/^communicator/ && $2 != n {bad = 1} END {exit bad}'"
        processes = request.configured.processes
        lines = [
            f"{shlex.join(starter)} {probe}",
            f"awk -v n={processes} {test} {SIZE} || exit {WRONG_SIZE}",
        ]
    words = shlex.join([*starter, *request.wrapper, *request.words])
    exports = [f"export {k}={shlex.quote(v)}" for k, v in request.environment.items()]
    return "\n".join([*lines, *exports, f"exec {words}"]) + "\n"


def _module(name: str, output: str) -> str:
    """Return the call of a module of the agent, which the job may not find itself."""
    path = ":".join(filter(None, sys.path))
    python = shlex.quote(sys.executable)
    return (
        f"env PYTHONPATH={shlex.quote(path)} {python} -m scalewatch_agent.{name} "
        f"{output}"
    )


def remains(folder: Path) -> Remains:
    """Read the files that the job in `folder` has left there."""
    code, _, ended = _text(folder / ENDED).strip().partition(" ")
    facts = _object(folder / FACTS)
    sizes = _SIZE_LINE.findall(_text(folder / SIZE))
    return Remains(
        code=int(code) if code.isdecimal() and len(code) < len("1000") else None,
        sizes=tuple(int(size) for size, _ in sizes),
        library=sizes[0][1][:200] if sizes else None,
        hardware=facts.get("hardware", {}),
        surroundings=facts.get("surroundings", {}),
        activity=_object(folder / ACTIVITY),
        started_at=_moment(_text(folder / STARTED)),
        ended_at=_moment(ended),
    )


def _object(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file; an empty one where there is none."""
    try:
        content = json.loads(_text(path))
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(text), UTC)
    except (ValueError, OverflowError):
        return None


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
