"""Sweeps of experiments from the command line, and programs as experiments."""

import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

import click

from scalewatch.wire import Commit, Name, RunReport, Sha
from scalewatch_agent import errors, versions
from scalewatch_agent.cli.launching import is_queued, stated_launcher
from scalewatch_agent.cli.measured import finish, measured_runs, out_option
from scalewatch_agent.cli.options import (
    json_option,
    library_options,
    named,
    of_value,
    server_options,
    together,
)
from scalewatch_agent.cli.progress import job_display
from scalewatch_agent.experiments.documents import ExperimentDocument, read_document
from scalewatch_agent.experiments.expressions import Scalar
from scalewatch_agent.experiments.launchers import LAUNCHERS
from scalewatch_agent.experiments.loading import Loaded, experiment_in
from scalewatch_agent.experiments.sweep import ExperimentSweep

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
    named(
        "--commit",
        Sha,
        "SHA",
        "Version of the code; what git has checked out unless given.",
    ),
    named(
        "--machine", Name, "NAME", "Name of the machine; host or cluster unless given."
    ),
    server_options,
    out_option,
    json_option,
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


def version_of(loaded: Loaded, sha: str | None) -> versions.CheckedOutVersion:
    """Return what the command line, the file or git says, in this order."""
    given = loaded.experiment.commit
    if sha is not None:
        given = (given or Commit(sha=sha)).model_copy(update={"sha": sha})
    if given is not None:
        sources = versions.sources_digest(loaded.source)
        return versions.CheckedOutVersion(versions.completed(given), sources=sources)
    version = versions.version_in(loaded.source)
    if version.changes:
        click.echo(
            f"Warning: {loaded.source} differs from commit "
            f"{version.commit.sha[:10]}; its runs say so.",
            err=True,
        )
    return replace(version, commit=versions.completed(version.commit))


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
    left, total = len(requests), len(sweep.requests())
    if left < total:
        click.echo(
            f"{total - left} of {total} jobs of commit {sweep.version.commit.sha[:10]} "
            f"are measured already ({left} to do); --fresh measures them again.",
            err=True,
        )
    _say_what_changed(sweep)
    try:
        with job_display(len(requests)) as display:
            for report in sweep.run(requests, measured.keeps):
                measured.add(report)
                display.finish(report)
                measured.post_last()
    except KeyboardInterrupt:
        measured.tell_what_is_kept()
        if queued := sweep.journal.submitted:
            jobs = [str(event["job"]) for event in queued.values()]
            command = " ".join(sweep.launcher.cancel_command(jobs))
            click.echo(
                f"{len(queued)} jobs stay in the queue, and the same command will "
                f"collect them; to end them: {command}",
                err=True,
            )
        raise
    if not options["as_json"] and measured.reports:
        show(measured.reports)
    finish(ctx, measured, as_json=options["as_json"])


def warn(message: str) -> None:
    """Say on standard error what may surprise."""
    click.echo(f"Warning: {message}", err=True)


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
    with suppress(
        errors.FolderUnwritable
    ):  # later sweeps do not warn, and build all the same
        sweep.journal.note("sources", sha, sources=now)


COMMAND_LINE: Final = Path("command line")
"""Where an experiment stands that no file holds."""


@of_value
def swept_settings(stated: Sequence[str]) -> dict[str, list[Scalar]]:
    """Return parameters and their values, numbers where they look like numbers."""
    settings: dict[str, list[Scalar]] = {}
    for text in stated:
        name, is_there, values = text.partition("=")
        if not (name and is_there and all(values.split(","))):
            raise click.BadParameter(f"{text!r} is not NAME=VALUE,VALUE,…")
        settings[name] = [scalar(value) for value in values.split(",")]
    return settings


@dataclass(frozen=True, slots=True)
class SweptProgram:
    """An experiment, the folder of its sweep, and where its programs run."""

    loaded: Loaded
    folder: Path
    work: Path | None


@contextmanager
def swept_program(options: dict[str, Any], suffix: str) -> Iterator[SweptProgram]:
    """Yield the experiment of a file, or one made of the command line.

    `suffix` is that of the folder of a file's sweep.

    What a command was built from is not known, so that its jobs are always new, and
    their folder lives as long as the sweep.
    """
    words = options["words"]
    file = Path(words[0])
    if len(words) == 1 and file.suffix in {".yaml", ".yml"}:
        if options["processes"]:
            raise click.UsageError(f"The process counts are those of {file}.")
        document = read_document(file)
        loaded = experiment_in(document, options["settings"], is_counted=True)
        folder = options["folder"] or file.with_suffix(suffix)
        yield SweptProgram(with_options(loaded, options), folder.absolute(), None)
        return
    if is_queued(options):
        title = LAUNCHERS[options["kind"]].title
        raise click.UsageError(f"What {title} is to start needs an EXPERIMENT.yaml.")
    loaded = experiment_in(_document(options), {}, is_counted=True)
    loaded = with_options(loaded, options)
    if options["folder"]:
        yield SweptProgram(loaded, options["folder"].absolute(), Path.cwd())
        return
    folder = Path(mkdtemp(prefix="scalewatch-"))
    try:
        yield SweptProgram(loaded, folder, Path.cwd())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _document(options: dict[str, Any]) -> ExperimentDocument:
    """Return the experiment that a command line describes."""
    words, counts = options["words"], options["processes"]
    parameters = {**({"p": list(counts)} if counts else {}), **options["settings"]}
    if not parameters:
        raise click.UsageError(
            "What varies? Name process counts by -p 1,2,4,8,16 or values of a place in "
            "the command by --set n=64,128,256,512,1024."
        )
    source = options["source"] or Path.cwd()
    execute: dict[str, Any] = {
        "run": shlex.join(words),
        "time_limit": options["time_limit"],
    }
    if "p" in parameters:
        execute["processes"] = "p"
    numeric = [
        name
        for name, values in parameters.items()
        if all(isinstance(value, int | float) for value in values)
    ]
    suite = options["suite"] or Path(words[0]).name
    content = {
        "name": suite,
        "project": options["project"] or source.absolute().name,
        "source": str(source.absolute()),
        "parameters": parameters,
        "coordinate": numeric,
        "execute": execute,
    }
    return ExperimentDocument(COMMAND_LINE, content, {(): None})
