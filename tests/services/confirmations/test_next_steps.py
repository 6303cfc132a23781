"""Sentences of next steps."""

import pytest

from scalewatch.services.confirmations.next_steps import NextStep


@pytest.mark.parametrize(
    ("places", "sentence"),
    [
        (({"p": 1},), "rerun on ci"),
        (({"p": 16},), "rerun on ci at p = 16 (≈ 0.5 core-hours)"),
        (({"p": 4}, {"p": 8}), "rerun on ci at p = 4, 8 (≈ 0.5 core-hours)"),
    ],
)
def test_benchmarks_without_a_parameter_are_run_again_at_no_place(places, sentence):
    step = NextStep("ci", None, None, places, None, 0.5, None)

    assert step.sentence == sentence
