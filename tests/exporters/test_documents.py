import json
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple
from uuid import UUID

import numpy as np
import pytest

from scalewatch.exporters.documents import json_text
from scalewatch.modelling import Growth, Model, Term, Verdict

ROOT = Growth.of("p", power="1/2")


class Pair(NamedTuple):
    one: Growth
    other: Growth


@dataclass(frozen=True, slots=True)
class Example:
    growth: Growth
    probability: dict[Growth, float]


def test_dataclasses_become_objects_with_growths_as_text():
    example = Example(ROOT, {ROOT: 0.9})

    assert json.loads(json_text(example)) == {
        "growth": "p^(1/2)",
        "probability": {"p^(1/2)": 0.9},
    }


def test_models_are_what_the_command_line_prints():
    model = Model(1e-6, (Term(2e-6, ROOT),))

    assert json.loads(json_text(model)) == {
        "formula": "1e-06 + 2e-06 * p^(1/2)",
        "constant": 1e-6,
        "terms": [
            {
                "coefficient": 2e-6,
                "factors": [
                    {"parameter": "p", "power": "1/2", "log": "0", "exp2": "0"}
                ],
            }
        ],
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), None),
        (float("inf"), None),
        (Fraction(1, 3), "1/3"),
        (Verdict.MATCH, "match"),
        (UUID(int=1), str(UUID(int=1))),
        (datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00+00:00"),
        ((True, 2, "text", None), [True, 2, "text", None]),
        (Pair(ROOT, ROOT), ["p^(1/2)", "p^(1/2)"]),
        (MappingProxyType({ROOT: ROOT}), {"p^(1/2)": "p^(1/2)"}),
        ({1: 2.0, Verdict.MATCH: 3}, {"1": 2.0, "match": 3}),
        (np.array([[1.0, np.nan]]), [[1.0, None]]),
        (
            [{"all": (Example(ROOT, {ROOT: Fraction(1, 3)}),)}],
            [{"all": [{"growth": "p^(1/2)", "probability": {"p^(1/2)": "1/3"}}]}],
        ),
    ],
    ids=repr,
)
def test_every_value_has_a_form_in_json(value, expected):
    assert json.loads(json_text(value)) == expected


@pytest.mark.parametrize(
    "value", [object(), {1}, [range(2)]], ids=["object", "set", "list"]
)
def test_what_has_no_form_in_json_is_no_silent_text(value):
    with pytest.raises(TypeError, match="not JSON serializable"):
        json_text(value)
