"""The runs of a sweep, from their measurement to their delivery."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import click

from scalewatch.stores.branches import BRANCH
from scalewatch.wire import Result, RunReport
from scalewatch_agent import errors, folders
from scalewatch_agent.cli.options import together
from scalewatch_agent.delivery.deliver import (
    ONCE,
    STORE,
    Delivered,
    Delivery,
    Patience,
    Refused,
    Undelivered,
    deliver,
)
from scalewatch_agent.delivery.spool import Spool, SpooledRun
from scalewatch_agent.errors import Exit


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


def _whole(
    _context: click.Context, _option: click.Parameter, where: str | None
) -> str | None:
    """Return a place that means the same wherever runs are delivered later."""
    if where is None or where.startswith(BRANCH):
        return where
    return str(Path(where).absolute())


out_option = together(
    click.option(
        "--out",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write the runs to this file, as JSON Lines, instead of posting them.",
    ),
    click.option(
        "--store",
        callback=_whole,
        metavar="WHERE",
        envvar="SCALEWATCH_STORE",
        help="Add the runs to a store instead: DIR, or branch:NAME[@REMOTE].",
    ),
)
"""Where runs go that are not posted."""


def measured_runs(options: Mapping[str, Any]) -> MeasuredRuns:
    """Return what takes the runs: a file, a store or a server."""
    if options["out"] is not None:
        return RunsFile(options["out"])
    store = options["store"]
    place = options["server"] if store is None else f"{STORE}{store}"
    return SweepRuns(Spool(folders.spool_folder()), place, options["token"])


def finish(ctx: click.Context, measured: MeasuredRuns, *, as_json: bool) -> None:
    """Deliver the runs, and end with the exit code that tells what came of them."""
    if not measured.deliver(as_json=as_json):
        ctx.exit(Exit.UNDELIVERED)
    if any(r.status == "failed" for run in measured.reports for r in run.results):
        ctx.exit(Exit.FAILED)


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
        except errors.FolderUnwritable as error:
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
        except errors.FolderUnwritable:
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


def report_outcome(
    reports: Sequence[RunReport],
    deliveries: Sequence[Delivery],
    spool: Spool,
    *,
    as_json: bool,
) -> bool:
    """Say what became of the runs of a sweep, and return whether all are delivered."""
    if as_json:
        for report, delivery in zip(reports, deliveries, strict=True):
            click.echo(run_summary(report, delivery_state(delivery)))
    report_deliveries(deliveries, spool, quiet=as_json)
    older = len(list(spool.pending())) - len(_undelivered(deliveries))
    if older > 0:
        click.echo(
            f"{runs(older)} of earlier sweeps not yet delivered, in {spool.folder}: "
            "scalewatch-agent spool replay",
            err=True,
        )
    return all(isinstance(delivery.answer, Delivered) for delivery in deliveries)


def report_deliveries(
    deliveries: Sequence[Delivery], spool: Spool, *, quiet: bool
) -> None:
    """Say what was delivered and, on standard error, what was not and where it is."""
    delivered = [d for d in deliveries if isinstance(d.answer, Delivered)]
    if delivered and not quiet:
        place = delivered[-1].server.removeprefix(STORE)
        click.echo(f"{runs(len(delivered))} delivered to {place}")
    for delivery in deliveries:
        if isinstance(delivery.answer, Refused):
            click.echo(
                f"{delivery.server} refused run {delivery.entry.id}: it "
                f"{delivery.answer.reason}; the run is kept in {spool.rejected}",
                err=True,
            )
    if undelivered := _undelivered(deliveries):
        last = undelivered[-1]
        assert isinstance(last.answer, Undelivered)
        place = last.server.removeprefix(STORE)
        click.echo(
            f"{runs(len(undelivered))} not delivered: {place} "
            f"{last.answer.reason}. Kept in {spool.folder}; "
            "deliver with: scalewatch-agent spool replay",
            err=True,
        )


def runs(number: int) -> str:
    """Count runs in words: `1 run`, `5 runs`."""
    return f"{number} run{'' if number == 1 else 's'}"


def _undelivered(deliveries: Sequence[Delivery]) -> list[Delivery]:
    return [d for d in deliveries if isinstance(d.answer, Undelivered)]


def run_summary(report: RunReport, state: Mapping[str, Any]) -> str:
    """Return a run and what became of it as one line of JSON."""
    return json.dumps(
        {
            "id": str(report.id),
            "project": report.project,
            "commit": report.commit.sha,
            "machine": report.machine.name,
            "p": report.coordinate.get("p"),
            "coordinate": report.coordinate,
            **state,
            "results": [_result_summary(result) for result in report.results],
        }
    )


def delivery_state(delivery: Delivery) -> Mapping[str, Any]:
    """Return what became of a run, for programs."""
    match delivery.answer:
        case Delivered(receipt):
            return {"state": "delivered", "run": receipt.get("run")}
        case Refused():
            return {"state": "refused", "reason": delivery.answer.reason}
        case Undelivered(reason):
            return {
                "state": "kept",
                "reason": f"{delivery.server} {reason}",
                "path": str(delivery.entry.path),
            }


def _result_summary(result: Result) -> Mapping[str, Any]:
    if result.status == "failed":
        return {"region": result.region, "status": "failed", "reason": result.reason}
    procedure = result.procedure
    return {
        "region": result.region,
        "metric": result.metric,
        "unit": result.unit,
        "status": "ok",
        "median": median(result.values),
        "repetitions": len(result.values),
        "procedure": procedure and procedure.model_dump(exclude_none=True),
    }
