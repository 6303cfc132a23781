"""All models of a project as rows: of a commit, or of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import orjson
from sqlalchemy.orm import Session

from scalewatch.exporters.streams import Kind, Rows, TypedColumns
from scalewatch.services.commits.find import find_commit, measured_commits
from scalewatch.services.files.bulk import Reading
from scalewatch.services.regions.models import SeriesModel, models_at
from scalewatch.services.selection.view import View
from scalewatch.storage.access import projects

EVERY: Final = "*"
"""Asks for the models of all commits."""

AT_ONCE: Final = 100

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
    """Yield the models of one commit after the other."""
    for sha in page.commits:
        with reading() as session:
            series = models_at(session, replace(view, commit=sha), region)
        yield [_row(series.project, sha, each) for each in series.models]


def _row(project: str, commit: str, series: SeriesModel) -> Sequence[Any]:
    standing, model = series.standing, series.standing.model
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
        _expected(series),
        _text(standing.divergence),
        _text(standing.verdict),
        standing.reason,
    )


def _expected(series: SeriesModel) -> str | None:
    """Return the growth that is expected, or the formula of a composed model."""
    if series.composition is not None:
        return str(series.composition.formula)
    return str(series.expectation.growth) if series.expectation else None


def _text(value: object) -> str | None:
    return None if value is None else str(value)
