"""The speed of this host, by which SMPI turns seconds of a program into operations.

A platform's hosts do so many operations a second, hence a program computes there for
its seconds here times this speed over theirs.
"""

import os
import subprocess
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from scalewatch_agent.compilers import compiler_in
from scalewatch_agent.errors import ToolMissing

PATIENCE: Final = 60


def host_speed() -> float:
    """Return the operations a second of a short loop, compiled as codes usually are.

    Raises
    ------
    ToolMissing
        If no compiler can make it.
    """
    compiler = compiler_in(os.environ)
    if not compiler:
        raise ToolMissing("cc", "gcc", "or state launcher.host_speed, as 10Gf")
    source = files("scalewatch_agent.experiments.launchers.smpi").joinpath(
        "host_speed.c"
    )
    with TemporaryDirectory() as folder:
        code, program = Path(folder) / "host_speed.c", Path(folder) / "host_speed"
        code.write_bytes(source.joinpath(code.name).read_bytes())
        _output([*compiler, "-O2", "-o", str(program), str(code)])
        return float(_output([str(program)]))


def _output(command: list[str]) -> str:
    try:
        return subprocess.run(  # noqa: S603 - the user's compiler, and what it made
            command, capture_output=True, check=True, text=True, timeout=PATIENCE
        ).stdout
    except (OSError, subprocess.SubprocessError):
        reason = "or state launcher.host_speed, as 10Gf"
        raise ToolMissing(command[0], "gcc", reason) from None
