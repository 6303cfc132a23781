"""Reduce traces of MPI programs to times, waits and efficiencies, and post these."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import click

from scalewatch.wire import Commit, Machine, Name, Sha
from scalewatch_agent.cli.exits import Exit
from scalewatch_agent.cli.measured import measured_runs, out_option
from scalewatch_agent.cli.options.parameters import wire
from scalewatch_agent.cli.options.server import server_options
from scalewatch_agent.cli.sweeping import scalar, warn
from scalewatch_agent.cli.tables.traces import print_traces
from scalewatch_agent.errors import VersionUnknown
from scalewatch_agent.traces.formats import read_trace, traces_in
from scalewatch_agent.traces.reduction import reduced
from scalewatch_agent.traces.results import region_names
from scalewatch_agent.traces.runs import TracedSubject, traced_run
from scalewatch_agent.versions import version_in

UNKNOWN: Final = "unknown"

EPILOG: Final = """\b
Examples:
  scalewatch-agent trace --read code_16.prv.gz --dry-run
  scalewatch-agent trace --read traces/ --dry-run --json
  scalewatch-agent trace --read traces/ --machine jureca --commit v1.2
  scalewatch-agent trace --read code_16.prv --at n=4096 --out traces.jsonl

\b
Exit codes:
  0    all traces are read and delivered
  2    the command line is wrong
  3    a trace cannot be read, and nothing is posted; or the runs are not
       delivered and kept in the spool
  130  interrupted"""


def _settings(
    _context: click.Context, _option: click.Parameter, stated: str | None
) -> dict[str, float]:
    """Return the parameters of `p=8,n=4096`."""
    settings = {}
    for text in stated.split(",") if stated else ():
        name, _, value = text.partition("=")
        number = scalar(value)
        if not name or isinstance(number, str | bool) or number <= 0:
            raise click.BadParameter(f"{text!r} is not NAME=NUMBER.")
        settings[name.strip()] = number
    return settings


@click.command(epilog=EPILOG)
@click.option(
    "--read",
    "paths",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE|FOLDER",
    help="A trace of Extrae (.prv, .prv.gz; names from the .pcf beside it), the anchor "
    "of an archive of OTF2 (.otf2), or a folder of them; more may follow.",
)
@click.argument("more", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE…]")
@click.option(
    "--at",
    "settings",
    callback=_settings,
    metavar="NAME=NUMBER,…",
    help="Further parameters of the runs: n=4096; p is what the trace says.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be posted, no more.")
@click.option(
    "--project",
    callback=wire(Name),
    metavar="NAME",
    help="Project of the runs; this folder's name unless given.",
)
@click.option(
    "--suite", callback=wire(Name), default="trace", show_default=True, metavar="NAME"
)
@click.option(
    "--commit",
    callback=wire(Sha),
    metavar="SHA",
    help="Version that was traced; what git has checked out here unless given.",
)
@click.option(
    "--machine",
    callback=wire(Name),
    metavar="NAME",
    help="Machine on which it was traced; needed unless --dry-run is given.",
)
@server_options
@out_option
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON per run.")
@click.pass_context
def command(
    ctx: click.Context, /, paths: Path, more: Sequence[Path], **options: Any
) -> None:
    """Reduce traces of MPI programs to times, waits and efficiencies, and post these.

    Each trace becomes a run: the program's run time, useful time and run time on an
    ideal network, and for each place that calls MPI its time, calls, messages, bytes
    and what it waits for. The trace stays where it is. With --dry-run and --json the
    runs are printed as they would be posted.
    """
    subject = _subject(options)
    # All are read before anything is posted.
    traces = {
        path: reduced(read_trace(path))
        for named in (paths, *more)
        for path in traces_in(named)
    }
    names = region_names(traces.values())
    reports = [traced_run(path, subject, one, names) for path, one in traces.items()]
    for report in reports:
        if remarks := report.job and report.job.environment.get("remarks"):
            warn(f"p = {report.coordinate['p']}: {remarks}")
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
        settings=options["settings"],
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
