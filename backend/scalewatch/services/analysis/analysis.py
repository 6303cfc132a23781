"""Analyse what a machine measured of a commit: models, divergence, verdicts.

The measurements and what they are judged by are read first. Only the noise of a metric
that cannot be reused needs more: the series of older commits, from which it is learned.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.modelling import Finding, Growth, LearnedNoise, Noise
from scalewatch.modelling.search.findings import refusal
from scalewatch.services import jobs
from scalewatch.services.analysis import levels, rows
from scalewatch.services.analysis.compositions import (
    ComposedAnswer,
    composed_answers,
    concerned,
)
from scalewatch.services.analysis.noise import (
    ENOUGH,
    MOST_COMMITS,
    Assumed,
    Gathered,
    NoiseMemory,
    learn_again,
    noise_of,
)
from scalewatch.services.analysis.pools import (
    PooledSeries,
    SeriesPool,
    kept_pools_at,
    measurements_at,
)
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.expectations import in_force
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.storage import machines, tables
from scalewatch.storage.commits import commits
from scalewatch.storage.database.inserts import Row, canonical, digest_of
from scalewatch.storage.histories import locations as stored_locations
from scalewatch.storage.judgements import editions, probabilities, verdicts
from scalewatch.storage.judgements.levels import Judged
from scalewatch.storage.runs import series

RULE: Final = "evidence"
"""The rule that selects models."""

METHOD: Final = 1
"""Version of how noise is learned: that of another version is not reused."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The finding about one series.

    Parameters
    ----------
    expectation
        The one it is compared with, if anything is expected.
    noise
        The noise assumed of it; None where nothing could be modelled.
    crowded
        Settings that are left out, in words, by why.
    """

    series_id: int
    expectation: in_force.Expectation | None
    finding: Finding
    noise: Noise | None
    crowded: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Analysis:
    """The findings about all series that a machine measured of a commit.

    Parameters
    ----------
    locations
        Rows of them, for histories.
    assumed
        The noise assumed, by metric.
    composed
        Series of which composed models are expected.
    """

    subject: AnalysedCommit
    answers: tuple[Answer, ...]
    locations: tuple[Row, ...]
    assumed: Mapping[str, Assumed]
    composed: tuple[ComposedAnswer, ...] = ()


def analyse(session: Session, subject: AnalysedCommit) -> Analysis:
    """Model and judge all series, each with the repetitions of all its runs."""
    commit_id, machine_id = subject.commit_id, subject.machine_id
    project_id = session.get_one(tables.Machine, machine_id).project_id
    expectations = in_force.in_force(session, project_id)
    compositions = in_force.compositions_in_force(session, project_id)
    measured = measurements_at(session, commit_id, machine_id)
    described = series.described(session, concerned(measured, compositions))
    fingerprint = stored_locations.fingerprint_of(session, commit_id, machine_id)
    pooled = measured.pooled()
    exact = series.exact_in(session, [each.series_id for each in pooled])
    assumed = _noise_by_metric(session, subject, fingerprint, pooled, expectations)
    answers = _answers(pooled, expectations, assumed, exact)
    findings = {each.series_id: each.finding for each in answers}
    return Analysis(
        subject,
        tuple(answers),
        tuple(_location_rows(commit_id, fingerprint, pooled)),
        assumed,
        composed_answers(measured, compositions, described, findings),
    )


def located(session: Session, subject: AnalysedCommit) -> list[Row]:
    """Return the rows of the locations of all series, for histories, without models."""
    commit_id, machine_id = subject.commit_id, subject.machine_id
    fingerprint = stored_locations.fingerprint_of(session, commit_id, machine_id)
    pooled = measurements_at(session, commit_id, machine_id).pooled()
    return _location_rows(commit_id, fingerprint, pooled)


def answers_under(
    session: Session,
    subject: AnalysedCommit,
    expectations: in_force.Expectations,
    region: str,
    metric: str,
) -> dict[int, Answer]:
    """Return the answers about a region under other expectations, by series.

    Nothing is stored. Noise is learned from all series of the metric, as an analysis
    does.
    """
    commit_id, machine_id = subject.commit_id, subject.machine_id
    pooled = kept_pools_at(session, commit_id, machine_id, metric)
    fingerprint = stored_locations.fingerprint_of(session, commit_id, machine_id)
    assumed = _noise_by_metric(session, subject, fingerprint, pooled, expectations)
    of_region = [each for each in pooled if each.region == region]
    exact = series.exact_in(session, [each.series_id for each in of_region])
    answers = _answers(of_region, expectations, assumed, exact)
    return {each.series_id: each for each in answers}


def record(session: Session, analysis: Analysis) -> None:
    """Store models and verdicts in place of earlier ones.

    Histories that they continue are looked at later, by a job.
    """
    commit_id, machine_id = analysis.subject.commit_id, analysis.subject.machine_id
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
    for answer in analysis.composed:
        likely[answer.series_id] = answer.likely(likely[answer.series_id])
    probabilities.put(session, commit_id, machine_id, likely)
    # A commit keeps what it assumed, learned or not, so that another analysis of it
    # assumes the same.
    measured = {"commit_id": commit_id, "machine_id": machine_id}
    machines.assume_noise(
        session,
        [
            measured | {"metric": metric, "noise": asdict(each.noise)}
            for metric, each in analysis.assumed.items()
        ],
    )
    machines.keep_noise(
        session,
        [
            measured | {"metric": metric} | asdict(each.memory)
            for metric, each in analysis.assumed.items()
            if each.memory
        ],
    )
    stored_locations.put(session, analysis.locations)
    nowhere = {a.series_id for a in answers}.difference(
        row["series_id"] for row in analysis.locations
    )
    is_gone = nowhere and stored_locations.remove(session, commit_id, nowhere)
    levels.renew(
        session,
        [
            Judged(answer.series_id, answer.expectation.id)
            for answer in answers
            if answer.expectation is not None
        ],
    )
    if analysis.locations or is_gone:
        project_id = commits.existing(session, commit_id).project_id
        jobs.enqueue(session, jobs.JobKind.WATCH, project_id)
    editions.renew(session, commit_id, machine_id)


def _location_rows(
    commit_id: int, fingerprint: int | None, pooled: Sequence[PooledSeries]
) -> list[Row]:
    """Return the rows of locations; none of a machine in an unknown state."""
    if not fingerprint:
        return []
    pools = [(each.series_id, each.pool) for each in pooled]
    measured = [(key, pool) for key, pool in pools if isinstance(pool, SeriesPool)]
    return rows.location_rows(commit_id, fingerprint, measured)


def _answers(
    pooled: Sequence[PooledSeries],
    expectations: in_force.Expectations,
    assumed: Mapping[str, Assumed],
    exact: Collection[int],
) -> list[Answer]:
    """Model and judge series, all together; say of the others why they have no model.

    Parameters
    ----------
    exact
        Ids of those whose values are declared to be exact.
    """
    questions = {
        each.series_id: SeriesQuestion.of(
            each.pool,
            expectations.get((each.region, each.metric)),
            assumed[each.metric].noise,
            exact=each.series_id in exact or None,
        )
        for each in pooled
        if isinstance(each.pool, SeriesPool)
    }
    models = find_all(list(questions.values()), {"rule": RULE})
    findings = dict(zip(questions, models, strict=True))
    answers = []
    for measured in pooled:
        series_id, metric = measured.series_id, measured.metric
        expectation = expectations.get((measured.region, metric))
        noise = assumed[metric].noise if series_id in findings else None
        finding = findings.get(series_id) or refusal(
            points=0,
            repetitions=0,
            expectation=expectation.growth if expectation else None,
            deviation_limit=expectation.deviation_limit if expectation else None,
            reason=str(measured.pool),
        )
        answers.append(Answer(series_id, expectation, finding, noise, measured.crowded))
    return answers


def _noise_by_metric(
    session: Session,
    subject: AnalysedCommit,
    fingerprint: int | None,
    pooled: Sequence[PooledSeries],
    expectations: in_force.Expectations,
) -> dict[str, Assumed]:
    """Return the noise of each metric: reused where it still holds, else learned.

    Parameters
    ----------
    fingerprint
        State of the machine.
    """
    measured: dict[str, list[SeriesPool]] = defaultdict(list)
    for series_pool in pooled:
        if isinstance(series_pool.pool, SeriesPool):
            measured[series_pool.metric].append(series_pool.pool)
    expected: dict[str, set[Growth]] = defaultdict(set)
    for (_, metric), expectation in expectations.items():
        expected[metric].add(expectation.growth)
    gathered = {
        metric: alike
        for metric, pools in measured.items()
        if (alike := Gathered.of(pools, expected[metric]))
    }
    conditions = {
        metric: _conditions(alike, fingerprint) for metric, alike in gathered.items()
    }
    commit = commits.existing(session, subject.commit_id)
    older = commits.measured_before(session, commit, subject.machine_id, MOST_COMMITS)
    memories = _remembered(session, subject, older, conditions)
    reused = {
        metric: Assumed(noise, memory)
        for metric, memory in memories.items()
        if (noise := gathered[metric].reuse(memory))
    }
    anew = {metric: [*measured[metric]] for metric in measured if metric not in reused}
    # With series of older commits beside them, as many as it takes to learn.
    for commit_id in older:
        for metric in [metric for metric in anew if len(anew[metric]) < ENOUGH]:
            earlier = kept_pools_at(session, commit_id, subject.machine_id, metric)
            anew[metric] += [
                each.pool for each in earlier if isinstance(each.pool, SeriesPool)
            ]
    return reused | {
        metric: learn_again(pools, expected[metric], conditions.get(metric))
        for metric, pools in anew.items()
    }


def _conditions(alike: Gathered, fingerprint: int | None) -> str | None:
    """Return a digest of what has to be the same for noise to be the same.

    None over several parameters, where noise is not reused.
    """
    if len(alike.parameters) > 1:
        return None
    same = {
        "method": METHOD,
        "fingerprint": fingerprint,
        "parameters": alike.parameters,
        "settings": alike.settings.tolist(),
        # Under this name, by which it has been stored.
        "promised": sorted(map(str, alike.expectations)),
    }
    return digest_of(canonical(same))[:32]


def _remembered(
    session: Session,
    subject: AnalysedCommit,
    older: Sequence[int],
    conditions: Mapping[str, str | None],
) -> dict[str, NoiseMemory]:
    """Read the noise that commits keep of metrics: this commit, or else the newest.

    Parameters
    ----------
    older
        Commits before this one, newest first.
    conditions
        Under which noise has to have been learned, by metric.
    """
    commit_ids = [subject.commit_id, *older]
    memories = {}
    for metric, condition in conditions.items():
        if condition is None:
            continue
        kept = machines.noise_learned_at(
            session, subject.machine_id, metric, condition, commit_ids
        )
        row = next((kept[each] for each in commit_ids if each in kept), None)
        if row is not None:
            noise = noise_of(row.learned["noise"])
            learned = LearnedNoise(noise, row.learned["misfit"], row.learned["series"])
            is_again = row.commit_id == subject.commit_id
            age = row.age if is_again else row.age + 1
            memories[metric] = NoiseMemory(condition, learned, age)
    return memories
