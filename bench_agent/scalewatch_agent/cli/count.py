"""Count the work of a program: calls of functions and iterations of loops."""

from pathlib import Path
from typing import Any

import click

from scalewatch.wire import Name
from scalewatch_agent.cli import sweeping
from scalewatch_agent.cli.launching import job_launcher, launcher_option
from scalewatch_agent.cli.options import (
    named,
    process_counts,
    time_limit_option,
    whole,
)
from scalewatch_agent.cli.tables import FOR_A_VERDICT, print_counts
from scalewatch_agent.counts.methods import METHODS, counting
from scalewatch_agent.errors import SUMMARY
from scalewatch_agent.experiments.sweep import ExperimentSweep
from scalewatch_agent.folders import sweep_folder

EXAMPLES = """\b
Examples:
  scalewatch-agent count examples/count/kernels.yaml
  gcc -O2 $(scalewatch-agent count --flags) -o sort sort.c
  scalewatch-agent count --set n=100,200,400,800,1600 -- ./sort {n}
  scalewatch-agent count -p 1,4,9,16,25 --by rank -- ./halo
  scalewatch-agent count -p 1,2,4,8,16 --set n=64,128,256 -- ./solver {n}
"""


def _print_flags(
    context: click.Context,
    _option: click.Parameter,
    is_wanted: bool,  # noqa: FBT001 - as click calls it
) -> None:
    if is_wanted:
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
    callback=sweeping.swept_settings,
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
@whole(
    "--repeats",
    "Jobs per combination; counts are exact, so that one tells them.",
    most=100,
    default=1,
)
@launcher_option
@named(
    "--project",
    Name,
    "NAME",
    "Project of the runs of a COMMAND; the folder's name unless given.",
)
@named(
    "--suite",
    Name,
    "NAME",
    "Suite of the runs of a COMMAND; the program's name unless given.",
)
@time_limit_option("a job of a COMMAND")
@sweeping.sweep_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Count the work of a program: calls of functions and iterations of loops.

    Counts depend neither on load nor on the machine, add up over processes and need
    one job per setting. An experiment is the file that `run` takes, with {cflags} where
    it compiles; a COMMAND is started as it is, in this folder.
    """
    with sweeping.swept_program(options, ".counts") as subject:
        loaded = subject.loaded
        sweep = ExperimentSweep(
            loaded=loaded,
            launcher=job_launcher(loaded),
            version=sweeping.version_of(loaded, options["commit"]),
            folder=sweep_folder(subject.folder),
            repeats=options["repeats"],
            warn=sweeping.warn,
            instrument=counting(
                loaded,
                (subject.folder, Path.cwd() if subject.work else loaded.path.parent),
                options["method"],
                is_by_rank=options["by"] == "rank",
            ),
            work=subject.work,
        )
        settings = {
            tuple(each.combination[name] for name in loaded.coordinate)
            for each in loaded.configured
        }
        if len(settings) < FOR_A_VERDICT:
            click.echo(
                f"{len(settings)} settings are too few for a verdict, which takes "
                f"{FOR_A_VERDICT}.",
                err=True,
            )
        sweeping.carry_out(ctx, sweep, options, print_counts)
