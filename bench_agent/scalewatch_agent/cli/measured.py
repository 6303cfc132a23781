"""The runs of a sweep, from their measurement to their delivery."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import click

from scalewatch.wire import RunReport
from scalewatch_agent.cli.outcome import report_outcome, runs
from scalewatch_agent.cli.summary import run_summary
from scalewatch_agent.delivery.deliver import ONCE, Delivery, deliver
from scalewatch_agent.delivery.spool import Spool, SpooledRun
from scalewatch_agent.delivery.upload import Patience, Undelivered
from scalewatch_agent.errors import FolderUnwritable
from scalewatch_agent.folders import spool_folder


class MeasuredRuns(Protocol):
    """Takes the runs of a sweep, and brings them where they belong."""

    reports: list[RunReport]

    def add(self, report: RunReport) -> None:
        """Take a run as soon as it is measured."""

    def keeps(self, report: RunReport) -> bool:
        """Tell whether a run outlives the agent."""

    def post_last(self) -> None:
        """Post the newest run once; whether that succeeds can wait until the end."""

    def deliver(self, *, as_json: bool) -> bool:
        """Post what is left, and return whether all runs are where they belong."""

    def tell_what_is_kept(self) -> None:
        """Say where the finished runs of an interrupted sweep are."""


out_option = click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the runs to this file, as JSON Lines, instead of posting them.",
)


def measured_runs(options: Mapping[str, Any]) -> MeasuredRuns:
    """Return what takes the runs: a file where `--out` names one, else a server."""
    if options["out"] is not None:
        return RunsFile(options["out"])
    return SweepRuns(Spool(spool_folder()), options["server"], options["token"])


@dataclass(slots=True)
class RunsFile:
    """A file of runs, one JSON object a line, which `scalewatch model` reads."""

    path: Path
    reports: list[RunReport] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._write("", "w")

    def add(self, report: RunReport) -> None:
        """Write a run down."""
        self._write(
            report.model_dump_json(by_alias=True, exclude_none=True) + "\n", "a"
        )
        self.reports.append(report)

    def _write(self, text: str, mode: str) -> None:
        try:
            with self.path.open(mode, encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            reason = f"{self.path} cannot be written: {error.strerror}."
            raise click.BadParameter(reason, param_hint="'--out'") from None

    def keeps(self, report: RunReport) -> bool:
        """Tell whether a run is in the file."""
        return report in self.reports

    def post_last(self) -> None:
        """Leave the run where it is."""

    def deliver(self, *, as_json: bool) -> bool:
        """Say what was written."""
        if as_json:
            for report in self.reports:
                state = {"state": "written", "path": str(self.path)}
                click.echo(run_summary(report, state))
        else:
            click.echo(f"{runs(len(self.reports))} written to {self.path}")
        return True

    def tell_what_is_kept(self) -> None:
        """Say what the file holds."""
        click.echo(f"\n{runs(len(self.reports))} written to {self.path}", err=True)


@dataclass(slots=True)
class SweepRuns:
    """The runs that a sweep has measured so far, each on disk at once."""

    spool: Spool
    server: str
    token: str | None
    reports: list[RunReport] = field(default_factory=list)
    entries: list[SpooledRun] = field(default_factory=list)
    deliveries: dict[str, Delivery] = field(default_factory=dict)

    def add(self, report: RunReport) -> None:
        """Spool a run; where the disk is full, it waits in memory for its delivery."""
        entry = self.spool.entry(report, self.server)
        self.reports.append(report)
        self.entries.append(entry)
        try:
            self.spool.put(entry)
        except FolderUnwritable as error:
            click.echo(f"Warning: {error}", err=True)

    def keeps(self, report: RunReport) -> bool:
        """Tell whether a run outlives the agent: on disk, or on the server."""
        paths = (entry.path for entry in self.entries if entry.id == str(report.id))
        return str(report.id) in self.deliveries or any(path.exists() for path in paths)

    def post_last(self) -> None:
        """Post the newest run once; whether that succeeds can wait until the end."""
        try:
            for delivery in self._deliver(self.entries[-1:], ONCE):
                if not isinstance(delivery.answer, Undelivered):
                    self.deliveries[delivery.entry.id] = delivery
        except FolderUnwritable:
            return  # the disk is full; the run stays in memory

    def deliver(self, *, as_json: bool) -> bool:
        """Post what is left, and return whether the server has all runs."""
        left = [entry for entry in self.entries if entry.id not in self.deliveries]
        for delivery in self._deliver(left, Patience()):
            self.deliveries[delivery.entry.id] = delivery
        ordered = [self.deliveries[entry.id] for entry in self.entries]
        return report_outcome(self.reports, ordered, self.spool, as_json=as_json)

    def _deliver(
        self, entries: list[SpooledRun], patience: Patience
    ) -> Iterator[Delivery]:
        return deliver(entries, self.spool, patience, token=self.token)

    def tell_what_is_kept(self) -> None:
        """Say where the finished runs of an interrupted sweep are."""
        kept = [entry for entry in self.entries if entry.id not in self.deliveries]
        if kept:
            click.echo(
                f"\n{len(kept)} finished runs are kept in {self.spool.folder}: "
                "scalewatch-agent spool replay",
                err=True,
            )
