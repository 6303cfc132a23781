"""Forecasts of scans at settings that nobody measured, and what to measure next.

Forecasts come from the repetitions themselves and the noise that the analysis learned,
not from the formula of a model: an interval has to allow for every curve that explains
the measurements.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.modelling import Finding, Forecast, Proposal, Verdict
from scalewatch.modelling.forecasts.break_even import HiddenTerm, hidden_term
from scalewatch.modelling.search.exact import EXACT
from scalewatch.services.analysis.next_measurement import proposed
from scalewatch.services.analysis.pools import pooled
from scalewatch.services.analysis.questions import SeriesQuestion, Target, find_all
from scalewatch.services.series.drawn import repetitions_of
from scalewatch.services.series.scans import Scan

LEVEL: Final = 0.9


def target_of(text: str) -> Target:
    """Read a target such as `p=65536` or `p=65536,n=1e6`."""
    parts = (part.partition("=") for part in text.split(","))
    return {name.strip(): float(setting) for name, _, setting in parts}


def forecasts_of(
    session: Session,
    scans: Sequence[Scan],
    targets: Sequence[Target],
    level: float = LEVEL,
) -> list[tuple[Forecast, ...]]:
    """Return the forecasts of each scan at the targets that name all its parameters.

    A scan without a model has none.

    Parameters
    ----------
    level
        Probability that an interval holds.
    """
    questions = {
        place: question
        for place, scan in enumerate(scans)
        if (question := _question(session, scan, targets)) is not None
    }
    found = find_all(list(questions.values()), {"level": level})
    forecasts = {
        place: each.forecasts for place, each in zip(questions, found, strict=True)
    }
    return [forecasts.get(place, ()) for place in range(len(scans))]


def answer_of(
    session: Session, scan: Scan, targets: Sequence[Target]
) -> tuple[SeriesQuestion, Finding] | None:
    """Return what was asked about a scan, and what is found; None without a model."""
    question = _question(session, scan, targets)
    if question is None:
        return None
    (found,) = find_all([question], {"level": LEVEL})
    return question, found


def hidden_of(question: SeriesQuestion, found: Finding) -> HiddenTerm | None:
    """Return what measurements of one parameter could not show beside their model.

    Exact counts hide nothing, and what fits no growth hides more than that.
    """
    is_certain = found.exactness is not None and found.exactness.outcome is not None
    if is_certain or found.misfit or found.model is None:
        return None
    if len(question.parameters) > 1 or not np.nanmin(question.values) > 0:
        return None
    (parameter,) = question.parameters
    settings = {parameter: question.settings.reshape(-1)}
    if settings[parameter].min() <= 0:
        return None
    return hidden_term(settings, question.values, found.model, question.noise)


def proposal_of(session: Session, scan: Scan) -> Proposal | None:
    """Return the cheapest measurement that would settle an undecided verdict."""
    if scan.standing.verdict is not Verdict.UNDECIDED:
        return None
    question = _question(session, scan, ())
    if question is None:
        return None
    return proposed(question, scan.metric, scan.unit)


def _question(
    session: Session, scan: Scan, targets: Sequence[Target]
) -> SeriesQuestion | None:
    """Return the question about a scan; None without a model."""
    taken = repetitions_of(session, [scan]) if scan.standing.model else {}
    measured = [each for each in scan.evidence if each.run in taken]
    if not measured:
        return None
    pool = pooled(
        [each.coordinate for each in measured], [taken[each.run] for each in measured]
    )
    return SeriesQuestion.of(
        pool,
        scan.expectation,
        scan.standing.noise,
        targets,
        exact=scan.standing.rule == EXACT or None,
    )
