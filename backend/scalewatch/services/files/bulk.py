"""All measurements, or models, of a project or a commit, row by row for export."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

import numpy as np
import orjson
import zstandard
from sqlalchemy.orm import Session

from scalewatch.errors import NotFound, NotMeasured
from scalewatch.exporters.measurements import Exported
from scalewatch.exporters.streams import Kind, Rows, TypedColumns
from scalewatch.modelling.arrays import Reals
from scalewatch.services.commits.find import commit_of, find_commit, measured_commits
from scalewatch.services.regions.models import SeriesModel, models_at
from scalewatch.services.selection.view import View, is_chosen
from scalewatch.services.series.snapshots import CommitSnapshot, repetitions_of
from scalewatch.storage.access import projects
from scalewatch.storage.runs import bulk, measurements, payloads, samples
from scalewatch.storage.runs.bulk import BulkMeasurement, Selection

AT_ONCE: Final = 100
"""Runs whose repetitions are in memory at once, if they are small."""

POINTS_AT_ONCE: Final = 2_000
"""Points of the runs in memory, beyond the first of them."""

ROWS: Final = 2_000
"""Rows that are handed on at once."""

LARGEST_ID: Final = 2**31 - 1
DIGITS: Final = len(str(LARGEST_ID))

NONE: Final = np.empty(0)
"""Repetitions of a run of which none are kept."""

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


MOST_TEXT: Final = 16 * 2**20
"""Bytes of runs in one page, beyond the first of them."""


@dataclass(frozen=True, slots=True)
class PostedRuns:
    """Runs of a project as they were posted, in the order of arrival.

    Parameters
    ----------
    runs
        Each in JSON, to the letter.
    next
        What the following page begins after; None where there is none.
    """

    runs: tuple[str, ...]
    next: int | None


def posted_runs(session: Session, project: str, after: int, limit: int) -> PostedRuns:
    """Return a page of runs; those whose content was forgotten are left out.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    projects.existing(session, project)
    texts: list[str] = []
    size = 0
    ids = payloads.runs_after(session, after, project=project, limit=limit)
    for run_id in ids:
        texts.append(zstandard.decompress(payloads.body_of(session, run_id)).decode())
        size += len(texts[-1])
        if size > MOST_TEXT:
            break
    is_last = len(texts) == len(ids) < limit
    return PostedRuns(tuple(texts), None if is_last else ids[len(texts) - 1])


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
        if all(
            name in settings and str(settings[name]) == text
            for name, text in view.configuration.items()
        )
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
    newest = bulk.newest_run(session, selection)
    runs = [] if limit is None else bulk.runs_after(session, selection, after, limit)
    last = runs[-1] if runs else newest
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
        next=str(last) if last < newest else None,
    )


def bulk_rows(reading: Reading, page: BulkPage) -> Iterator[Rows]:
    """Yield the repetitions of a page, those of some runs after the other."""
    after, number = page.after, 1
    while after < page.last:
        with reading() as session:
            runs = bulk.runs_after(session, page.selection, after, number)
            runs = [run for run in runs if run <= page.last]
            if not runs:
                return
            measured = bulk.measurements_of(session, page.selection, runs)
            blobs = samples.of_runs(session, {point.run_id for point in measured})
        after = runs[-1]
        # As many at once as are small, to judge by those before.
        fitting = POINTS_AT_ONCE * len(runs) // max(1, len(measured))
        number = min(AT_ONCE, 10 * number, max(1, fitting))
        rows = (row for point in measured for row in _rows(page, point, blobs))
        while part := list(islice(rows, ROWS)):
            yield part


def _rows(
    page: BulkPage, point: BulkMeasurement, values: Mapping[int, Reals]
) -> Iterator[Sequence[Any]]:
    end = point.start + point.repetitions
    kept = values.get(point.run_id, NONE)[point.start : end].tolist()
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


def _place(cursor: str | None) -> int:
    if cursor is None:
        return 0
    is_number = cursor.isascii() and cursor.isdecimal() and len(cursor) <= DIGITS
    if not is_number or int(cursor) > LARGEST_ID:
        raise NotFound("page", cursor)
    return int(cursor)


EVERY: Final = "*"
"""Asks for the models of all commits."""

COLUMNS: Final = TypedColumns(
    {
        **dict.fromkeys(
            ("project", "commit", "machine", "region", "metric", "unit"), Kind.TEXT
        ),
        **dict.fromkeys(("configuration", "parameters"), Kind.TEXT),
        "points": Kind.WHOLE,
        "repetitions": Kind.WHOLE,
        **dict.fromkeys(("growth", "formula"), Kind.TEXT),
        **dict.fromkeys(("constant", "adjusted_r2", "smape"), Kind.NUMBER),
        **dict.fromkeys(("expectation", "divergence", "verdict", "reason"), Kind.TEXT),
        "expected_value": Kind.NUMBER,
        **dict.fromkeys(("expected_at", "level_of"), Kind.TEXT),
    },
    {},
)


@dataclass(frozen=True, slots=True)
class ModelsPage:
    """The commits whose models are read, newest first; `next` is the next cursor."""

    commits: tuple[str, ...]
    next: str | None


def models_page(
    session: Session, view: View, cursor: str | None, limit: int
) -> ModelsPage:
    """Return the commits of a page of models.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit or the cursor is unknown.
    """
    if view.commit != EVERY:
        project = projects.existing(session, view.project)
        return ModelsPage((find_commit(session, project, view.commit).sha,), None)
    commits = measured_commits(session, view.project, before=cursor, limit=limit)
    following = commits[-1].sha if len(commits) == limit else None
    return ModelsPage(tuple(each.sha for each in commits), following)


def model_rows(
    reading: Reading, view: View, region: str | None, page: ModelsPage
) -> Iterator[Rows]:
    """Yield the models of one commit after the other, of a wide one in parts."""
    for sha in page.commits:
        following: str | None = ""
        while following is not None:
            with reading() as session:
                series = models_at(
                    session, replace(view, commit=sha), region, cursor=following
                )
            yield [_model_row(series.project, sha, each) for each in series.models]
            following = series.next


def _model_row(project: str, commit: str, series: SeriesModel) -> Sequence[Any]:
    standing, model, level = series.standing, series.standing.model, series.level
    # A composed model is compared with its formula, others with a growth.
    expected = (
        series.composition.formula
        if series.composition is not None
        else series.expectation and series.expectation.growth
    )
    return (
        *(project, commit, series.machine, series.region, series.metric, series.unit),
        orjson.dumps(series.configuration, option=orjson.OPT_SORT_KEYS).decode(),
        ",".join(series.parameters),
        standing.points,
        standing.repetitions,
        _text(standing.growth),
        model and model.formula,
        model and model.constant,
        standing.adjusted_r2,
        standing.smape,
        _text(expected),
        _text(standing.divergence),
        _text(standing.verdict),
        standing.reason,
        level and level.value,
        level and ",".join(f"{name}={x:g}" for name, x in level.at.items()),
        level and level.commit,
    )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def exported(
    session: Session, view: View, region: str | None = None
) -> Iterator[Exported]:
    """Yield measurements that succeeded at a commit, by series and along its scan.

    A view without a metric is of all metrics. Where repetitions were thinned or are
    not kept, the median stands for them.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown.
    NotMeasured
        If the region, the metric or the machine was not measured there.
    """
    project = projects.existing(session, view.project)
    commit = find_commit(session, project, view.commit)
    label = commit_of(commit).label
    metrics = measurements.metrics_at_commit(session, commit.id, region)
    if region is not None and not metrics:
        raise NotMeasured("region", region, at=label)
    if view.metric is not None and view.metric not in metrics:
        raise NotMeasured("metric", view.metric, at=label)
    wanted = [view.metric] if view.metric else metrics
    regions = None if region is None else [region]
    scans = [
        scan
        for metric in wanted
        for scan in CommitSnapshot.of(session, commit).scans(metric, regions)
        if view.machine in {None, scan.machine}
    ]
    if view.machine is not None and not scans:
        raise NotMeasured("machine", view.machine, at=label)
    for scan in scans:
        if not is_chosen(scan, view.configuration):
            continue
        repetitions = repetitions_of(session, [scan])
        for point in scan.measurements:
            low, middle, high = point.low, point.middle, point.high
            if low is None or middle is None or high is None:
                continue  # all repetitions failed
            kept = repetitions.get(point.run)
            yield Exported(
                project=project.name,
                commit=label,
                machine=scan.machine,
                region=scan.region,
                metric=scan.metric,
                unit=scan.unit,
                coordinate=point.coordinate,
                configuration=scan.configuration,
                quartiles=(low, middle, high),
                values=(middle,) if kept is None else tuple(kept.tolist()),
            )
