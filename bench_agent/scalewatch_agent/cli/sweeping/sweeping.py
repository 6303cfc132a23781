"""A sweep of an experiment from the command line: its options, jobs and delivery."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from scalewatch.wire import Commit, Name, RunReport, Sha
from scalewatch_agent.ci_variables import completed
from scalewatch_agent.cli.exits import Exit
from scalewatch_agent.cli.measured import MeasuredRuns, measured_runs, out_option
from scalewatch_agent.cli.options.launcher import stated_launcher
from scalewatch_agent.cli.options.library import library_options
from scalewatch_agent.cli.options.parameters import wire
from scalewatch_agent.cli.options.server import server_options
from scalewatch_agent.cli.options.together import together
from scalewatch_agent.cli.progress.jobs import job_display
from scalewatch_agent.errors import FolderUnwritable
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.launchers.jobs import Request
from scalewatch_agent.experiments.loading import Loaded
from scalewatch_agent.experiments.sources import sources_digest
from scalewatch_agent.experiments.sweep import ExperimentSweep
from scalewatch_agent.versions import CheckedOutVersion, version_in

sweep_options = together(
    library_options,
    click.option(
        "--fresh", is_flag=True, help="Build and measure again what is done already."
    ),
    click.option(
        "--folder",
        type=click.Path(file_okay=False, path_type=Path),
        help="Where the jobs run and the journal lies; FILE.sweep, or FILE.counts, "
        "unless given.",
    ),
    click.option(
        "--source",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Folder of the code under test; the file's choice unless given.",
    ),
    click.option(
        "--commit",
        callback=wire(Sha),
        metavar="SHA",
        help="Version of the code; what git has checked out unless given.",
    ),
    click.option(
        "--machine",
        callback=wire(Name),
        metavar="NAME",
        help="Name of the machine; host or cluster unless given.",
    ),
    server_options,
    out_option,
    click.option(
        "--json", "as_json", is_flag=True, help="Print a line of JSON per run."
    ),
)
"""Options of all sweeps of experiments."""


def scalar(text: str) -> Scalar:
    """Return a number where the text looks like one, true, false, or the text."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return {"true": True, "false": False}.get(text, text)


def with_options(loaded: Loaded, options: dict[str, Any]) -> Loaded:
    """Return an experiment with what the command line says of it."""
    changes: dict[str, Any] = {
        "launcher": loaded.experiment.launcher.changed(stated_launcher(options))
    }
    if machine := options["machine"]:
        changes["machine"] = machine
    if source := options["source"]:
        changes["source"] = str(source.absolute())
    return replace(loaded, experiment=loaded.experiment.model_copy(update=changes))


def version_of(loaded: Loaded, sha: str | None) -> CheckedOutVersion:
    """Return what the command line, the file or git says, in this order."""
    given = loaded.experiment.commit
    if sha is not None:
        given = (given or Commit(sha=sha)).model_copy(update={"sha": sha})
    if given is not None:
        sources = sources_digest(loaded.source)
        return CheckedOutVersion(completed(given), sources=sources)
    version = version_in(loaded.source)
    if version.changes:
        click.echo(
            f"Warning: {loaded.source} differs from commit "
            f"{version.commit.sha[:10]}; its runs say so.",
            err=True,
        )
    return replace(version, commit=completed(version.commit))


def carry_out(
    ctx: click.Context,
    sweep: ExperimentSweep,
    options: dict[str, Any],
    show: Callable[[list[RunReport]], None],
) -> None:
    """Execute the jobs that are left, deliver their runs, and set the exit code."""
    measured = measured_runs(options)
    if options["fresh"]:
        sweep.discard_builds()
    # A file holds the whole sweep, not what an earlier one has left.
    is_whole = options["fresh"] or options["out"]
    requests = sweep.requests() if is_whole else sweep.open_requests()
    _say_what_is_done(len(requests), len(sweep.requests()), sweep.version)
    _say_what_changed(sweep)
    try:
        _run(sweep, requests, measured)
    except KeyboardInterrupt:
        measured.tell_what_is_kept()
        _tell_what_is_queued(sweep)
        raise
    if not options["as_json"] and measured.reports:
        show(measured.reports)
    if not measured.deliver(as_json=options["as_json"]):
        ctx.exit(Exit.UNDELIVERED)
    if any(r.status == "failed" for run in measured.reports for r in run.results):
        ctx.exit(Exit.FAILED)


def warn(message: str) -> None:
    """Say on standard error what may surprise."""
    click.echo(f"Warning: {message}", err=True)


def _run(
    sweep: ExperimentSweep, requests: list[Request], measured: MeasuredRuns
) -> None:
    with job_display(len(requests)) as display:
        for report in sweep.run(requests, measured.keeps):
            measured.add(report)
            display.finish(report)
            measured.post_last()


def _tell_what_is_queued(sweep: ExperimentSweep) -> None:
    """Say which jobs stay with the scheduler when the agent ends."""
    if queued := sweep.journal.submitted:
        jobs = [str(event["job"]) for event in queued.values()]
        command = " ".join(sweep.launcher.cancel_command(jobs))
        click.echo(
            f"{len(queued)} jobs stay in the queue, and the same command will collect "
            f"them; to end them: {command}",
            err=True,
        )


def _say_what_changed(sweep: ExperimentSweep) -> None:
    """Say that other sources were measured under the same name, and keep these."""
    sha, now = sweep.version.commit.sha, sweep.version.sources
    before = sweep.journal.sources.get(sha)
    if now is None or now == before:
        return
    if before is not None:
        warn(
            f"the sources have changed since they were measured as {sha}: they are "
            "built and measured anew, and their runs join the earlier ones unless "
            "--commit names another version"
        )
    with suppress(FolderUnwritable):  # later sweeps do not warn, and build all the same
        sweep.journal.note("sources", sha, sources=now)


def _say_what_is_done(left: int, total: int, version: CheckedOutVersion) -> None:
    if left < total:
        click.echo(
            f"{total - left} of {total} jobs of commit {version.commit.sha[:10]} are "
            f"measured already ({left} to do); --fresh measures them again.",
            err=True,
        )
