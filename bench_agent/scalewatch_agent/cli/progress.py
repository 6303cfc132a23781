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

from scalewatch_agent.jobs import Event


class Display(Protocol):
    """Shows the events of a sweep's jobs as they come."""

    def show(self, processes: int, event: Event) -> None:
        """Show one event of the job with so many processes."""

    def finish(self, processes: int, failure: str | None) -> None:
        """Show that a job has ended, and why it failed if it did."""


class Bar:
    """One line that stays, and a line per failure."""

    def __init__(self, progress: Progress, task: TaskID, regions: int) -> None:
        self.progress = progress
        self.task = task
        self.regions = regions
        self.ended = 0

    def show(self, processes: int, event: Event) -> None:
        """Move the bar, and name what is being measured."""
        place = event.get("region", "starting")
        self.progress.update(self.task, description=f"p = {processes}  {place}")
        if event["event"] == "measured":
            self.progress.advance(self.task)

    def finish(self, processes: int, failure: str | None) -> None:
        """Move the bar past what a failed job has left out."""
        self.ended += 1
        self.progress.update(self.task, completed=self.ended * self.regions)
        if failure:
            self.progress.console.print(f"p = {processes}: {failure}", highlight=False)


class Lines:
    """A line per region."""

    def show(self, processes: int, event: Event) -> None:
        """Write what was measured."""
        if event["event"] == "measured":
            values = event["values"]
            click.echo(
                f"p = {processes}  {event['region']}: median "
                f"{median(values) / 1e3:.2f} µs of {len(values)} repetitions, "
                f"synchronised by {event['synchronisation']}",
                err=True,
            )

    def finish(self, processes: int, failure: str | None) -> None:
        """Write why a job failed."""
        if failure:
            click.echo(f"p = {processes}: {failure}", err=True)


@contextmanager
def progress_display(jobs: int, regions: int) -> Iterator[Display]:
    """Yield the display that suits standard error."""
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
        task = progress.add_task("starting", total=jobs * regions)
        yield Bar(progress, task, regions)
