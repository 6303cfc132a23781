"""Analyse what a machine measured of a commit: models, divergence, verdicts."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.modelling import (
    Finding,
    Growth,
    Noise,
)
from scalewatch.modelling.search.findings import refusal
from scalewatch.services import jobs
from scalewatch.services.analysis import locations, noise_memory, rows
from scalewatch.services.analysis.compositions import ComposedAnswer, composed_answers
from scalewatch.services.analysis.noise import noise_by_metric
from scalewatch.services.analysis.noise_memory import Assumed
from scalewatch.services.analysis.pooling import SeriesPool
from scalewatch.services.analysis.pools import (
    PooledSeries,
    kept_pools_at,
    pooled_at,
)
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.expectations.in_force import (
    Expectation,
    Expectations,
    in_force,
)
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.storage import tables
from scalewatch.storage.commits import commits
from scalewatch.storage.database.inserts import Row
from scalewatch.storage.histories import locations as stored_locations
from scalewatch.storage.judgements import (
    editions,
    probabilities,
    verdicts,
)
from scalewatch.storage.runs import series

RULE: Final = "evidence"
"""How a model is selected."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was found of one series.

    Parameters
    ----------
    expectation
        What it is compared with, if anything is expected.
    noise
        What was assumed of it; None where nothing could be modelled.
    crowded
        Settings that are left out, since processes shared cores there, in words.
    """

    series_id: int
    expectation: Expectation | None
    finding: Finding
    noise: Noise | None
    crowded: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """What was found of all series that a machine measured of a commit.

    Parameters
    ----------
    assumed
        What was assumed of the noise, by metric.
    composed
        Those of which composed models are expected.
    """

    subject: AnalysedCommit
    answers: tuple[Answer, ...]
    locations: tuple[Row, ...]
    assumed: Mapping[str, Assumed]
    composed: tuple[ComposedAnswer, ...] = ()


def analyse(session: Session, subject: AnalysedCommit) -> Analysis:
    """Model and judge all series, each with the repetitions of all its runs."""
    machine = session.get_one(tables.Machine, subject.machine_id)
    expectations = in_force(session, machine.project_id)
    pooled = pooled_at(session, subject.commit_id, subject.machine_id)
    refused, asked = _apart(pooled, expectations)
    assumed = noise_by_metric(
        session, subject, _by_metric(asked), _growths(expectations)
    )
    located = locations.rows(
        session, subject, [(each.series_id, each.pool) for each in asked]
    )
    found = (*refused, *_answers(session, asked, assumed))
    findings = {each.series_id: each.finding for each in found}
    composed = composed_answers(session, subject, machine.project_id, findings)
    return Analysis(subject, found, tuple(located), assumed, composed)


def answers_under(
    session: Session,
    subject: AnalysedCommit,
    expectations: Expectations,
    region: str,
    metric: str,
) -> dict[int, Answer]:
    """Return what would be found of a region under other expectations, by series.

    Nothing is stored. Noise is learned from all series of the metric, as an analysis
    does; of the others only those are there that cannot be modelled.
    """
    pooled = kept_pools_at(session, subject.commit_id, subject.machine_id, metric)
    refused, measured = _apart(pooled, expectations)
    assumed = noise_by_metric(
        session, subject, _by_metric(measured), _growths(expectations)
    )
    asked = [each for each in measured if each.region == region]
    answers = (*refused, *_answers(session, asked, assumed))
    return {each.series_id: each for each in answers}


def _apart(
    pooled: Iterable[PooledSeries], expectations: Expectations
) -> tuple[list[Answer], list["_Measured"]]:
    """Return what is known of series that cannot be modelled, and the others."""
    refused: list[Answer] = []
    asked: list[_Measured] = []
    for each in pooled:
        expectation = expectations.get((each.region, each.metric))
        if isinstance(each.pool, str):
            finding = _refusal(expectation, each.pool)
            refused.append(
                Answer(each.series_id, expectation, finding, None, each.crowded)
            )
        else:
            asked.append(
                _Measured(
                    each.series_id,
                    each.region,
                    each.metric,
                    expectation,
                    each.pool,
                    each.crowded,
                )
            )
    return refused, asked


def _answers(
    session: Session, asked: Sequence["_Measured"], assumed: Mapping[str, Assumed]
) -> list[Answer]:
    """Model and judge series, all together."""
    noise = {metric: each.noise for metric, each in assumed.items()}
    exact = series.exact_in(session, [each.series_id for each in asked])
    findings = find_all(
        [
            SeriesQuestion.of(
                each.pool,
                each.expectation,
                noise[each.metric],
                exact=each.series_id in exact or None,
            )
            for each in asked
        ],
        {"rule": RULE},
    )
    return [
        Answer(
            each.series_id,
            each.expectation,
            finding,
            noise[each.metric],
            each.crowded,
        )
        for each, finding in zip(asked, findings, strict=True)
    ]


def record(session: Session, analysis: Analysis) -> None:
    """Store models and verdicts in place of earlier ones.

    Histories that they continue are looked at later, by a job.
    """
    commit_id = analysis.subject.commit_id
    answers = sorted(analysis.answers, key=attrgetter("series_id"))
    verdicts.put_models(
        session,
        [rows.model_row(commit_id, a.series_id, a.finding, a.crowded) for a in answers],
    )
    verdicts.put_verdicts(
        session,
        [
            rows.verdict_row(
                commit_id, a.series_id, a.finding, a.expectation, a.crowded
            )
            for a in answers
            if a.expectation is not None
        ]
        + [each.row(commit_id) for each in analysis.composed],
    )
    likely = {a.series_id: rows.likely(a.finding, a.expectation) for a in answers}
    for each in analysis.composed:
        likely[each.series_id] = each.likely(likely[each.series_id])
    probabilities.put(session, commit_id, analysis.subject.machine_id, likely)
    noise_memory.record(session, analysis.subject, analysis.assumed)
    stored_locations.put(session, analysis.locations)
    nowhere = {a.series_id for a in answers}.difference(
        row["series_id"] for row in analysis.locations
    )
    is_gone = nowhere and stored_locations.remove(session, commit_id, nowhere)
    if analysis.locations or is_gone:
        project_id = commits.existing(session, commit_id).project_id
        jobs.enqueue(session, jobs.JobKind.WATCH, str(project_id))
    editions.renew(session, commit_id, analysis.subject.machine_id)


@dataclass(frozen=True, slots=True)
class _Measured:
    """A series that can be modelled.

    Parameters
    ----------
    crowded
        Settings of which its pool has nothing, since processes shared cores there.
    """

    series_id: int
    region: str
    metric: str
    expectation: Expectation | None
    pool: SeriesPool
    crowded: str


def _by_metric(measured: Sequence[_Measured]) -> dict[str, list[SeriesPool]]:
    pools: dict[str, list[SeriesPool]] = defaultdict(list)
    for each in measured:
        pools[each.metric].append(each.pool)
    return pools


def _growths(expectations: Expectations) -> dict[str, set[Growth]]:
    """Return the growths that are expected of each metric."""
    growths: dict[str, set[Growth]] = defaultdict(set)
    for (_, metric), expectation in expectations.items():
        growths[metric].add(expectation.growth)
    return growths


def _refusal(expectation: Expectation | None, reason: str) -> Finding:
    return refusal(
        points=0,
        repetitions=0,
        expectation=expectation.growth if expectation else None,
        deviation_limit=expectation.deviation_limit if expectation else None,
        reason=reason,
    )
