"""Record traces, or read those of others, and post what they come to."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from scalewatch.wire import Commit, Machine, RunReport
from scalewatch_agent import errors, folders
from scalewatch_agent.cli.launching import job_launcher
from scalewatch_agent.cli.measured import measured_runs
from scalewatch_agent.cli.progress import job_display
from scalewatch_agent.cli.sweeping import SweptProgram, swept_program, version_of, warn
from scalewatch_agent.cli.traces.tables import print_traces
from scalewatch_agent.errors import Exit
from scalewatch_agent.experiments.launchers.jobs import JobLauncher
from scalewatch_agent.experiments.sweep import ExperimentSweep
from scalewatch_agent.traces import formats
from scalewatch_agent.traces.calibration.table import (
    AUTO,
    calibration_for,
    library_of,
    read_calibration,
)
from scalewatch_agent.traces.otf2.writer import ARCHIVE, write_otf2
from scalewatch_agent.traces.own.reader import is_own_trace, read_own
from scalewatch_agent.traces.recording.build import interposer
from scalewatch_agent.traces.recording.tracing import Tracing
from scalewatch_agent.traces.results import (
    PROGRAM,
    TracedSubject,
    region_names,
    traced_run,
)
from scalewatch_agent.versions import CheckedOutVersion, version_in

SUITE: Final = "trace"
REPEATS: Final = 3
"""Traces of each combination, where the experiment says nothing of it."""

SHOWN: Final = frozenset({"runtime", "mpi_time"})
"""Metrics of the program that are shown as soon as it has ended."""


def record(ctx: click.Context, options: dict[str, Any]) -> None:
    """Trace the program, or the experiment, that the command line names."""
    named = options | {"suite": options["suite"] or SUITE}
    with swept_program(named, ".traces") as program:
        record_program(ctx, program, options)


def record_program(
    ctx: click.Context, program: SweptProgram, options: dict[str, Any]
) -> None:
    """Carry out a traced sweep as a whole: places are named over all of it."""
    suite = options.get("suite") or SUITE
    experiment = program.loaded.experiment.model_copy(update={"suite": suite})
    loaded = replace(program.loaded, experiment=experiment)
    launcher = job_launcher(loaded)
    is_stated = "repeats" in experiment.model_fields_set
    folder = options.get("kept")
    tracing = Tracing(
        interposer=interposer_for(launcher),
        roots=tuple(dict.fromkeys((loaded.source, Path.cwd()))),
        depth=options.get("depth", 0),
        kept=None
        if folder is None
        else folders.make_folder(folder.absolute(), named_by="by --keep"),
        writes_otf2=options.get("otf2", False),
    )
    sweep = ExperimentSweep(
        loaded=loaded,
        launcher=launcher,
        version=_version(lambda: version_of(loaded, options["commit"]), options),
        folder=folders.sweep_folder(program.folder),
        repeats=options["repeats"] or (experiment.repeats if is_stated else REPEATS),
        warn=warn,
        instrument=tracing,
        work=program.work,
    )
    tracing.calibration = calibration_for(
        options.get("calibration"), sweep.machine, library_of(launcher)
    )
    if options["fresh"]:
        sweep.discard_builds()
    requests = sweep.requests()
    reports = []
    with job_display(len(requests)) as display:
        for report in sweep.run(requests, lambda _: False):
            reports.append(report)
            shown = [
                each
                for each in report.results
                if each.region == PROGRAM
                and (each.metric in SHOWN or each.status != "ok")
            ]
            display.finish(report.model_copy(update={"results": tuple(shown)}))
    reports = _renamed(reports, tracing)
    show_and_deliver(ctx, reports, options)
    if any(each.status == "failed" for run in reports for each in run.results):
        ctx.exit(Exit.FAILED)


def interposer_for(launcher: JobLauncher) -> Path:
    """Return the interposer for the MPI library that a launcher uses."""
    return interposer(
        folders.interposers_folder(),
        launcher.compilers["mpicc"],
        {**os.environ, **launcher.tools},
    )


def _version(
    find: Callable[[], CheckedOutVersion], options: dict[str, Any]
) -> CheckedOutVersion:
    """Return the version that is traced; a dry run does without."""
    try:
        return find()
    except errors.VersionUnknown:
        if not options["dry_run"]:
            raise
        return CheckedOutVersion(Commit(sha=UNKNOWN))


def _renamed(reports: list[RunReport], tracing: Tracing) -> list[RunReport]:
    """Return the runs with the names that their places have in all of them."""
    known = [each for each in tracing.traced if each is not None]
    together = region_names(known)
    renamed = []
    for report, sums in zip(reports, tracing.traced, strict=True):
        if sums is None:
            renamed.append(report)
            continue
        alone = region_names([sums])
        names = {alone[key]: together[key] for key in alone}
        results = tuple(
            each.model_copy(update={"region": names.get(each.region, each.region)})
            for each in report.results
        )
        renamed.append(report.model_copy(update={"results": results}))
    return renamed


UNKNOWN: Final = "unknown"


def read(ctx: click.Context, paths: Sequence[Path], options: dict[str, Any]) -> None:
    """Reduce the traces at some paths, and post them or show what would be posted."""
    machine = options["machine"]
    if machine is None and not options["dry_run"]:
        raise click.UsageError(
            "A trace does not say where it was recorded: name it by --machine."
        )
    if options["commit"]:
        commit = Commit(sha=options["commit"])
    else:
        commit = _version(lambda: version_in(Path.cwd()), options).commit
    subject = TracedSubject(
        project=options["project"] or Path.cwd().name or UNKNOWN,
        suite=options["suite"],
        commit=commit,
        machine=Machine(name=machine or UNKNOWN),
        settings=options["at"],
    )
    calibration = None
    if table := options["calibration"]:
        if table == AUTO:
            raise click.UsageError(
                "Where a trace was recorded is not known: name its calibration."
            )
        calibration = read_calibration(Path(table))
    # All are read before anything is posted.
    traces = {
        path: formats.read_reduced(path, calibration)
        for named in paths
        for path in formats.traces_in(named)
    }
    if options["otf2"]:
        for path in filter(is_own_trace, traces):
            write_otf2(read_own(path), path / ARCHIVE)
    names = region_names(traces.values())
    reports = [traced_run(path, subject, each, names) for path, each in traces.items()]
    show_and_deliver(ctx, reports, options)


def show_and_deliver(
    ctx: click.Context, reports: Sequence[RunReport], options: dict[str, Any]
) -> None:
    """Show the runs of traces and, unless it is a dry run, deliver them."""
    for report in reports:
        if remarks := report.job and report.job.environment.get("remarks"):
            warn(f"p = {report.coordinate.get('p', '?')}: {remarks}")
    if options["dry_run"] and options["as_json"]:
        for report in reports:
            click.echo(report.model_dump_json(by_alias=True, exclude_none=True))
        return
    if not options["as_json"]:
        print_traces(reports)
    if options["dry_run"]:
        return
    measured = measured_runs(options)
    for report in reports:
        measured.add(report)
    if not measured.deliver(as_json=options["as_json"]):
        ctx.exit(Exit.UNDELIVERED)
