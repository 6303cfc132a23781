"""The runs of a sweep, from their measurement to their delivery."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import click

from scalewatch.wire import RunReport
from scalewatch_agent.cli.outcome import report_outcome
from scalewatch_agent.delivery.deliver import ONCE, Delivery, deliver
from scalewatch_agent.delivery.spool import Spool, SpooledRun
from scalewatch_agent.delivery.upload import Patience, Undelivered
from scalewatch_agent.errors import FolderUnwritable


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
