"""Measure OpenMP over threads: memory bandwidth, constructs, and a CG solver."""

import json
from collections.abc import Iterator
from typing import Any

import click

from scalewatch.wire import Machine, RunReport
from scalewatch_agent import folders, machine
from scalewatch_agent.cli.measured import finish, measured_runs, out_option
from scalewatch_agent.cli.options import (
    json_option,
    process_counts,
    server_options,
    time_limit_option,
    whole,
)
from scalewatch_agent.cli.progress import job_display
from scalewatch_agent.cli.subject import commit, subject_options
from scalewatch_agent.cli.tables import print_openmp
from scalewatch_agent.errors import SUMMARY
from scalewatch_agent.openmp import measuring
from scalewatch_agent.openmp.plan import KINDS, Job, OpenMPSweep, usual_threads
from scalewatch_agent.suite.sweep import MeasuredSubject

EXAMPLES = """\b
Examples:
  scalewatch-agent openmp -t 1,2,4
  scalewatch-agent openmp -t 1,2 --part overheads --repetitions 50
  scalewatch-agent openmp -t 1,2,4 --elements 80000000 --width 4000,6000,8000
  CC=clang scalewatch-agent openmp -t 1,2 --out runs.jsonl
  scalewatch model runs.jsonl --compose 'cg = 13*8*N/triad + 2*parallel'
"""


@click.command(epilog=f"{EXAMPLES}\n{SUMMARY}")
@click.option(
    "-t",
    "--threads",
    callback=process_counts,
    metavar="T,T,…",
    help="Thread counts; 1,2,4,… up to the cores unless given. Times of more threads "
    "than cores are flagged, and are no evidence.",
)
@click.option(
    "--part",
    "parts",
    type=click.Choice(list(KINDS)),
    multiple=True,
    help="Measure no more than this part; may be repeated.",
)
@whole(
    "--repetitions",
    "Repetitions of each kernel, construct and iteration.",
    most=100_000,
    default=20,
)
@click.option(
    "--elements",
    type=click.IntRange(min=1_000, max=10**12),
    default=20_000_000,
    show_default=True,
    help="Doubles in each of STREAM's three arrays, which have to be several times as "
    "large as the last cache.",
)
@click.option(
    "--width",
    "widths",
    callback=process_counts,
    metavar="M,M,…",
    default="1500,2000,2500,3000,3500",
    show_default=True,
    help="Points along a side of CG's square: N = M².",
)
@time_limit_option()
@click.option("--dry-run", is_flag=True, help="Print the jobs, no more.")
@subject_options
@server_options
@out_option
@json_option
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Measure OpenMP over threads: memory bandwidth, constructs, and a CG solver.

    The four kernels of STREAM, the overhead of parallel, for, barrier, reduction,
    single, critical and task after EPCC's method, and an iteration of conjugate
    gradients on N points. The compiler in CC, or on PATH, compiles them once; its
    OpenMP is what is measured. Every repetition is posted.
    """
    if options["project"] and not options["commit"]:
        raise click.UsageError("--project needs --commit: which version is measured?")
    sweep = OpenMPSweep(
        threads=options["threads"] or usual_threads(machine.processors()),
        parts=options["parts"] or tuple(KINDS),
        elements=options["elements"],
        widths=options["widths"],
        repetitions=options["repetitions"],
    )
    if options["dry_run"]:
        jobs = [job for alike in sweep.jobs() for job in alike]
        _print_plan(jobs, as_json=options["as_json"])
        return
    kernels = measuring.build_kernels(folders.loops_folder())
    measured = measured_runs(options)
    try:
        with job_display(sum(map(len, sweep.jobs()))) as display:
            for report in _reports(sweep, kernels, options):
                measured.add(report)
                display.finish(report)
    except KeyboardInterrupt:
        measured.tell_what_is_kept()
        raise
    if not options["as_json"]:
        title = f"OpenMP of {kernels.compiler} {kernels.version}"
        print_openmp(title, measured.reports)
    finish(ctx, measured, as_json=options["as_json"])


def _reports(
    sweep: OpenMPSweep, kernels: measuring.Kernels, options: dict[str, Any]
) -> Iterator[RunReport]:
    for jobs in sweep.jobs():
        outcomes = measuring.measure_in_turns(
            kernels.program, jobs, options["time_limit"]
        )
        for job, outcome in zip(jobs, outcomes, strict=True):
            environment = measuring.environment_of(job)
            compiler, release = kernels.compiler, f"v{kernels.version}"
            subject = MeasuredSubject(
                project=options["project"] or f"openmp-{compiler}",
                commit=commit(
                    options, f"OpenMP of {compiler} {kernels.version}", release
                ),
                machine=Machine(
                    name=options["machine"] or machine.host_name(),
                    fingerprint={**machine.hardware()},
                ),
                settings={"placement": measuring.placement(environment)},
            )
            yield measuring.run_report(subject, job, outcome, environment)


def _print_plan(jobs: list[Job], *, as_json: bool) -> None:
    """Print the jobs with their memory, and which threads will share cores."""
    for job in jobs:
        if as_json:
            click.echo(
                json.dumps(
                    {
                        "part": job.part,
                        "coordinate": job.coordinate,
                        "configuration": job.configuration,
                        "repetitions": job.repetitions,
                        "memory_bytes": job.memory,
                        "oversubscribed": job.is_oversubscribed,
                    }
                )
            )
            continue
        words = f"{job.title}  {job.repetitions} repetitions"
        if job.memory:
            words += f", {job.memory / 1e6:,.0f} MB"
        if job.is_oversubscribed:
            words += f", oversubscribed: {machine.processors()} cores"
        click.echo(words)
