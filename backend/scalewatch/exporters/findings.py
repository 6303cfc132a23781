"""Findings, models and composed models as plain values and words.

Nothing here needs the library for JSON, which the base install lacks.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from typing import Any

import numpy as np

from scalewatch.modelling import (
    Comparison,
    Composed,
    Exactness,
    Finding,
    Forecast,
    Growth,
    Incomparable,
    Model,
    Proposal,
    Verdict,
)
from scalewatch.modelling.compositions.comparison import ComposedForecast
from scalewatch.modelling.few_settings import Step
from scalewatch.modelling.measurements.repetitions import Unsteadiness
from scalewatch.texts.scales import hours_of


def finding_object(finding: Finding) -> dict[str, Any]:
    """Return what is known about one series; exact exponents are text."""
    return {
        "points": finding.points,
        "repetitions": finding.repetitions,
        "model": None if finding.model is None else model_object(finding.model),
        "growth": _text(finding.told_growth),
        "adjusted_r2": finding.adjusted_r2,
        "smape": finding.smape,
        "class_probability": _rounded(finding.class_probability),
        "expectation": _text(finding.expectation),
        "deviation_limit": _text(finding.deviation_limit),
        "divergence": _text(finding.divergence),
        "verdict": str(finding.verdict),
        "verdict_probability": _rounded(finding.verdict_probability),
        "forecasts": [_forecast(forecast) for forecast in finding.forecasts],
        "horizon": finding.horizon,
        "reason": finding.reason,
        "rule": finding.rule,
        **fit_object(finding),
    }


def fit_object(finding: Finding) -> dict[str, Any]:
    """Return what is known of a fit besides the model; exact counts have more."""
    known = finding.exactness or Exactness(None)
    return {
        "unexplained": round(finding.unexplained, 6),
        "misfit": finding.misfit
        and {**asdict(finding.misfit), "sentence": str(finding.misfit)},
        **unsteadiness_object(finding.unsteadiness),
        "last_step": finding.last_step
        and {**asdict(finding.last_step), "sentence": str(finding.last_step)},
        "outcome": known.outcome,
        "candidates": [
            {
                "formula": each.model.formula,
                "growth": str(each.model.growth),
                "probability": round(each.probability, 6),
            }
            for each in known.candidates
        ],
        "separating": known.separating and _at(known.separating),
        "excepted": [_at(each) for each in known.excepted],
        "independent": list(known.independent),
    }


def unsteadiness_object(unsteadiness: Unsteadiness) -> dict[str, Any]:
    """Return how repetitions are not alike, with the sentence about it."""
    return {
        name: pattern and {**asdict(pattern), "sentence": str(pattern)}
        for name, pattern in unsteadiness._asdict().items()
    }


def proposal_object(proposal: Proposal) -> dict[str, Any]:
    """Return what to measure next: where, how often, at what cost and how surely."""
    return {
        "at": _at(proposal.at),
        "repetitions": proposal.repetitions,
        "hours": proposal.hours,
        "hours_unit": hours_of(proposal.at),
        "settles": proposal.settles,
    }


def step_object(step: Step) -> dict[str, Any]:
    """Return the factor between two settings of a series that has too few."""
    return {
        "from": _plain(step.start),
        "to": _plain(step.end),
        "factor": step.factor,
        "low": step.low,
        "high": step.high,
    }


def comparison_object(compared: Comparison | Incomparable) -> dict[str, Any]:
    """Return what a series has to do with an earlier version, or why nobody knows."""
    if isinstance(compared, Incomparable):
        return {"reason": compared.reason}
    return {
        "probability": {str(kind): p for kind, p in compared.probability.items()},
        "growth_before": _text(compared.growth_before),
        "growth_after": _text(compared.growth_after),
        "factor": compared.factor,
        "low": compared.low,
        "high": compared.high,
        "faster_probability": compared.faster_probability,
    }


def model_object(model: Model) -> dict[str, Any]:
    """Return a model as formula and as terms.

    A factor is p^power · log2(p)^log · 2^(exp2·p); of a term with a rounding, each
    log2(p) is the next (`ceil`) or the last (`floor`) whole number.
    """
    return {
        "formula": model.formula,
        "constant": model.constant,
        "terms": [
            {
                "coefficient": term.coefficient,
                "factors": _factors(term.growth),
                **({"rounding": term.rounding} if term.rounding else {}),
            }
            for term in model.terms
        ],
    }


@lru_cache(maxsize=4096)
def _factors(growth: Growth) -> list[dict[str, str]]:
    return [
        {
            "parameter": factor.parameter,
            "power": str(factor.power),
            "log": str(factor.log),
            "exp2": str(factor.exp2),
        }
        for factor in growth.factors
    ]


def _forecast(forecast: Forecast) -> dict[str, Any]:
    return {
        "at": _at(forecast.at),
        "value": _finite(forecast.value),
        "low": _finite(forecast.low),
        "high": _finite(forecast.high),
        "level": forecast.level,
    }


def _rounded(probability: Mapping[Any, float]) -> dict[str, float]:
    return {str(each): round(share, 6) for each, share in probability.items()}


def _text(growth: Growth | None) -> str | None:
    return None if growth is None else str(growth)


def _finite(value: float | None) -> float | None:
    """JSON has no infinity: what exceeds all numbers is unknown."""
    return value if value is not None and math.isfinite(value) else None


def _at(settings: Mapping[str, float]) -> dict[str, int | float]:
    return {name: _plain(setting) for name, setting in settings.items()}


def _plain(setting: float) -> int | float:
    return int(setting) if float(setting).is_integer() else float(setting)


def composed_object(composed: Composed) -> dict[str, Any]:
    """Return a composed model beside its measurements, and what their quotient does."""
    quotient = finding_object(composed.quotient)
    return {
        "formula": str(composed.formula),
        "points": [
            {
                "at": _coordinate(composed, point.setting),
                "measured": point.measured,
                "composed": point.expected,
            }
            for point in composed.points
        ],
        "left_out": [_coordinate(composed, row) for row in composed.left_out.tolist()],
        "forecasts": [
            {"at": dict(each.at), "composed": each.expected, **_measured(each)}
            for each in composed.forecasts
        ],
        "largest_deviation": composed.largest_deviation,
        "quotient": {
            "low": float(composed.quotients.min()),
            "median": float(np.median(composed.quotients)),
            "high": float(composed.quotients.max()),
            **{name: quotient[name] for name in _JUDGED},
        },
    }


def composed_finding(composed: Composed) -> dict[str, Any]:
    """Return what a composed model changes in the object of a finding.

    It is the expectation, hence the quotient's growth is the divergence, and the
    verdict is that on the quotient.
    """
    quotient = finding_object(composed.quotient)
    return {
        "expectation": str(composed.formula),
        "deviation_limit": quotient["deviation_limit"],
        "divergence": quotient["growth"],
        **{
            name: quotient[name]
            for name in ("verdict", "verdict_probability", "reason")
        },
        "composed": composed_object(composed),
    }


def composed_words(composed: Composed) -> str:
    """Return how measurements and the composed model agree, in a sentence."""
    quotients, finding = composed.quotients, composed.quotient
    words = (
        f"measured/composed {quotients.min():.2f} to {quotients.max():.2f} "
        f"(median {np.median(quotients):.2f}) at {len(quotients)} settings"
    )
    if finding.told_growth is None:
        return f"{words}; growth unknown: {finding.misfit or finding.reason}"
    words += f", grows like {finding.told_growth}: {finding.verdict}"
    if finding.verdict is Verdict.MISMATCH and finding.direction:
        return f"{words} ({finding.direction} than composed)"
    if finding.verdict is Verdict.UNDECIDED and finding.reason:
        return f"{words} ({finding.reason})"
    return words


def forecast_words(composed: Composed) -> list[str]:
    """Return a composed model's forecasts at targets, and what to expect measured."""
    unit = f" {composed.series.unit}" if composed.series.unit else ""
    sentences = []
    for forecast in composed.forecasts:
        sentence = f"at {_place(forecast.at)}: composed {forecast.expected:.3g}{unit}"
        if forecast.quotient is not None:
            known = _measured(forecast)
            sentence += f", to expect {known['measured']:.3g}{unit}"
            if known["low"] is not None:
                sentence += f" ({known['low']:.3g} to {known['high']:.3g})"
        sentences.append(sentence)
    return sentences


def _measured(forecast: ComposedForecast) -> dict[str, float | None]:
    """Return what to expect of measurements: the composed value times the quotient."""
    quotient = forecast.quotient
    if quotient is None:
        return dict.fromkeys(("measured", "low", "high", "level"))
    factors = {"measured": quotient.value, "low": quotient.low, "high": quotient.high}
    return {
        **{
            name: None if factor is None else forecast.expected * factor
            for name, factor in factors.items()
        },
        "level": quotient.level,
    }


def left_out_words(composed: Composed) -> str:
    """Return the settings at which a composed model is not judged; empty without."""
    rows = composed.left_out.tolist()
    if not rows:
        return ""
    places = "; ".join(_place(_coordinate(composed, row)) for row in rows)
    return f"left out, for shared cores or a part without a value: {places}"


def _coordinate(composed: Composed, row: Sequence[float]) -> dict[str, float]:
    return dict(zip(composed.series.parameters, row, strict=True))


def _place(at: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {setting:.10g}" for name, setting in at.items())


_JUDGED = (
    "growth",
    "class_probability",
    "verdict",
    "verdict_probability",
    "reason",
)
"""Parts of the quotient's finding that a composed model shows."""
