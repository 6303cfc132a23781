"""Trace a program at several process counts, and post what its traces come to."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from scalewatch.wire import Commit, RunReport
from scalewatch_agent.cli.exits import Exit
from scalewatch_agent.cli.options.launcher import job_launcher
from scalewatch_agent.cli.progress.jobs import job_display
from scalewatch_agent.cli.sweeping.program import SweptProgram, swept_program
from scalewatch_agent.cli.sweeping.sweeping import version_of, warn
from scalewatch_agent.cli.traces.reading import UNKNOWN, show_and_deliver
from scalewatch_agent.errors import VersionUnknown
from scalewatch_agent.experiments.launchers.jobs import JobLauncher
from scalewatch_agent.experiments.loading import Loaded
from scalewatch_agent.experiments.sweep import ExperimentSweep
from scalewatch_agent.folders import interposers_folder, make_folder
from scalewatch_agent.traces.calibration.kept import calibration_for, library_of
from scalewatch_agent.traces.recording.build import interposer
from scalewatch_agent.traces.recording.tracing import Tracing
from scalewatch_agent.traces.results import PROGRAM, region_names
from scalewatch_agent.versions import CheckedOutVersion

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
    tracing = Tracing(
        interposer=interposer_for(launcher),
        roots=tuple(dict.fromkeys((loaded.source, Path.cwd()))),
        depth=options.get("depth", 0),
        kept=_kept(options.get("kept")),
        writes_otf2=options.get("otf2", False),
    )
    sweep = ExperimentSweep(
        loaded=loaded,
        launcher=launcher,
        version=_version(loaded, options),
        folder=make_folder(program.folder),
        repeats=options["repeats"] or _repeats(loaded),
        warn=warn,
        instrument=tracing,
        work=program.work,
    )
    tracing.calibration = calibration_for(
        options.get("calibration"), sweep.machine, library_of(launcher)
    )
    if options["fresh"]:
        sweep.discard_builds()
    reports = _renamed(_traced(sweep), tracing)
    show_and_deliver(ctx, reports, options)
    if any(each.status == "failed" for run in reports for each in run.results):
        ctx.exit(Exit.FAILED)


def interposer_for(launcher: JobLauncher) -> Path:
    """Return the interposer for the MPI library that a launcher uses."""
    return interposer(
        interposers_folder(),
        launcher.compilers["mpicc"],
        {**os.environ, **launcher.tools},
    )


def _kept(folder: Path | None) -> Path | None:
    return None if folder is None else make_folder(folder.absolute())


def _version(loaded: Loaded, options: dict[str, Any]) -> CheckedOutVersion:
    """Return the version that is traced; a dry run does without."""
    try:
        return version_of(loaded, options["commit"])
    except VersionUnknown:
        if not options["dry_run"]:
            raise
        return CheckedOutVersion(Commit(sha=UNKNOWN))


def _traced(sweep: ExperimentSweep) -> list[RunReport]:
    requests = sweep.requests()
    reports = []
    with job_display(len(requests)) as display:
        for report in sweep.run(requests, lambda _: False):
            reports.append(report)
            display.finish(_in_short(report))
    return reports


def _repeats(loaded: Loaded) -> int:
    experiment = loaded.experiment
    return experiment.repeats if "repeats" in experiment.model_fields_set else REPEATS


def _in_short(report: RunReport) -> RunReport:
    shown = [
        each
        for each in report.results
        if each.region == PROGRAM and (each.metric in SHOWN or each.status != "ok")
    ]
    return report.model_copy(update={"results": tuple(shown)})


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
