"""Series of a commit beside the composed models that are expected of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scalewatch.errors import CompositionError
from scalewatch.exporters.findings import composed_words
from scalewatch.modelling import (
    CONSTANT,
    Composed,
    Finding,
    Measured,
    Verdict,
    compose,
    default_deviation_limit,
)
from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.services.analysis.pools import Measurements
from scalewatch.services.analysis.rows import shares
from scalewatch.services.expectations.in_force import (
    ComposedExpectation,
    Compositions,
    formulas_for,
)
from scalewatch.storage.database.inserts import Row
from scalewatch.storage.judgements.probabilities import Likely
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
        growth = None if quotient is None else quotient.told_growth
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
        verdicts = self.composed.quotient.verdict_probability if self.composed else {}
        return Likely(known.growths, shares(verdicts), self.expectation.id)


def concerned(measured: Measurements, compositions: Compositions) -> set[int]:
    """Return the ids of the series that formulas name or are about."""
    wanted = {region for region, _ in compositions}
    wanted |= {name for each in compositions.values() for name in each.formula.names}
    return {
        each.series_id
        for each in measured.points
        if wanted & {each.region, f"{each.region}:{each.metric}"}
    }


def composed_answers(
    measured: Measurements,
    compositions: Compositions,
    described: Mapping[int, tuple[str, Mapping[str, Any]]],
    findings: Mapping[int, Finding],
) -> tuple[ComposedAnswer, ...]:
    """Return the series of a commit on a machine of which a composed model is expected.

    Parameters
    ----------
    described
        Unit and configuration of the series that are `concerned`, by id.
    findings
        Those of each series of the machine, by id.
    """
    parts = {
        series_id: _measured(
            measured, succeeded, described[series_id], findings.get(series_id)
        )
        for series_id, points in measured.by_series()
        if series_id in described
        and (succeeded := [point for point in points if point.count])
    }
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


def _measured(
    measured: Measurements,
    points: Sequence[StoredMeasurement],
    described: tuple[str, Mapping[str, Any]],
    finding: Finding | None,
) -> Measured:
    """Return a series with all its repetitions, those at one coordinate together."""
    common = set.intersection(*(set(each.coordinate) for each in points))
    settings_of = {
        name: {float(each.coordinate[name]) for each in points}
        for name in sorted(common)
    }
    varied = [name for name, settings in settings_of.items() if len(settings) > 1]
    names = tuple(varied or settings_of)
    held = {name: min(at) for name, at in settings_of.items() if name not in names}
    values: dict[tuple[float, ...], list[Reals]] = defaultdict(list)
    crowded: dict[tuple[float, ...], bool] = defaultdict(bool)
    for point in points:
        at = tuple(float(point.coordinate[name]) for name in names)
        values[at].append(measured.of(point))
        crowded[at] |= point in measured.left_out
    places = sorted(values)
    unit, configuration = described
    return Measured(
        region=points[0].region,
        metric=points[0].metric,
        unit=unit,
        configuration={**configuration, **held},
        parameters=names,
        settings=np.array(places, dtype=np.float64).reshape(len(places), -1),
        values=stacked([np.concatenate(values[at]) for at in places]),
        crowded=np.array([crowded[at] for at in places], np.bool_),
        model=None if finding is None else finding.model,
    )
