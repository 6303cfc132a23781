"""Documents: any value of the product as JSON, and the words of composed models.

Growths and fractions become text, models and findings what `scalewatch model --json`
prints, arrays nested lists, other dataclasses objects with their fields, but for those
of `repr=False`, unless they have another form as their property `as_json`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache, lru_cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, get_args, get_origin

import numpy as np
import orjson

from scalewatch.modelling import (
    Comparison,
    Composed,
    Exactness,
    Finding,
    Forecast,
    Growth,
    Incomparable,
    Misfit,
    Model,
    Proposal,
    Verdict,
)
from scalewatch.modelling.compositions.comparison import ComposedForecast
from scalewatch.modelling.few_settings import Step


def json_text(value: object, *, indented: bool = False) -> bytes:
    """Return a value as JSON; NaN and infinity become null.

    Parameters
    ----------
    indented
        For people; programs get half as many bytes.
    """
    layout = orjson.OPT_INDENT_2 if indented else 0
    return orjson.dumps(value, _written, _OPTIONS | layout)


# What JSON knows, orjson finds by itself, ten times as fast as we could.
_OPTIONS: Final = orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATACLASS


def _written(value: object) -> object:
    """Return a value that orjson does not know by parts, which it may not know yet."""
    kind: type = type(value)
    return _writer(kind)(value)


@cache
def _writer(kind: type[Any]) -> Callable[[Any], object]:
    """Return how values of a kind are written.

    Raises
    ------
    TypeError
        If they have no form in JSON.
    """
    if kind in _WRITTEN:
        return _WRITTEN[kind]
    if hasattr(kind, "as_json"):
        return attrgetter("as_json")
    if is_dataclass(kind):
        return _fields_writer(kind)
    if issubclass(kind, np.ndarray):
        return np.ndarray.tolist
    if issubclass(kind, Mapping):
        return _keyed
    if issubclass(kind, tuple):
        return list  # of fields with names: orjson knows plain tuples alone
    raise TypeError(kind)


def _fields_writer(kind: type[Any]) -> Callable[[Any], dict[str, object]]:
    """Return how a dataclass is written as an object."""
    shown = [field for field in fields(kind) if field.repr]
    names = tuple(field.name for field in shown)
    written = [
        (field.name, write)
        for field in shown
        if (write := _as_written(field.type)) is not None
    ]
    # A first name that is left out: of one alone, attrgetter returns no tuple.
    parts = attrgetter("__class__", *names)

    def fields_of(value: object) -> dict[str, object]:
        members = dict(zip(names, parts(value)[1:], strict=True))
        # Here rather than when orjson asks, which takes several times as long.
        for name, write in written:
            if members[name]:
                members[name] = write(members[name])
        return members

    return fields_of


def _as_written(annotation: Any) -> Callable[[Any], object] | None:
    """Return how values of a field are written, None where orjson knows or asks."""
    if isinstance(annotation, UnionType):
        known = {kind for kind in get_args(annotation) if kind is not NoneType}
        return _as_written(known.pop()) if len(known) == 1 else None
    origin = get_origin(annotation)
    key, content, *_ = (*get_args(annotation), str, str)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        write = _as_written(content)
        if write is not None:
            return lambda values: {str(k): write(value) for k, value in values.items()}
        is_text = isinstance(key, type) and issubclass(key, str)
        return None if is_text else _keyed
    return _WRITTEN.get(annotation) if isinstance(annotation, type) else None


def _keyed(values: Mapping[object, object]) -> dict[str, object]:
    """Return a mapping with its keys, such as growths, as text."""
    return {str(key): value for key, value in values.items()}


def finding_object(finding: Finding) -> dict[str, Any]:
    """Return what is known about one series; exact exponents are text."""
    return {
        "points": finding.points,
        "repetitions": finding.repetitions,
        "model": None if finding.model is None else model_object(finding.model),
        "growth": _text(finding.growth),
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
        "misfit": finding.misfit and _misfit(finding.misfit),
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


def _misfit(misfit: Misfit) -> dict[str, Any]:
    known = misfit.exponents
    return {
        "ratio": misfit.ratio,
        "probability": misfit.probability,
        "exponents": known and [known.low, known.high],
    }


def proposal_object(proposal: Proposal) -> dict[str, Any]:
    """Return what to measure next: where, how often, at what cost and how surely."""
    return {
        "at": _at(proposal.at),
        "repetitions": proposal.repetitions,
        "core_hours": proposal.core_hours,
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
        "strong_efficiency": step.strong_efficiency,
        "weak_efficiency": step.weak_efficiency,
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

    A factor is p^power · log2(p)^log · 2^(exp2·p); of a term that is rounded up, each
    log2(p) is the next whole number.
    """
    return {
        "formula": model.formula,
        "constant": model.constant,
        "terms": [
            {
                "coefficient": term.coefficient,
                "factors": _factors(term.growth),
                **({"is_rounded_up": True} if term.is_rounded_up else {}),
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
    if finding.growth is None:
        return f"{words}; growth unknown: {finding.reason}"
    words += f", grows like {finding.growth}: {finding.verdict}"
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


_WRITTEN: Final[Mapping[type, Callable[[Any], object]]] = {
    Growth: str,
    Fraction: str,
    Model: model_object,
    Finding: finding_object,
}
"""Writers of values that are no objects with their fields."""

_JUDGED = (
    "growth",
    "class_probability",
    "verdict",
    "verdict_probability",
    "reason",
)
"""Parts of the quotient's finding that a composed model shows."""
