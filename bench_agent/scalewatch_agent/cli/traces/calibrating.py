"""Carry out a calibration: rounds of jobs, the table, and the runs that are posted."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from scalewatch.wire import Procedure, Result, RunReport
from scalewatch_agent.cli.options.launcher import job_launcher
from scalewatch_agent.cli.options.subject import commit
from scalewatch_agent.cli.progress.jobs import job_display
from scalewatch_agent.cli.sweeping.program import COMMAND_LINE
from scalewatch_agent.cli.sweeping.sweeping import warn, with_options
from scalewatch_agent.cli.traces.recording import interposer_for
from scalewatch_agent.errors import CalibrationUnusable
from scalewatch_agent.experiments.documents import ExperimentDocument
from scalewatch_agent.experiments.launchers.jobs import JobLauncher
from scalewatch_agent.experiments.launchers.local import LocalJobs
from scalewatch_agent.experiments.loading import Loaded, experiment_in
from scalewatch_agent.experiments.sweep import ExperimentSweep
from scalewatch_agent.machine import processors
from scalewatch_agent.mpi.process_counts import timed_counts
from scalewatch_agent.traces.calibration.cells import Cell
from scalewatch_agent.traces.calibration.kept import kept_calibration, library_of
from scalewatch_agent.traces.calibration.table import Calibration
from scalewatch_agent.traces.recording.calibrating import (
    ROUNDS,
    Calibrating,
    Sizes,
    command,
    compilation,
    first_sizes,
    sizes_at_jumps,
)
from scalewatch_agent.traces.recording.tracing import Tracing
from scalewatch_agent.versions import CheckedOutVersion

SUITE: Final = "mpi-calibration"


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A table, the file in which the agent keeps it, and its runs."""

    table: Calibration
    path: Path
    reports: Sequence[RunReport]


def calibrate(options: dict[str, Any], folder: Path) -> Calibrated:
    """Measure the table that the command line asks for.

    Raises
    ------
    CalibrationUnusable
        If a job fails, since a table with gaps would mislead.
    """
    sizes = first_sizes(options["functions"], options["sizes"])
    launcher = job_launcher(_loaded(options, folder, sizes))
    instrument = Calibrating(Tracing(interposer_for(launcher), ()), options["blocks"])
    templates: list[RunReport] = []
    for _ in range(ROUNDS):
        loaded = _loaded(options, folder, sizes)
        sweep = _sweep(loaded, launcher, instrument, options, folder)
        reports = _measured(sweep)
        templates = templates or reports
        sizes = sizes_at_jumps(instrument.cells)
        if not sizes:
            break
    machine, library = templates[0].machine.name, library_of(launcher)
    begun = next(each.job.started_at for each in templates if each.job)
    title = f"{library} on {machine}" + (f", {begun:%Y-%m-%d}" if begun else "")
    return Calibrated(
        Calibration(title, tuple(instrument.cells)),
        kept_calibration(machine, library),
        list(_runs(templates, instrument.cells)),
    )


def _loaded(options: dict[str, Any], folder: Path, sizes: Sizes) -> Loaded:
    counts = options["processes"] or timed_counts(processors())
    content = {
        "name": SUITE,
        "project": options["project"] or SUITE,
        "source": str(folder),
        "parameters": {"p": list(counts)},
        "compile": compilation(folder),
        "execute": {
            "run": command(
                "{compile}", sizes, options["blocks"], options["repetitions"]
            ),
            "processes": "p",
            "time_limit": options["time_limit"],
        },
    }
    document = ExperimentDocument(COMMAND_LINE, content, {(): None})
    loaded = experiment_in(document, {}, is_counted=True)
    return with_options(loaded, {**options, "source": None})


def _sweep(
    loaded: Loaded,
    launcher: JobLauncher,
    instrument: Calibrating,
    options: dict[str, Any],
    folder: Path,
) -> ExperimentSweep:
    """Return a sweep whose project is the library that is measured, unless named."""
    if isinstance(launcher, LocalJobs):
        library = launcher.launcher.library
        name, version = library.name, library.version
    else:
        name, version = "simgrid", library_of(launcher).split(" ")[1]
    experiment = loaded.experiment
    if options["project"] is None:
        experiment = experiment.model_copy(update={"project": name})
    measured = commit(options, library_of(launcher), f"v{version}")
    return ExperimentSweep(
        loaded=replace(loaded, experiment=experiment),
        launcher=launcher,
        version=CheckedOutVersion(measured),
        folder=folder,
        repeats=1,
        warn=warn,
        instrument=instrument,
    )


def _measured(sweep: ExperimentSweep) -> list[RunReport]:
    reports = []
    requests = sweep.requests()
    with job_display(len(requests)) as display:
        for report in sweep.run(requests, lambda _: False):
            display.finish(report)
            for result in report.results:
                if result.status == "failed":
                    raise CalibrationUnusable(
                        f"p = {report.coordinate['p']}", str(result.reason)
                    )
            reports.append(report)
    return reports


def _runs(templates: Sequence[RunReport], cells: Sequence[Cell]) -> Iterator[RunReport]:
    """Yield a run for each number of processes and bytes."""
    together = defaultdict(list)
    for cell in cells:
        together[cell.processes, cell.bytes].append(cell)
    for template in templates:
        procedure = template.results[0].procedure
        for (processes, size), measured in sorted(together.items()):
            if processes != template.coordinate["p"]:
                continue
            coordinate = {"p": processes, **({"bytes": size} if size else {})}
            yield template.model_copy(
                update={
                    "id": uuid4(),
                    "coordinate": coordinate,
                    "results": tuple(_result(cell, procedure) for cell in measured),
                }
            )


def _result(cell: Cell, procedure: Procedure | None) -> Result:
    return Result(
        region=cell.function,
        metric="t_max",
        unit="s",
        better="lower",
        values=(cell.best,),
        procedure=procedure,
    )
