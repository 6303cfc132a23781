"""Composed models as JSON objects and sentences, the same wherever they are told."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from scalewatch.exporters.findings import finding_object
from scalewatch.modelling import Composed, Verdict
from scalewatch.modelling.compositions.comparison import ComposedForecast


def composed_object(composed: Composed) -> dict[str, Any]:
    """Return a composed model beside its measurements, and what their quotient does."""
    quotient = finding_object(composed.quotient)
    return {
        "formula": str(composed.formula),
        "points": [
            {
                "at": _at(composed, point.setting),
                "measured": point.measured,
                "composed": point.expected,
            }
            for point in composed.points
        ],
        "left_out": [_at(composed, row) for row in composed.left_out.tolist()],
        "forecasts": [
            {"at": dict(each.at), "composed": each.expected, **_measured(each)}
            for each in composed.forecasts
        ],
        "largest_deviation": composed.largest_deviation,
        "quotient": {
            "low": float(composed.quotients.min()),
            "median": float(np.median(composed.quotients)),
            "high": float(composed.quotients.max()),
            **{name: quotient[name] for name in _TOLD},
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
    if finding.growth is None:
        return f"{words}; growth unknown: {finding.reason}"
    told = f"{words}, grows like {finding.growth}: {_verdict(composed)}"
    is_open = finding.verdict is Verdict.UNDECIDED and finding.reason
    return f"{told} ({finding.reason})" if is_open else told


def forecast_words(composed: Composed) -> list[str]:
    """Return what the composed model says at targets, and what to expect measured."""
    unit = f" {composed.series.unit}" if composed.series.unit else ""
    told = []
    for each in composed.forecasts:
        known = _measured(each)
        words = f"at {_place(each.at)}: composed {each.expected:.3g}{unit}"
        if each.quotient is not None:
            words += f", to expect {each.expected * each.quotient.value:.3g}{unit}"
            low, high = (known[name] for name in ("low", "high"))
            words += "" if low is None else f" ({low:.3g} to {high:.3g})"
        told.append(words)
    return told


def _measured(forecast: ComposedForecast) -> dict[str, float | None]:
    """Return what to expect of measurements: the composed value times the quotient."""
    quotient = forecast.quotient
    if quotient is None:
        return dict.fromkeys(("measured", "low", "high", "level"))
    factors = {"measured": quotient.value, "low": quotient.low, "high": quotient.high}
    found = {name: _times(forecast, factor) for name, factor in factors.items()}
    return {**found, "level": quotient.level}


def _times(forecast: ComposedForecast, factor: float | None) -> float | None:
    return None if factor is None else forecast.expected * factor


def left_out_words(composed: Composed) -> str:
    """Return which settings say nothing about a composed model, empty if all do."""
    rows = composed.left_out.tolist()
    if not rows:
        return ""
    places = "; ".join(_place(_at(composed, row)) for row in rows)
    return f"left out, for shared cores or a part without a value: {places}"


def _verdict(composed: Composed) -> str:
    finding = composed.quotient
    if finding.verdict is Verdict.MISMATCH and finding.direction:
        return f"{finding.verdict} ({finding.direction} than composed)"
    return str(finding.verdict)


def _at(composed: Composed, row: Sequence[float]) -> dict[str, float]:
    return dict(zip(composed.series.parameters, row, strict=True))


def _place(at: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {setting:.10g}" for name, setting in at.items())


_TOLD = (
    "growth",
    "class_probability",
    "verdict",
    "verdict_probability",
    "reason",
)
