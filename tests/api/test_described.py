from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scalewatch.api.http.described import EXAMPLES, FIELDS, schema_of
from scalewatch.exporters.documents import json_text
from scalewatch.modelling import Growth, Line, Model, Term, parse_growth
from scalewatch.services.commits.find import MeasuredCommit


class Colour(StrEnum):
    """Of a part."""

    RED = "red"


@dataclass(frozen=True, slots=True)
class Part:
    """One of several."""

    colour: Colour
    share: Fraction | None


@dataclass(frozen=True, slots=True)
class Whole:
    """Something with parts.

    It is not told here what for.

    Parameters
    ----------
    parts
        The largest first; None where
        nobody looked.
    low, high
        Bounds; NaN where there are none.
    """

    growth: Growth
    model: Model
    parts: tuple[Part, ...] | None
    low: float
    high: float
    times: NDArray[np.float64]
    settings: Mapping[str, Any]
    pair: tuple[int, str]


@pytest.fixture
def whole():
    growth = parse_growth("p^(1/2)")
    return Whole(
        growth=growth,
        model=Model(1.0, (Term(2.0, growth),)),
        parts=(Part(Colour.RED, Fraction(1, 2)), Part(Colour.RED, None)),
        low=1.0,
        high=2.0,
        times=np.array([1.0, 2.0]),
        settings={"threads": 2, "flags": None},
        pair=(1, "one"),
    )


def described(kind):
    """Return the JSON schema of a dataclass."""
    return schema_of(kind).model_json_schema(mode="serialization")


def test_what_is_written_of_a_dataclass_fits_the_schema_derived_from_it(whole):
    read = schema_of(Whole).model_validate_json(json_text(whole))

    assert read.growth == "p^(1/2)"
    assert read.model.formula == whole.model.formula
    assert [part.share for part in read.parts] == ["1/2", None]
    assert read.times == [1.0, 2.0]


def test_schema_has_the_fields_in_their_order_and_all_are_required():
    names = [field.name for field in fields(Whole)]

    schema = described(Whole)

    assert list(schema["properties"]) == schema["required"] == names
    assert schema["additionalProperties"] is False


def test_docstring_describes_the_object_and_its_fields():
    schema = described(Whole)

    told = {
        name: each.get("description") for name, each in schema["properties"].items()
    }
    assert schema["description"] == "Something with parts."
    assert told["parts"] == "The largest first; null where nobody looked."
    assert told["high"] == "low, high: Bounds; null where there are none."
    assert told["growth"] is None


def test_choices_are_listed():
    assert described(Part)["properties"]["colour"]["const"] == "red"


@dataclass(frozen=True, slots=True)
class Otherwise:
    """Something that is not written by its fields."""

    hidden: int

    @property
    def as_json(self) -> dict[str, int]:
        """Return what is written."""
        return {"shown": self.hidden}


@dataclass(frozen=True, slots=True)
class Holder:
    """What holds it."""

    part: Otherwise | None


def test_what_is_written_otherwise_has_no_schema_of_its_fields():
    with pytest.raises(TypeError, match="Otherwise"):
        schema_of(Holder)


def test_examples_and_descriptions_are_inherited():
    sha = described(MeasuredCommit)["properties"]["sha"]

    assert sha["examples"] == ["v5.0.2"]


def test_matrix_with_missing_values_is_described_as_such():
    covariance = described(Line)["properties"]["covariance"]

    row = covariance["items"]
    assert row["items"]["anyOf"] == [{"type": "number"}, {"type": "null"}]


@pytest.mark.parametrize("table", [FIELDS, EXAMPLES], ids=["fields", "examples"])
def test_tables_name_fields_that_exist(table):
    for kind, entries in table.items():
        assert entries.keys() <= {field.name for field in fields(kind)}
