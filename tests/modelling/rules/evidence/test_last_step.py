import numpy as np
import pytest

from scalewatch.exporters.findings import fit_object
from scalewatch.modelling import Verdict, find_models, parse_growth
from scalewatch.modelling.rules.evidence.last_step import last_settings


@pytest.mark.parametrize(
    ("settings", "places"),
    [
        ([1, 2, 4, 8], [1, 2, 3]),
        ([1, 2, 3, 4, 5, 6, 7, 8], [1, 3, 7]),
        ([1, 9, 81], [0, 1, 2]),
        ([6, 12, 16, 24, 32, 48], [1, 3, 5]),
        ([20, 24, 28, 30, 36], [0, 1, 4]),
        ([30, 31, 32], [0, 1, 2]),
        ([1, 30, 31, 32], [0, 1, 3]),
    ],
)
def test_exponents_are_bounded_by_settings_a_doubling_apart(settings, places):
    found = last_settings(np.array(settings, dtype=float))

    assert found == places


def test_undecided_verdict_tells_how_a_curve_departs_from_what_is_expected():
    p = 2.0 ** np.arange(6)
    values = np.array([100, 52, 27, 14.5, 8.2, 5.1]).reshape(1, -1, 1)

    (finding,) = find_models(p, values, expectation=parse_growth("1/p"))

    assert finding.verdict is Verdict.UNDECIDED
    assert finding.reason is not None
    assert finding.reason.endswith(
        "from p = 16 to 32 it goes like p^-0.69, the expected 1 / p like p^-1.00"
    )


def test_last_step_that_the_model_does_not_have_is_kept_with_its_fit():
    p = 2.0 ** np.arange(2, 8)
    curve = np.where(p < 32, p**0.4, p**0.4 * 1.3)
    noise = np.random.default_rng(4).normal(0, 0.006, (20, len(p), 5))

    found = find_models(
        p, curve[:, np.newaxis] * np.exp(noise), expectation=parse_growth("p^(3/4)")
    )

    steps = [fit_object(each)["last_step"] for each in found]
    assert [step is not None for step in steps] == [
        each.last_step is not None for each in found
    ]
    assert any(steps)
    for step in filter(None, steps):
        assert step["exponent"] == pytest.approx(0.4, abs=0.1)
        assert step["sentence"].startswith("from p = 64 to 128 it goes like p^0.")
