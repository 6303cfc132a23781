import json
import math

from scalewatch.errors import TooFewSettings
from scalewatch.exporters.findings import finding_object, model_object
from scalewatch.modelling import (
    CONSTANT,
    Finding,
    Forecast,
    Model,
    Term,
    Verdict,
    parse_growth,
)


def finding(**fields) -> Finding:
    model = Model(1.2e-6, (Term(3.4e-7, parse_growth("O(p^0.5)")),))
    defaults = {
        "model": model,
        "growth": model.growth,
        "points": 6,
        "repetitions": 5,
        "adjusted_r2": 0.98,
        "smape": 2.1,
        "class_probability": {
            parse_growth("O(p^0.5)"): 0.91,
            parse_growth("O(p^(1/3) log p)"): 0.06,
        },
        "expectation": parse_growth("O(log p)"),
        "deviation_limit": parse_growth("O(p^0.5)"),
        "divergence": model.growth / parse_growth("O(log p)"),
        "verdict": Verdict.APPROXIMATE,
        "verdict_probability": {
            Verdict.MATCH: 0.01,
            Verdict.APPROXIMATE: 0.97,
            Verdict.MISMATCH: 0.02,
        },
        "forecasts": (Forecast({"p": 65536.0}, 8.8e-5, 8.1e-5, 9.6e-5, 0.9),),
        "reason": None,
        "rule": "evidence",
    }
    return Finding(**(defaults | fields))


def test_object_is_what_the_contract_promises() -> None:
    assert json.dumps(finding_object(finding())) == json.dumps(
        {
            "points": 6,
            "repetitions": 5,
            "model": {
                "formula": "1.2e-06 + 3.4e-07 * p^(1/2)",
                "constant": 1.2e-06,
                "terms": [
                    {
                        "coefficient": 3.4e-07,
                        "factors": [
                            {
                                "parameter": "p",
                                "power": "1/2",
                                "log": "0",
                                "exp2": "0",
                            }
                        ],
                    }
                ],
            },
            "growth": "p^(1/2)",
            "adjusted_r2": 0.98,
            "smape": 2.1,
            "class_probability": {"p^(1/2)": 0.91, "p^(1/3) log p": 0.06},
            "expectation": "log p",
            "deviation_limit": "p^(1/2)",
            "divergence": "p^(1/2) / log p",
            "verdict": "approximate",
            "verdict_probability": {
                "match": 0.01,
                "approximate": 0.97,
                "mismatch": 0.02,
            },
            "forecasts": [
                {
                    "at": {"p": 65536},
                    "value": 8.8e-05,
                    "low": 8.1e-05,
                    "high": 9.6e-05,
                    "level": 0.9,
                }
            ],
            "horizon": None,
            "reason": None,
            "rule": "evidence",
            "unexplained": 0.0,
            "misfit": None,
            "warm_up": None,
            "modes": None,
            "last_step": None,
            "outcome": None,
            "candidates": [],
            "separating": None,
            "excepted": [],
            "independent": [],
        }
    )


def test_series_without_model_keeps_its_reason() -> None:
    unmodelled = finding_object(
        finding(
            model=None,
            growth=None,
            divergence=None,
            verdict=Verdict.UNDECIDED,
            reason="5 distinct settings needed, 3 measured",
        )
    )

    assert unmodelled["model"] is None
    assert unmodelled["verdict"] == "undecided"
    assert unmodelled["reason"] == str(TooFewSettings(3, 5))


def test_constant_model_has_no_terms() -> None:
    assert model_object(Model(2.5)) == {"formula": "2.5", "constant": 2.5, "terms": []}
    assert finding_object(finding(growth=CONSTANT))["growth"] == "1"


def test_terms_name_each_parameter_exactly() -> None:
    model = Model(0.0, (Term(2.0, parse_growth("O(2^n n^(1/3) log^2 p)")),))

    [term] = model_object(model)["terms"]

    assert term["factors"] == [
        {"parameter": "n", "power": "1/3", "log": "0", "exp2": "1"},
        {"parameter": "p", "power": "0", "log": "2", "exp2": "0"},
    ]


def test_forecast_beyond_all_numbers_is_null() -> None:
    beyond = Forecast({"n": 1.5}, math.inf, 1e300, math.inf, 0.9)

    [forecast] = finding_object(finding(forecasts=(beyond,)))["forecasts"]

    assert forecast == {
        "at": {"n": 1.5},
        "value": None,
        "low": 1e300,
        "high": None,
        "level": 0.9,
    }
