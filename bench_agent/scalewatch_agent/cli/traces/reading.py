"""Reduce traces that somebody has recorded, and post what they come to."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from scalewatch.wire import Commit, Machine, RunReport
from scalewatch_agent.cli.exits import Exit
from scalewatch_agent.cli.measured import measured_runs
from scalewatch_agent.cli.sweeping.sweeping import warn
from scalewatch_agent.cli.tables.traces import print_traces
from scalewatch_agent.errors import VersionUnknown
from scalewatch_agent.traces.calibration.kept import AUTO
from scalewatch_agent.traces.calibration.table import read_calibration
from scalewatch_agent.traces.formats import read_reduced, traces_in
from scalewatch_agent.traces.otf2.writer import ARCHIVE, write_otf2
from scalewatch_agent.traces.own.reader import is_own_trace, read_own
from scalewatch_agent.traces.results import region_names
from scalewatch_agent.traces.runs import TracedSubject, traced_run
from scalewatch_agent.versions import version_in

UNKNOWN: Final = "unknown"


def read(ctx: click.Context, paths: Sequence[Path], options: dict[str, Any]) -> None:
    """Reduce the traces at some paths, and post them or show what would be posted."""
    subject = _subject(options)
    calibration = None
    if table := options["calibration"]:
        if table == AUTO:
            raise click.UsageError(
                "Where a trace was recorded is not known: name its calibration."
            )
        calibration = read_calibration(Path(table))
    # All are read before anything is posted.
    traces = {
        path: read_reduced(path, calibration)
        for named in paths
        for path in traces_in(named)
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


def _subject(options: dict[str, Any]) -> TracedSubject:
    machine = options["machine"]
    if machine is None and not options["dry_run"]:
        raise click.UsageError(
            "A trace does not say where it was recorded: name it by --machine."
        )
    return TracedSubject(
        project=options["project"] or Path.cwd().name or UNKNOWN,
        suite=options["suite"],
        commit=_commit(options),
        machine=Machine(name=machine or UNKNOWN),
        settings=options["at"],
    )


def _commit(options: dict[str, Any]) -> Commit:
    """Return the version that was traced; a dry run does without."""
    if options["commit"]:
        return Commit(sha=options["commit"])
    try:
        return version_in(Path.cwd()).commit
    except VersionUnknown:
        if not options["dry_run"]:
            raise
        return Commit(sha=UNKNOWN)
