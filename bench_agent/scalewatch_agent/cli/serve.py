"""Wait for what the server wants measured once more, and measure it."""

import json
import os
import platform
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from scalewatch.errors import ScalewatchError
from scalewatch.wire import Name
from scalewatch_agent import compilers, errors, folders
from scalewatch_agent.cli.launching import job_launcher
from scalewatch_agent.cli.measured import SweepRuns
from scalewatch_agent.cli.options import server_options, wire
from scalewatch_agent.cli.subject import subject
from scalewatch_agent.delivery import confirmations
from scalewatch_agent.delivery.spool import Spool
from scalewatch_agent.experiments import confirming
from scalewatch_agent.experiments.instruments import WrittenOutput
from scalewatch_agent.experiments.loading import Loaded
from scalewatch_agent.experiments.sweep import ExperimentSweep
from scalewatch_agent.mpi import libraries
from scalewatch_agent.mpi.mpiexec import TRANSPORTS, Launcher, is_oversubscribed
from scalewatch_agent.programs import MOST_SECONDS
from scalewatch_agent.suite.suites import MEMORY, RUNTIME
from scalewatch_agent.suite.sweep import MeasuredSubject, SuiteSweep, run_sweep

EPILOG = """\b
Examples:
  scalewatch-agent serve --machine jureca --experiments ~/experiments
  scalewatch-agent serve --machine jureca --once     # from cron

\b
Exit codes:
  0    --once: nothing is left to be measured
  2    the command line is wrong
  3    --once: the server does not answer
  130  interrupted; another agent measures what was not finished
"""


@click.command(epilog=EPILOG)
@click.option(
    "--machine",
    callback=wire(Name),
    metavar="NAME",
    required=True,
    help="Machine whose runs are wanted, as its runs name it.",
)
@click.option(
    "--experiments",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    show_default=True,
    help="Folder of the experiment files that may be run; the built-in suites may be, "
    "with MPI libraries that are here.",
)
@click.option(
    "--poll",
    type=click.FloatRange(min=0.1, max=MOST_SECONDS),
    default=30.0,
    show_default=True,
    metavar="SECONDS",
    help="How often to ask.",
)
@click.option("--once", is_flag=True, help="Measure what is wanted now, and end.")
@server_options
def command(**options: Any) -> None:
    """Measure again what the server suspects on this machine.

    A result that only one job tells stops nobody: the server asks for another run.
    The agent runs the experiment that measured it, at the commit in question (checked
    out beside the code, from the same repository), or the built-in suite with the
    release of MPI in question, and posts the results. Several
    agents can serve a machine: each run is given to one of them.
    """
    if not confirming.experiments_in(options["folder"]):
        click.echo(
            f"{options['folder']} holds no experiment file (*.yaml): only runs of the "
            "built-in suites can be made",
            err=True,
        )
    agent = f"{platform.node() or 'agent'}-{os.getpid()}"
    is_silent = False
    with confirmations.ConfirmationRequests(
        options["server"], options["token"], agent
    ) as orders:
        while True:
            try:
                order = orders.claim(options["machine"])
                is_silent = False
            except errors.ServerSilent as error:
                if options["once"]:
                    raise
                if not is_silent:
                    click.echo(f"Warning: {error}; asking again", err=True)
                order, is_silent = None, True
            if order is not None:
                _carry_out(orders, order, options)
            elif options["once"]:
                return
            else:
                time.sleep(options["poll"])


def _carry_out(
    orders: confirmations.ConfirmationRequests,
    order: confirmations.ClaimedRun,
    options: dict[str, Any],
) -> None:
    """Measure what is asked for, and tell the server what came of it."""
    confirmation = order.confirmation
    click.echo(
        f"{confirmation.project} {confirmation.commit.sha[:10]}: {confirmation.reason}",
        err=True,
    )
    measured = SweepRuns(
        Spool(folders.spool_folder()), options["server"], options["token"]
    )
    try:
        with orders.holding(order):
            for sweep, launcher, subject in suite_sweeps(order):
                for reports in run_sweep(sweep, launcher, subject, lambda *_: None):
                    for report in reports:
                        measured.add(report)
                    measured.post_last()
            rest = tuple(each for each in order.settings if each.suite not in BUILT_IN)
            if rest or not order.settings:
                others = order.model_copy(update={"settings": rest})
                files = confirming.experiments_in(options["folder"])
                for loaded in confirming.experiments_for(others, files):
                    _measure(loaded, confirmation.commit.sha, measured)
    except ScalewatchError as error:
        state, outcome = "failed", str(error)
    else:
        is_delivered = measured.deliver(as_json=False)
        state, outcome = _outcome(measured, is_delivered=is_delivered)
    click.echo(f"{state}: {outcome}", err=True)
    try:
        orders.finish(order, state, outcome)
    except errors.ServerSilent as error:
        click.echo(f"Warning: {error}", err=True)


def _measure(loaded: Loaded, sha: str, measured: SweepRuns) -> None:
    """Run the jobs of an experiment once, each in a folder that is removed after."""
    with (
        tempfile.TemporaryDirectory(prefix="scalewatch-") as name,
        confirming.checked_out(loaded, sha, Path(name) / "code") as (there, version),
    ):
        folder = Path(name) / "sweep"
        folder.mkdir()
        sweep = ExperimentSweep(
            loaded=there,
            launcher=job_launcher(there),
            version=version,
            folder=folder,
            repeats=1,
            warn=lambda message: click.echo(f"Warning: {message}", err=True),
            instrument=WrittenOutput(there.experiment),
        )
        for report in sweep.run(sweep.requests(), measured.keeps):
            measured.add(report)
            measured.post_last()


def _outcome(measured: SweepRuns, *, is_delivered: bool) -> tuple[str, str]:
    runs = len(measured.reports)
    failed = sum(
        any(result.status == "failed" for result in report.results)
        for report in measured.reports
    )
    if not is_delivered:
        return "failed", f"{runs} runs measured, but not all could be delivered"
    if failed:
        return "failed", f"{failed} of {runs} runs failed"
    return "done", f"{runs} runs posted"


BUILT_IN: Final = {suite.name: suite for suite in (RUNTIME, MEMORY)}

WARM_UPS: Final = 8
BUDGET: Final = 1.0
"""Suites of `scalewatch-agent mpi`."""


def suite_sweeps(
    order: confirmations.ClaimedRun,
) -> Iterator[tuple[SuiteSweep, Launcher, MeasuredSubject]]:
    """Yield what an order wants of the built-in suites, once per configuration.

    Raises
    ------
    OrderImpossible
        If the library, or how it was started, is unknown here.
    """
    alike: dict[tuple[str, str], list[confirmations.RunSetting]] = defaultdict(list)
    for setting in order.settings:
        if setting.suite in BUILT_IN:
            held = json.dumps(setting.configuration, sort_keys=True)
            alike[setting.suite, held].append(setting)
    for (name, _), settings in alike.items():
        suite, configuration = BUILT_IN[name], settings[0].configuration
        is_compiled = configuration.get("loop") == "compiled"
        rare = [region for region in suite.more if region in order.confirmation.reason]
        size = int(configuration.get("message_bytes", suite.message_bytes))
        sweep = SuiteSweep(
            suite=suite,
            regions=(*suite.regions, *rare),
            processes=sorted({int(setting.coordinate["p"]) for setting in settings}),
            message_bytes=(size,),
            repetitions=suite.repetitions,
            warm_ups=WARM_UPS,
            budget=BUDGET,
            loop=compilers.build_loops(folders.loops_folder()) if is_compiled else None,
        )
        wanted = configuration.get("transport")
        transport = next((each for each in TRANSPORTS if each == wanted), None)
        if transport is None:
            raise errors.OrderImpossible(f"the agent knows no transport {wanted!r}")
        is_crowded = any(map(is_oversubscribed, sweep.processes))
        launcher = Launcher(
            _library(order),
            transport,
            crowded=bool(configuration.get("yield_when_idle", is_crowded)),
            level=configuration.get("thread_level"),
        )
        named = dict.fromkeys(
            ("project", "commit", "branch", "committed_at", "tag"), None
        )
        options = {**named, "parents": (), "machine": order.confirmation.machine}
        yield sweep, launcher, subject(options, launcher, suite)


def _library(order: confirmations.ClaimedRun) -> libraries.Library:
    """Return the release that is to be measured, where it is here."""
    project, release = order.confirmation.project, order.confirmation.commit.sha
    wanted = f"{project}=={release.removeprefix('v')}"
    folder = folders.libraries_folder()
    if project in libraries.PACKAGES and libraries.is_installed(wanted, folder):
        return libraries.install_library(wanted, folder)
    try:
        library = libraries.find_library()
    except ScalewatchError as error:
        raise errors.OrderImpossible(str(error)) from None
    if (library.name, f"v{library.version}") != (project, release):
        raise errors.OrderImpossible(
            f"{project} {release} is not installed here; the agent has {library.title}"
        )
    return library
