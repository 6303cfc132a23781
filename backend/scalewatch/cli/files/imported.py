"""Make runs of what files hold, part by part, and post or show them."""

from collections.abc import Iterable
from dataclasses import dataclass

import click

from scalewatch.cli.files.posting import NotTaken, Told, posting_to
from scalewatch.cli.files.preview import show, tell, tell_faults
from scalewatch.cli.remote import Remote
from scalewatch.errors import UnknownOrigin
from scalewatch.errors.files import printable
from scalewatch.importers import Reading
from scalewatch.services.files.imports import (
    ImportOrigin,
    Runs,
    SharedSeries,
    profiles_of,
    runs_of,
)
from scalewatch.wire import RunReport

UNREADABLE = 3
REFUSED = 4


@dataclass(slots=True)
class _Counts:
    """Runs made of the files so far."""

    files: int = 0
    runs: int = 0
    results: int = 0
    functions: int = 0
    faults: int = 0

    def add(self, reading: Reading, runs: Runs) -> None:
        self.files += reading.files
        self.faults += len(reading.unreadable) + len(runs.errors)
        for run in runs.reports:
            self.runs += 1
            self.results += len(run.results)
            self.functions += len(run.profile.functions) if run.profile else 0

    def __str__(self) -> str:
        counted = (
            f"profiles of {self.functions} functions"
            if self.functions
            else f"{self.results} results"
        )
        return f"{self.runs} run{'s' * (self.runs != 1)} with {counted}"


class Importing:
    """The runs of files, which are of an origin."""

    def __init__(self, origin: ImportOrigin, are_profiles: bool) -> None:  # noqa: FBT001
        self._origin = origin
        self._make = profiles_of if are_profiles else runs_of
        self._counts = _Counts()
        self._told = Told()
        self._shared = SharedSeries()

    def posted(self, parts: Iterable[Reading], remote: Remote) -> int:
        """Post the runs of each part while the next is read; return the exit code."""
        counts = self._counts
        try:
            with posting_to(remote) as posting:
                for part in parts:
                    posting.add(self._runs(part))
                    self._told.tell(
                        f"{counts.files:,} files read, {posting.runs:,} runs posted"
                    )
                posting.end()
        except UnknownOrigin as error:
            return self._failed(str(error), UNREADABLE)
        except NotTaken as error:
            return self._failed(str(error), REFUSED)
        self._told.end()
        self._tell_shared()
        before = f", {posting.known} of them before" if posting.known else ""
        project = f"{remote.server}/p/{self._origin.project}"
        if counts.runs or not counts.faults:
            click.echo(f"{counts} posted{before}: {project}")
        return UNREADABLE if counts.faults else 0

    def shown(self, reading: Reading, server: str, *, as_json: bool) -> int:
        """Show what would be posted; return the exit code."""
        try:
            runs = self._runs(reading)
        except UnknownOrigin as error:
            return self._failed(str(error), UNREADABLE)
        if as_json:
            for run in runs:
                click.echo(run.model_dump_json(by_alias=True, exclude_unset=True))
        else:
            show(reading, self._origin.better)
            self._tell_shared()
            click.echo(f"{self._counts} would be posted to {server}; nothing was.")
        return UNREADABLE if self._counts.faults else 0

    def _runs(self, reading: Reading) -> list[RunReport]:
        """Return the runs of a part; tell what makes none."""
        runs = self._make(reading.scans.measurements(), self._origin)
        self._told.end()
        tell(reading)
        self._shared.add(reading.scans.measurements())
        tell_faults((str(error), error.fault) for error in runs.errors)
        self._counts.add(reading, runs)
        return runs.reports

    def _tell_shared(self) -> None:
        for note in self._shared.notes():
            click.echo(printable(f"Note: {note}"), err=True)

    def _failed(self, why: str, code: int) -> int:
        self._told.end()
        click.echo(f"Error: {why}", err=True)
        return code
