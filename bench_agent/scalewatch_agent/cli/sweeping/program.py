"""A program on the command line as an experiment, which no file holds."""

import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import click

from scalewatch_agent.cli.options.launcher import is_queued
from scalewatch_agent.cli.sweeping.sweeping import scalar, with_options
from scalewatch_agent.experiments.documents import ExperimentDocument, read_document
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.launchers import LAUNCHERS
from scalewatch_agent.experiments.loading import Loaded, experiment_in

COMMAND_LINE: Final = Path("command line")
"""Where an experiment stands that no file holds."""


def swept_settings(
    _context: click.Context, _option: click.Parameter, stated: Sequence[str]
) -> dict[str, list[Scalar]]:
    """Return parameters and their values, numbers where they look like numbers."""
    settings: dict[str, list[Scalar]] = {}
    for text in stated:
        name, is_there, values = text.partition("=")
        if not (name and is_there and all(values.split(","))):
            message = f"{text!r} is not NAME=VALUE,VALUE,…"
            raise click.BadParameter(message)
        settings[name] = [scalar(value) for value in values.split(",")]
    return settings


@dataclass(frozen=True, slots=True)
class SweptProgram:
    """An experiment, the folder of its sweep, and where its programs run."""

    loaded: Loaded
    folder: Path
    work: Path | None


@contextmanager
def swept_program(options: dict[str, Any], suffix: str) -> Iterator[SweptProgram]:
    """Yield the experiment of a file, or one made of the command line.

    `suffix` is that of the folder of a file's sweep.

    What a command was built from is not known, so that its jobs are always new, and
    their folder lives as long as the sweep.
    """
    words = options["words"]
    file = Path(words[0])
    if len(words) == 1 and file.suffix in {".yaml", ".yml"}:
        if options["processes"]:
            raise click.UsageError(f"The process counts are those of {file}.")
        document = read_document(file)
        loaded = experiment_in(document, options["settings"], is_counted=True)
        folder = options["folder"] or file.with_suffix(suffix)
        yield SweptProgram(with_options(loaded, options), folder.absolute(), None)
        return
    if is_queued(options):
        title = LAUNCHERS[options["kind"]].title
        raise click.UsageError(f"What {title} is to start needs an EXPERIMENT.yaml.")
    loaded = experiment_in(_document(options), {}, is_counted=True)
    loaded = with_options(loaded, options)
    if options["folder"]:
        yield SweptProgram(loaded, options["folder"].absolute(), Path.cwd())
        return
    folder = Path(mkdtemp(prefix="scalewatch-"))
    try:
        yield SweptProgram(loaded, folder, Path.cwd())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _document(options: dict[str, Any]) -> ExperimentDocument:
    """Return the experiment that a command line describes."""
    words, counts = options["words"], options["processes"]
    parameters = {**({"p": list(counts)} if counts else {}), **options["settings"]}
    if not parameters:
        raise click.UsageError(
            "What varies? Name process counts by -p 1,2,4,8,16 or values of a place in "
            "the command by --set n=64,128,256,512,1024."
        )
    source = options["source"] or Path.cwd()
    execute: dict[str, Any] = {
        "run": shlex.join(words),
        "time_limit": options["time_limit"],
    }
    if "p" in parameters:
        execute["processes"] = "p"
    numeric = [
        name
        for name, values in parameters.items()
        if all(isinstance(value, int | float) for value in values)
    ]
    suite = options["suite"] or Path(words[0]).name
    content = {
        "name": suite,
        "project": options["project"] or source.absolute().name,
        "source": str(source.absolute()),
        "parameters": parameters,
        "coordinate": numeric,
        "execute": execute,
    }
    return ExperimentDocument(COMMAND_LINE, content, {(): None})
