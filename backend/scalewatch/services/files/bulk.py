"""All measurements, or models, of a project: row by row, part by part."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.exporters.streams import Kind, Rows, TypedColumns
from scalewatch.services.commits.find import find_commit
from scalewatch.services.selection.view import View
from scalewatch.storage.access import projects
from scalewatch.storage.runs import bulk, measurements, samples
from scalewatch.storage.runs.bulk import BulkMeasurement, Selection

AT_ONCE: Final = 100
"""Runs whose repetitions are in memory at once."""

LARGEST_ID: Final = 2**31 - 1
DIGITS: Final = len(str(LARGEST_ID))

PLACE: Final = ("project", "commit", "machine", "region", "metric", "unit")

Reading = Callable[[], AbstractContextManager[Session]]
"""Opens a reading session: none is held while a slow client takes the rows."""


@dataclass(frozen=True, slots=True)
class BulkPage:
    """The extent of a request: all runs posted before it, or a page of them.

    Parameters
    ----------
    columns
        Columns of the answer, in which a row is a repetition.
    settings
        Settings of each configuration, by its id.
    after, last
        Ids of runs: the page has those beyond `after` up to `last`.
    next
        The cursor of the next page, if there is one.
    """

    project: str
    selection: Selection
    columns: TypedColumns
    parameters: tuple[str, ...]
    names: tuple[str, ...]
    settings: Mapping[int, Mapping[str, Any]]
    after: int
    last: int
    next: str | None


def bulk_page(
    session: Session,
    view: View,
    region: str | None,
    cursor: str | None,
    limit: int | None,
) -> BulkPage:
    """Return the extent of a page of a project, before its rows are read.

    Parameters
    ----------
    view
        Without a commit, metric or machine it is of all of them.
    cursor
        The `next` of the page before.
    limit
        Runs of a page; all of them without.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown, or the cursor names no page.
    """
    project = projects.existing(session, view.project)
    commit = find_commit(session, project, view.commit) if view.commit else None
    every = measurements.settings_of(session, project.id)
    chosen = {
        key: settings
        for key, settings in every.items()
        if _has(settings, view.configuration)
    }
    selection = Selection(
        project.id,
        None if commit is None else commit.id,
        view.machine,
        region,
        view.metric,
        list(chosen) if view.configuration else None,
    )
    after = _place(cursor)
    last, following = _end(session, selection, after, limit)
    parameters = tuple(bulk.coordinate_names(session, selection))
    taken = {*PLACE, *parameters, "run", "repetition", "value"}
    names = tuple(sorted({name for settings in chosen.values() for name in settings}))
    # A setting may be called like a column, or like a parameter of other runs.
    shown = [f"configuration.{name}" if name in taken else name for name in names]
    kinds = {
        **dict.fromkeys(PLACE, Kind.TEXT),
        **dict.fromkeys(parameters, Kind.NUMBER),
        **dict.fromkeys(shown, Kind.TEXT),
        "run": Kind.TEXT,
        "repetition": Kind.WHOLE,
        "value": Kind.NUMBER,
    }
    columns = TypedColumns(kinds, {"coordinate": parameters, "configuration": shown})
    return BulkPage(
        project.name,
        selection,
        columns,
        parameters,
        names,
        chosen,
        after,
        last,
        following,
    )


def bulk_rows(reading: Reading, page: BulkPage) -> Iterator[Rows]:
    """Yield the repetitions of a page, those of some runs after the other."""
    after = page.after
    while after < page.last:
        with reading() as session:
            runs = bulk.runs_after(session, page.selection, after, AT_ONCE)
            runs = [run for run in runs if run <= page.last]
            if not runs:
                return
            measured = bulk.measurements_of(session, page.selection, runs)
            blobs = samples.of_runs(session, {point.run_id for point in measured})
        after = runs[-1]
        values = {run: blob.tolist() for run, blob in blobs.items()}
        yield [row for point in measured for row in _rows(page, point, values)]


def _rows(
    page: BulkPage, point: BulkMeasurement, values: Mapping[int, Sequence[float]]
) -> Iterator[Sequence[Any]]:
    end = point.start + point.repetitions
    kept = values[point.run_id][point.start : end] if point.run_id in values else ()
    # Where repetitions were thinned or are not kept, the median stands for them.
    taken: Sequence[float | None] = kept or [point.median] * bool(point.repetitions)
    settings = page.settings.get(point.configuration_id, {})
    place = (
        *(page.project, point.sha, point.machine),
        *(point.region, point.metric, point.unit),
        *(point.coordinate.get(name) for name in page.parameters),
        *(settings.get(name) for name in page.names),
        str(point.uuid),
    )
    for number, value in enumerate(taken):
        yield (*place, number, value)


def _end(
    session: Session, selection: Selection, after: int, limit: int | None
) -> tuple[int, str | None]:
    """Return the last run of a page, and the cursor of the next one."""
    newest = bulk.newest_run(session, selection)
    if limit is None:
        return newest, None
    runs = bulk.runs_after(session, selection, after, limit)
    last = runs[-1] if runs else newest
    return last, str(last) if last < newest else None


def _place(cursor: str | None) -> int:
    if cursor is None:
        return 0
    is_number = cursor.isascii() and cursor.isdecimal() and len(cursor) <= DIGITS
    if not is_number or int(cursor) > LARGEST_ID:
        raise NotFound("page", cursor)
    return int(cursor)


def _has(settings: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    return all(
        name in settings and str(settings[name]) == text
        for name, text in wanted.items()
    )
