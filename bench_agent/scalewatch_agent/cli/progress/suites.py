"""Progress of a sweep on standard error: a bar for people, lines for logs."""

from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Protocol

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from scalewatch_agent.cli.quantities import quantity
from scalewatch_agent.suite.jobs import Event


class Display(Protocol):
    """Shows the events of a sweep's jobs as they come."""

    def show(self, processes: int, event: Event) -> None:
        """Show one event of the job with so many processes."""

    def finish(self, processes: int, failure: str | None) -> None:
        """Show that a job has ended, and why it failed if it did."""


class Bar:
    """One line that stays, and a line per failure."""

    def __init__(self, progress: Progress, task: TaskID, steps: int) -> None:
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
    columns = (
        TextColumn("{task.description:34}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("starting", total=jobs * steps)
        yield Bar(progress, task, steps)
