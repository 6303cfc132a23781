"""Rows of the database, built from findings."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from scalewatch.exporters.findings import fit_object
from scalewatch.modelling import Finding, Term
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.shared_cores import remark
from scalewatch.storage.database.inserts import Row
from scalewatch.storage.judgements.probabilities import Likely
from scalewatch.storage.tables import now

DECIMALS: Final = 6
"""Of a probability; nobody measures enough to tell a smaller difference."""


def model_row(
    commit_id: int, series_id: int, finding: Finding, crowded: str = ""
) -> Row:
    """Return the row of a model, or of why there is none.

    Parameters
    ----------
    crowded
        Settings that are left out, since processes shared cores there, in words.
    """
    model = finding.model
    terms = model.terms if model else ()
    reason = None if model else finding.reason
    return {
        "commit_id": commit_id,
        "series_id": series_id,
        "modelled_at": now(),
        "points": finding.points,
        "repetitions": finding.repetitions,
        "constant": model and model.constant,
        "adjusted_r2": finding.adjusted_r2,
        "smape": finding.smape,
        "rule": finding.rule,
        "growth": None if finding.growth is None else str(finding.growth),
        "terms": list(map(_stored, terms)),
        "reason": remark(crowded, reason, is_modelled=model is not None),
        "fit": fit_text(finding),
    }


def fit_text(finding: Finding) -> str:
    """Return what is known of a fit besides the model as JSON, nothing of most."""
    if finding.exactness is None and finding.misfit is None:
        return ""
    return orjson.dumps(fit_object(finding)).decode()


def verdict_row(
    commit_id: int,
    series_id: int,
    finding: Finding,
    expectation: Expectation,
    crowded: str = "",
) -> Row:
    """Return the row of the verdict on a model by an expectation, as `model_row`."""
    reason = finding.reason
    if finding.expectation is None:
        reason = f"what was varied is not what {expectation.growth} depends on"
    is_modelled = finding.model is not None
    return {
        "commit_id": commit_id,
        "series_id": series_id,
        "expectation_id": expectation.id,
        "deviation_limit": str(expectation.deviation_limit),
        "divergence": None if finding.divergence is None else str(finding.divergence),
        "verdict": str(finding.verdict),
        "reason": remark(crowded, reason, is_modelled=is_modelled),
        "judged_at": now(),
    }


def likely(finding: Finding, expectation: Expectation | None) -> Likely:
    """Return how probable growths are, and verdicts by an expectation."""
    growths = shares(finding.class_probability)
    if expectation is None:
        return Likely(growths)
    return Likely(growths, shares(finding.verdict_probability), expectation.id)


def _stored(term: Term) -> tuple[float, str] | tuple[float, str, bool]:
    """Return a term as it is stored; that logarithms are rounded up is rare."""
    told = term.coefficient, str(term.growth)
    return (*told, True) if term.is_rounded_up else told


def shares(probability: Mapping[Any, float]) -> str:
    """Return probabilities by name, as JSON."""
    shares = {str(name): round(share, DECIMALS) for name, share in probability.items()}
    return orjson.dumps(shares).decode()
