"""Series of a commit beside the composed models that are expected of them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import CompositionError
from scalewatch.exporters.compositions import composed_words
from scalewatch.modelling import (
    CONSTANT,
    Composed,
    Finding,
    Formula,
    Measured,
    Verdict,
    compose,
    default_deviation_limit,
)
from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.services.analysis.rows import shares
from scalewatch.services.expectations.composed import (
    ComposedExpectation,
    Compositions,
    compositions_in_force,
    formulas_for,
)
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.shared_cores import left_out_at
from scalewatch.storage.database.inserts import Row
from scalewatch.storage.judgements.probabilities import Likely
from scalewatch.storage.runs import points, samples, series
from scalewatch.storage.runs.points import StoredMeasurement
from scalewatch.storage.tables import now

Parts = Mapping[int, Measured]
"""Series that formulas name or are about, by id."""


@dataclass(frozen=True, slots=True)
class ComposedAnswer:
    """A series beside its composed model, or why that cannot be computed.

    Parameters
    ----------
    composed
        None with a reason.
    """

    series_id: int
    expectation: ComposedExpectation
    composed: Composed | None
    reason: str

    def row(self, commit_id: int) -> Row:
        """Return the row of the verdict: the growth of the quotient is divergence."""
        quotient = None if self.composed is None else self.composed.quotient
        growth = None if quotient is None else quotient.growth
        return {
            "commit_id": commit_id,
            "series_id": self.series_id,
            "expectation_id": self.expectation.id,
            "deviation_limit": str(default_deviation_limit(CONSTANT)),
            "divergence": None if growth is None else str(growth),
            "verdict": str(quotient.verdict if quotient else Verdict.UNDECIDED),
            "reason": self.reason,
            "judged_at": now(),
        }

    def likely(self, known: Likely) -> Likely:
        """Return probabilities: growths of the series, verdicts on the quotient."""
        found = self.composed.quotient.verdict_probability if self.composed else {}
        return Likely(known.growths, shares(found), self.expectation.id)


def composed_answers(
    session: Session,
    subject: AnalysedCommit,
    project_id: int,
    findings: Mapping[int, Finding],
) -> tuple[ComposedAnswer, ...]:
    """Return the series of a commit on a machine of which a composed model is expected.

    Parameters
    ----------
    findings
        What was found of each series of the machine, by id.
    """
    compositions = compositions_in_force(session, project_id)
    if not compositions:
        return ()
    parts = _parts(session, subject, compositions, findings)
    return tuple(
        _answer(each, parts, key, compositions)
        for each, part in sorted(parts.items())
        if (key := (part.region, part.metric)) in compositions
    )


def _answer(
    series_id: int, parts: Parts, key: tuple[str, str], compositions: Compositions
) -> ComposedAnswer:
    """Return a series beside its composed model; others of its region are no parts."""
    expectation = compositions[key]
    known = [
        part
        for other, part in parts.items()
        if other == series_id or (part.region, part.metric) != key
    ]
    try:
        (composed, *_) = compose(":".join(key), formulas_for(compositions, key), known)
    except CompositionError as error:
        return ComposedAnswer(series_id, expectation, None, str(error))
    return ComposedAnswer(series_id, expectation, composed, composed_words(composed))


def _parts(
    session: Session,
    subject: AnalysedCommit,
    compositions: Compositions,
    findings: Mapping[int, Finding],
) -> Parts:
    """Return all series that formulas name or are about, with their repetitions."""
    wanted = {*_named(compositions), *(region for region, _ in compositions)}
    taken = points.of_commit(session, subject.commit_id, subject.machine_id)
    left_out = left_out_at(session, subject.commit_id, taken)
    rows = {
        series_id: [each for each in group if each.count]
        for series_id, group in groupby(taken, key=lambda each: each.series_id)
    }
    rows = {
        series_id: own
        for series_id, own in rows.items()
        if own and wanted & {own[0].region, f"{own[0].region}:{own[0].metric}"}
    }
    blobs = samples.of_runs(session, {e.run_id for own in rows.values() for e in own})
    described = series.described(session, rows)
    return {
        series_id: _measured(
            own,
            [blobs[each.run_id][each.start : each.start + each.count] for each in own],
            {each.run_id for each in own if each in left_out},
            described[series_id],
            findings.get(series_id),
        )
        for series_id, own in rows.items()
    }


def _named(compositions: Compositions) -> Iterable[str]:
    formulas: Collection[Formula] = [each.formula for each in compositions.values()]
    return (name for formula in formulas for name in formula.names)


def _measured(
    rows: Sequence[StoredMeasurement],
    repetitions: Sequence[Reals],
    crowded_runs: Collection[int],
    described: tuple[str, Mapping[str, Any]],
    finding: Finding | None,
) -> Measured:
    """Return a series with all its repetitions, those at one coordinate together."""
    common = set.intersection(*(set(each.coordinate) for each in rows))
    settings_of = {
        name: {float(each.coordinate[name]) for each in rows} for name in sorted(common)
    }
    varied = [name for name, settings in settings_of.items() if len(settings) > 1]
    names = tuple(varied or settings_of)
    held = {name: min(at) for name, at in settings_of.items() if name not in names}
    values: dict[tuple[float, ...], list[Reals]] = defaultdict(list)
    crowded: dict[tuple[float, ...], bool] = defaultdict(bool)
    for each, own in zip(rows, repetitions, strict=True):
        at = tuple(float(each.coordinate[name]) for name in names)
        values[at].append(own)
        crowded[at] |= each.run_id in crowded_runs
    places = sorted(values)
    unit, configuration = described
    return Measured(
        region=rows[0].region,
        metric=rows[0].metric,
        unit=unit,
        configuration={**configuration, **held},
        parameters=names,
        settings=np.array(places, dtype=np.float64).reshape(len(places), -1),
        values=stacked([np.concatenate(values[at]) for at in places]),
        crowded=np.array([crowded[at] for at in places], np.bool_),
        model=None if finding is None else finding.model,
    )
