"""Details of a shift: stored as JSON and read as a value."""

from dataclasses import fields, replace

import orjson

from scalewatch.exporters.documents import json_text
from scalewatch.modelling import Verdict
from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.storage.histories.regressions import ShiftDetails
from support.histories import shift_details

STORED = {
    "kind": "growth",
    "probability": {"growth": 0.97, "coefficient": 0.02, "level": 0.01},
    "factor": 2.5,
    "low": 2.25,
    "high": 2.75,
    "largest_factor": 4.0,
    "largest": {"p": 256.0},
    "tilt": 0.5,
    "faster_probability": 0.999,
    "is_gradual": False,
    "statistic": 87.5,
    "p_value": 1e-9,
    "q_value": 1e-8,
    "is_sure": True,
    "noticed_at": "3f2a91c",
    "commits_before": 9,
    "commits_after": 4,
    "target": {"p": 4096.0},
    "at_target": {"value": 16.0, "low": 12.0, "high": 21.0},
    "growth_before": "log p",
    "growth_after": "p^(1/2)",
    "verdict_before": "match",
    "verdict_after": "mismatch",
    "expectation": "log p",
    "expectation_version": 3,
}
"""As earlier releases have written it."""

PRESENT = STORED | {"shares": None}
"""As it is written since changes of modes are told."""


def test_details_that_earlier_releases_stored_are_read():
    details = ShiftDetails.from_json(STORED)

    assert (details.kind, details.kind_probability) == (ShiftKind.GROWTH, 0.97)
    assert details.at_target is not None
    assert details.at_target.high == 21
    assert (details.verdict_before, details.verdict_after) == (
        Verdict.MATCH,
        Verdict.MISMATCH,
    )


def test_details_are_stored_as_earlier_releases_stored_them():
    written = ShiftDetails.from_json(STORED).to_json()

    assert orjson.dumps(written) == orjson.dumps(PRESENT)


def test_details_are_answered_as_they_are_stored():
    details = ShiftDetails.from_json(STORED)

    assert json_text(details) == orjson.dumps(PRESENT)


def test_shares_of_modes_are_read_as_they_were_stored():
    details = shift_details(kind=ShiftKind.MODES, shares=(0.4, 1.0))

    stored = orjson.loads(orjson.dumps(details.to_json()))

    assert ShiftDetails.from_json(stored) == details


def test_details_without_target_and_expectation_are_read_as_they_were_stored():
    unknown = ("at_target", "growth_before", "verdict_after", "expectation")
    details = replace(shift_details(), **dict.fromkeys(unknown))

    stored = orjson.loads(orjson.dumps(details.to_json()))

    assert ShiftDetails.from_json(stored) == details
    assert [*stored] == [field.name for field in fields(ShiftDetails)]
