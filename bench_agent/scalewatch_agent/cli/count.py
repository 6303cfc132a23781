"""Count the work of a program: calls of functions and iterations of loops."""

import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import click

from scalewatch.wire import Name
from scalewatch_agent.cli.exits import SUMMARY
from scalewatch_agent.cli.options.launcher import job_launcher
from scalewatch_agent.cli.options.parameters import process_counts, wire
from scalewatch_agent.cli.sweeping import (
    carry_out,
    launcher_option,
    scalar,
    sweep_options,
    version_of,
    warn,
    with_options,
)
from scalewatch_agent.cli.tables.counts import FOR_A_VERDICT, print_counts
from scalewatch_agent.counts.methods import METHODS, counting
from scalewatch_agent.experiments.configured import Loaded
from scalewatch_agent.experiments.documents import ExperimentDocument, read_document
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.loading import experiment_in
from scalewatch_agent.experiments.sweep import ExperimentSweep
from scalewatch_agent.folders import make_folder

COMMAND_LINE: Final = Path("command line")
"""Where an experiment stands that no file holds."""

EXAMPLES = """\b
Examples:
  scalewatch-agent count examples/count/kernels.yaml
  gcc -O2 $(scalewatch-agent count --flags) -o sort sort.c
  scalewatch-agent count --set n=100,200,400,800,1600 -- ./sort {n}
  scalewatch-agent count -p 1,4,9,16,25 --by rank -- ./halo
  scalewatch-agent count -p 1,2,4,8,16 --set n=64,128,256 -- ./solver {n}
"""


def _settings(
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


def _print_flags(context: click.Context, _option: click.Parameter, asked: bool) -> None:  # noqa: FBT001 - as click calls it
    if asked:
        click.echo(METHODS[context.params.get("method") or "gcov"].flags)
        context.exit()


@click.command(epilog=f"{EXAMPLES}\n{SUMMARY}")
@click.argument(
    "words", nargs=-1, required=True, metavar="EXPERIMENT.yaml | -- COMMAND"
)
@click.option(
    "-p",
    "--processes",
    callback=process_counts,
    metavar="P,P,…",
    help="Process counts of a COMMAND, which mpiexec starts; without MPI unless given.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE,…",
    callback=_settings,
    help="Values of a parameter: of a place {NAME} in COMMAND, or instead of those in "
    "the file.",
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    is_eager=True,
    help="What counts; what suits the program unless given.",
)
@click.option(
    "--by",
    "by",
    type=click.Choice(["rank"]),
    help="Count each process apart: the largest count is posted beside the sum.",
)
@click.option(
    "--flags",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_flags,
    help="Print what to compile and link with ({cflags} in an experiment), no more.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1, max=100),
    default=1,
    show_default=True,
    help="Jobs per combination; counts are exact, so that one tells them.",
)
@launcher_option
@click.option(
    "--project",
    callback=wire(Name),
    metavar="NAME",
    help="Project of the runs of a COMMAND; the folder's name unless given.",
)
@click.option(
    "--suite",
    callback=wire(Name),
    metavar="NAME",
    help="Suite of the runs of a COMMAND; the program's name unless given.",
)
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="Time after which a job of a COMMAND is killed.",
)
@sweep_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Count the work of a program: calls of functions and iterations of loops.

    Counts depend neither on load nor on the machine, add up over processes and need
    one job per setting. An experiment is the file that `run` takes, with {cflags} where
    it compiles; a COMMAND is started as it is, in this folder.
    """
    with _subject(options) as subject:
        loaded = subject.loaded
        sweep = ExperimentSweep(
            loaded=loaded,
            launcher=job_launcher(loaded),
            version=version_of(loaded, options["commit"]),
            folder=make_folder(subject.folder),
            repeats=options["repeats"],
            warn=warn,
            instrument=counting(
                loaded,
                (subject.folder, Path.cwd() if subject.work else loaded.path.parent),
                options["method"],
                is_by_rank=options["by"] == "rank",
            ),
            work=subject.work,
        )
        _tell_what_a_verdict_takes(loaded)
        carry_out(ctx, sweep, options, print_counts)


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is counted: an experiment, the folder of its sweep, and where it runs."""

    loaded: Loaded
    folder: Path
    work: Path | None


@contextmanager
def _subject(options: dict[str, Any]) -> Iterator[_Subject]:
    """Yield the experiment of a file, or one made of the command line.

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
        folder = options["folder"] or file.with_suffix(".counts")
        yield _Subject(with_options(loaded, options), folder.absolute(), None)
        return
    if options["kind"] == "slurm":
        raise click.UsageError("What Slurm is to start needs an EXPERIMENT.yaml.")
    loaded = experiment_in(_document(options), {}, is_counted=True)
    loaded = with_options(loaded, options)
    if options["folder"]:
        yield _Subject(loaded, options["folder"].absolute(), Path.cwd())
        return
    folder = Path(mkdtemp(prefix="scalewatch-count-"))
    try:
        yield _Subject(loaded, folder, Path.cwd())
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


def _tell_what_a_verdict_takes(loaded: Loaded) -> None:
    settings = {
        tuple(one.combination[name] for name in loaded.coordinate)
        for one in loaded.configured
    }
    if len(settings) < FOR_A_VERDICT:
        click.echo(
            f"{len(settings)} settings are too few for a verdict, which takes "
            f"{FOR_A_VERDICT}.",
            err=True,
        )
