"""The steps around the program that is measured: prepare, compile and analyse."""

import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.journal import digest_of
from scalewatch_agent.experiments.parameters import filled
from scalewatch_agent.experiments.schema import ShellStep
from scalewatch_agent.programs import run_program


def places(loaded_from: Path, source: Path, folder: Path) -> dict[str, Scalar]:
    """Return the reserved names that are the same for all steps of a sweep."""
    return {
        "python": sys.executable,
        "experiment": str(loaded_from.parent),
        "source": str(source),
        "prepare": str(folder / "prepare"),
    }


def run_once(  # noqa: PLR0913 - what a step is, and where
    step: ShellStep,
    values: Mapping[str, Scalar],
    folder: Path,
    kind: str,
    code: str,
    *,
    tools: Mapping[str, str],
) -> str | None:
    """Run a step in a new `folder` unless it has succeeded there with that `code`.

    Returns why it failed, or None. `tools` are variables by which it finds programs.
    """
    stamp = folder.with_name(f"{folder.name}.done")
    wanted = digest_of([filled(step.run, values), code])
    try:
        if stamp.read_text() == wanted and folder.is_dir():
            return None
    except OSError:
        pass
    try:
        fresh_folder(folder)
    except OSError as error:
        return f"{kind}: {folder} cannot be made: {error.strerror}"
    failure = run_step(step, values, folder, kind, tools)
    if failure is None:
        with suppress(OSError):  # a full disk costs a second compilation, no more
            stamp.write_text(wanted)
    return failure


def run_step(
    step: ShellStep,
    values: Mapping[str, Scalar],
    folder: Path,
    kind: str,
    tools: Mapping[str, str] | None = None,
) -> str | None:
    """Run the commands of a step in `folder`; return why they failed, or None."""
    command = ("/bin/sh", "-e", "-u", "-c", filled(step.run, values))
    # The program's own output is what the results are read from.
    log = folder / f".{kind}"
    try:
        log.mkdir(exist_ok=True)
    except OSError as error:
        return f"{kind}: {log} cannot be made: {error.strerror}"
    ended = run_program(
        command, os.environ | (tools or {}), log, step.time_limit, work=folder
    )
    return None if ended.failure is None else f"{kind}: {ended.failure}"


def fresh_folder(folder: Path) -> None:
    """Make an empty folder, whatever was there before."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
