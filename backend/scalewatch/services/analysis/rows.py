"""Rows of the database, built from findings and locations, and models read back."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import orjson

from scalewatch.exporters.findings import fit_object
from scalewatch.modelling import Finding, Model, Term, parse_growth
from scalewatch.modelling.histories.histories import locations
from scalewatch.modelling.search.exact import EXACT
from scalewatch.services.analysis.pools import SeriesPool
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.shared_cores import remark
from scalewatch.storage.database.inserts import Row
from scalewatch.storage.histories.locations import Grid
from scalewatch.storage.judgements.probabilities import Likely
from scalewatch.storage.tables import now

DECIMALS: Final = 6
"""Decimals of a probability: no scan has the data for a finer difference."""

LOG_DECIMALS: Final = 8
"""Decimals of a location's logarithm, finer than any clock; all digits of a double
take half as much again to store and to read."""

NOWHERE: Final[Mapping[str, str]] = {}


def model_row(
    commit_id: int,
    series_id: int,
    finding: Finding,
    crowded: Mapping[str, str] = NOWHERE,
) -> Row:
    """Return the row of a model, or of why there is none.

    Parameters
    ----------
    crowded
        Settings that are left out, in words, by why.
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
        "growth": finding.told_growth and str(finding.told_growth),
        # Few terms have logarithms that are rounded: only these say so.
        "terms": [
            (each.coefficient, str(each.growth), *filter(None, [each.rounding]))
            for each in terms
        ],
        "reason": remark(crowded, reason, is_modelled=model is not None),
        "fit": fit_text(finding),
    }


def model_of(constant: float | None, terms: str, rule: str | None) -> Model | None:
    """Return a model stored with its terms as JSON, None where there is none."""
    if constant is None:
        return None
    return Model(
        constant,
        tuple(
            [
                # Stored before there was another rounding it is true.
                Term(
                    coefficient,
                    parse_growth(growth),
                    *["ceil" if r is True else r for r in rounding],
                )
                for coefficient, growth, *rounding in orjson.loads(terms)
            ]
        ),
        is_exact=rule == EXACT,
    )


def fit_text(finding: Finding) -> str:
    """Return exactness, misfit, unlike repetitions, last step as JSON; often empty."""
    known = (finding.exactness, finding.misfit, finding.last_step)
    if not any((*known, *finding.unsteadiness)):
        return ""
    return orjson.dumps(fit_object(finding)).decode()


def verdict_row(
    commit_id: int,
    series_id: int,
    finding: Finding,
    expectation: Expectation,
    crowded: Mapping[str, str] = NOWHERE,
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
        "deviation_limit": str(finding.deviation_limit or expectation.deviation_limit),
        "divergence": None if finding.divergence is None else str(finding.divergence),
        "verdict": str(finding.verdict),
        "reason": remark(crowded, reason, is_modelled=is_modelled),
        "judged_at": now(),
    }


def location_rows(
    commit_id: int, fingerprint_id: int, pools: Sequence[tuple[int, SeriesPool]]
) -> list[Row]:
    """Return the rows of the locations of series at a commit, for histories.

    Parameters
    ----------
    fingerprint_id
        State of the machine.
    pools
        Repetitions of each series, with its id.
    """
    by_shape: dict[tuple[int, ...], list[tuple[int, SeriesPool]]] = {}
    for series_id, pool in pools:
        by_shape.setdefault(pool.values.shape, []).append((series_id, pool))
    rows: list[Row] = []
    for alike in by_shape.values():
        values = np.stack([pool.values for _, pool in alike])
        values[~(values > 0) | np.isinf(values)] = np.nan  # these have no logarithm
        logs = locations(values).round(LOG_DECIMALS)
        for (series_id, pool), log in zip(alike, logs, strict=True):
            settings = tuple(map(tuple, pool.settings.tolist()))
            rows.append(
                {
                    "series_id": series_id,
                    "commit_id": commit_id,
                    "fingerprint_id": fingerprint_id,
                    "grid": Grid(tuple(pool.parameters), settings),
                    "log": [None if np.isnan(each) else each for each in log.tolist()],
                }
            )
    return rows


def likely(finding: Finding, expectation: Expectation | None) -> Likely:
    """Return how probable growths are, and verdicts by an expectation."""
    growths = shares(finding.class_probability)
    if expectation is None:
        return Likely(growths)
    return Likely(growths, shares(finding.verdict_probability), expectation.id)


def shares(probability: Mapping[Any, float]) -> str:
    """Return probabilities by name, as JSON."""
    shares = {str(name): round(share, DECIMALS) for name, share in probability.items()}
    return orjson.dumps(shares).decode()
