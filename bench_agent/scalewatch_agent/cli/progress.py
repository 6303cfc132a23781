"""Progress of a sweep on standard error: a bar for people, lines for logs."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Protocol

import click
from rich import progress as bars
from rich.console import Console
from rich.table import Table

from scalewatch.wire import RunReport
from scalewatch_agent.cli.tables import quantity
from scalewatch_agent.suite.jobs import Event

HIDDEN = frozenset({"transport"})
"""Settings that the machine's name says already."""


class JobDisplay(Protocol):
    """Shows the jobs of an experiment as they end."""

    def finish(self, report: RunReport) -> None:
        """Show that a job has ended, and why it failed if it did."""


class _Bar:
    def __init__(self, progress: bars.Progress, jobs: int) -> None:
        self.progress = progress
        self.task = progress.add_task("", total=jobs)

    def finish(self, report: RunReport) -> None:
        self.progress.update(self.task, description=_at(report))
        self.progress.advance(self.task)
        if failure := failure_of(report):
            self.progress.console.print(f"{_at(report)}: {failure}", highlight=False)


class _Lines:
    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self.ended = 0

    def finish(self, report: RunReport) -> None:
        self.ended += 1
        values = [
            f"{each.region} {quantity(median(each.values), each.unit)}"
            for each in report.results
            if each.values
        ]
        if report.results and all(result.exact for result in report.results):
            values = [f"{len(report.results)} counts"]  # which can be thousands
        outcome = failure_of(report) or ", ".join(values)
        click.echo(f"{self.ended} of {self.jobs}: {_at(report)}: {outcome}", err=True)


@contextmanager
def job_display(jobs: int) -> Iterator[JobDisplay]:
    """Yield the display that suits standard error."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(jobs)
        return
    with _bar(console) as progress:
        yield _Bar(progress, jobs)


def _bar(console: Console) -> bars.Progress:
    return bars.Progress(
        bars.TextColumn("{task.description:34}"),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
        console=console,
        transient=True,
    )


def failure_of(report: RunReport) -> str | None:
    """Return why a run failed, in whole or in part."""
    return next((result.reason for result in report.results if result.reason), None)


def print_runs(reports: list[RunReport]) -> None:
    """Print what each job measured, as a table for people."""
    console = Console()
    table = Table()
    for heading in ("at", "region", "metric"):
        table.add_column(heading)
    for heading in ("median", "values"):
        table.add_column(heading, justify="right")
    distinct: dict[str, set[object]] = {}
    for report in reports:
        for name, fact in report.configuration.items():
            distinct.setdefault(name, set()).add(fact)
    varied = {name for name, facts in distinct.items() if len(facts) > 1}
    varied.update(*(report.coordinate for report in reports))
    for report in reports:
        for result in report.results:
            row = (_at(report, varied), result.region, result.metric)
            if result.status == "failed":
                table.add_row(*row, "failed", "0")
            else:
                value = quantity(median(result.values), result.unit)
                table.add_row(*row, value, str(len(result.values)))
    console.print(table)


def _at(report: RunReport, shown: Collection[str] | None = None) -> str:
    """Return where a run measured, by the settings that are `shown`, or all."""
    settings = {**report.coordinate, **report.configuration}
    return ", ".join(
        f"{name} = {value}"
        for name, value in settings.items()
        if (shown is None or name in shown) and name not in HIDDEN
    )


class Display(Protocol):
    """Shows the events of a sweep's jobs as they come."""

    def show(self, processes: int, event: Event) -> None:
        """Show one event of the job with so many processes."""

    def finish(self, processes: int, failure: str | None) -> None:
        """Show that a job has ended, and why it failed if it did."""


class Bar:
    """One line that stays, and a line per failure."""

    def __init__(self, progress: bars.Progress, task: bars.TaskID, steps: int) -> None:
        self.progress = progress
        self.task = task
        self.steps = steps
        self.ended = 0
        self.done: set[tuple[str, int | None]] = set()

    def show(self, processes: int, event: Event) -> None:
        """Move the bar, and name what is being measured."""
        place = event.get("region", "starting")
        self.progress.update(self.task, description=f"p = {processes}  {place}")
        if event["event"] in {"measured", "failed"}:
            self.done.add((event["region"], event.get("message_bytes")))
            completed = self.ended * self.steps + len(self.done)
            self.progress.update(self.task, completed=completed)

    def finish(self, processes: int, failure: str | None) -> None:
        """Move the bar past what a failed job has left out."""
        self.ended += 1
        self.done.clear()
        self.progress.update(self.task, completed=self.ended * self.steps)
        if failure:
            self.progress.console.print(f"p = {processes}: {failure}", highlight=False)


class Lines:
    """A line per measurement."""

    def show(self, processes: int, event: Event) -> None:
        """Write what was measured."""
        match event["event"]:
            case "measured":
                click.echo(f"p = {processes}  {_measurement(event)}", err=True)
            case "failed":
                words = f"{event['region']}: {event['reason']}"
                click.echo(f"p = {processes}  {words}", err=True)

    def finish(self, processes: int, failure: str | None) -> None:
        """Write why a job failed."""
        if failure:
            click.echo(f"p = {processes}: {failure}", err=True)


def _measurement(event: Event) -> str:
    """Write region, metric, median and how it was taken."""
    what = str(event["region"])
    if event["metric"] not in {"time", "memory"}:
        what += f", {event['metric']}"
    if size := event.get("message_bytes"):
        what += f" of {size:,} B"
    values = event["values"]
    number = f"{len(values)} repetition{'' if len(values) == 1 else 's'}"
    what += f": median {quantity(median(values), event['unit'])} of {number}"
    if synchronisation := event["procedure"].get("synchronisation"):
        what += f", synchronised by {synchronisation}"
    return what


@contextmanager
def progress_display(jobs: int, steps: int) -> Iterator[Display]:
    """Yield the display that suits standard error, for jobs of so many steps."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Lines()
        return
    with _bar(console) as progress:
        task = progress.add_task("starting", total=jobs * steps)
        yield Bar(progress, task, steps)
