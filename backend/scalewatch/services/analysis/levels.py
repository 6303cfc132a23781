"""Levels of expectations: how long it should take, and the commit that says so.

An expectation states growth. How much is expected is taken from the last commit that
matched it or, where none has, from the smallest setting measured at the first commit
after it was declared. A series has one level by a version of its expectation, which
holds at all commits: analyses store it, and pages read it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling import ExpectedLevel, Growth, parse_growth
from scalewatch.services.analysis.rows import model_of
from scalewatch.services.commits.find import label_of
from scalewatch.services.commits.lineage import USUAL_MAIN
from scalewatch.storage.database.inserts import Row
from scalewatch.storage.histories import locations
from scalewatch.storage.judgements import expectations, levels, verdicts
from scalewatch.storage.judgements.levels import Judged
from scalewatch.storage.runs import measurements
from scalewatch.texts.scales import followers_of


@dataclass(frozen=True, slots=True)
class TakenLevel(ExpectedLevel):
    """The level of an expectation, and the commit that it was taken from.

    Parameters
    ----------
    commit
        How people call the commit: its tag or the beginning of its hash.
    is_matched
        Whether it is the last that matched; else it is the first of which something
        was measured after the expectation was declared.
    """

    commit: str = ""
    is_matched: bool = False


def taken_levels(
    session: Session, series_ids: Collection[int], expectation_ids: Collection[int]
) -> dict[int, TakenLevel]:
    """Return the levels of series by the expectations in force."""
    return {
        row.series_id: TakenLevel(
            row.setting,
            row.value,
            row.kept,
            label_of(row.sha, row.tag),
            row.is_matched,
        )
        for row in levels.of_series(session, series_ids, expectation_ids)
    }


def renew(session: Session, judged: Sequence[Judged]) -> None:
    """Take the levels of expectations of series from the commits that say so now."""
    stated = expectations.stated_growths(
        session, {each.expectation_id for each in judged}
    )
    growths = {version: parse_growth(growth) for version, growth in stated.items()}
    sources = _sources(session, levels.last_matched, judged)
    matched = frozenset(sources)
    others = [series for series in judged if series not in matched]
    sources |= _sources(session, levels.first_declared, others)
    rows = _rows(session, sources, matched, growths)
    levels.put(session, rows)
    known = {(row["series_id"], row["expectation_id"]) for row in rows}
    levels.forget(session, [series for series in judged if series not in known])


def _sources(
    session: Session,
    look: Callable[
        [Session, Collection[Judged], Sequence[str] | None], dict[Judged, int]
    ],
    judged: Collection[Judged],
) -> dict[Judged, int]:
    """Return the commits of series that are found by looking at commits.

    A branch of its own says nothing of the others where main does.
    """
    commits: dict[Judged, int] = {}
    for branches in (USUAL_MAIN, None):
        if left := [series for series in judged if series not in commits]:
            commits |= look(session, left, branches)
    return commits


def _rows(
    session: Session,
    sources: Mapping[Judged, int],
    matched: Collection[Judged],
    growths: Mapping[int, Growth],
) -> list[Row]:
    """Return the rows of levels that are taken from commits."""
    series = sorted({each.series_id for each in sources})
    commit_ids = sorted(set(sources.values()))
    measured = {
        (located.series_id, commit_id): (located, log)
        for located in locations.of_series(session, series, commit_ids)
        for commit_id, log in zip(located.commit_ids, located.log, strict=True)
    }
    models = {
        (row.series_id, row.commit_id): model_of(row.constant, row.terms, None)
        for row in verdicts.steps_of(session, series, commit_ids)
    }
    rows: list[Row] = []
    for judged, commit_id in sources.items():
        place = judged.series_id, commit_id
        if place not in measured:
            continue
        located, log = measured[place]
        growth = growths[judged.expectation_id]
        if not {*growth.parameters} <= {*located.parameters}:
            runs = measurements.places_at(session, commit_id).values()
            growth = growth.renamed(
                followers_of(located.parameters, [run.coordinate for run in runs])
            )
        level = ExpectedLevel.of(
            growth,
            [
                (dict(zip(located.parameters, at, strict=True)), float(np.exp(value)))
                for at, value in zip(located.settings, log, strict=True)
                if np.isfinite(value)
            ],
            models.get(place) if judged in matched else None,
        )
        if level is not None:
            rows.append(
                {
                    **judged._asdict(),
                    "commit_id": commit_id,
                    "is_matched": judged in matched,
                    "setting": level.at,
                    "value": level.value,
                    "kept": level.kept,
                }
            )
    return rows
