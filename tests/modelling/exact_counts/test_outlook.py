import numpy as np
import pytest

from scalewatch.modelling.exact_counts.counts import Counts, outlook, separating_setting

P = np.array([4.0, 8, 16, 32, 64, 128])
FAR = {"p": np.array([2048.0, 65536.0])}


def foretold(y, p=P):
    return outlook(Counts.of({"p": p}, np.asarray(y, float)), FAR)


def test_a_formula_without_rounding_foretells_one_number():
    assert foretold(P * (P - 1) / 2).tolist() == [[2096128, 2147450880]] * 3


def test_rounded_counts_foretell_all_that_rounding_leaves_open():
    value, low, high = foretold(np.round(1.883 * P**3 - 1.75 * P**2))

    truth = 1.883 * FAR["p"] ** 3 - 1.75 * FAR["p"] ** 2
    assert ((low <= truth) & (truth <= high) & (low < high)).all()
    assert value == pytest.approx(truth, rel=0.001)


@pytest.mark.parametrize("power", [0.6, 1.17])
def test_without_a_formula_the_local_exponent_foretells(power):
    _, low, high = foretold(np.round(1000 * P**power))

    truth = 1000 * FAR["p"] ** power
    assert ((low <= truth) & (truth <= high)).all()


def test_counts_with_zeros_and_no_formula_foretell_nothing():
    assert foretold([0, 3, 1, 9, 2, 8]) is None


def test_a_further_setting_separates_formulas():
    p = np.array([2.0, 4, 8, 16, 32])
    found = Counts.of({"p": p}, np.array([1.0, 2, 3, 5, 7]))
    growths = [growth for growth, w in found.class_probability.items() if w > 0.02]

    setting = separating_setting(found)

    assert (setting is None) == (len(growths) < 2)
    if setting:
        assert setting["p"] not in p


def test_settings_at_which_a_formula_is_too_large_for_a_number_are_not_proposed():
    p = np.array([2.0, 3, 5, 8, 13, 24])
    found = Counts.of({"p": p}, np.array([180.0, 285, 418, 540, 780, 1440]))
    assert any("2^" in str(growth) for growth in found.class_probability)

    with np.errstate(all="raise"):
        setting = separating_setting(found)

    assert setting is None or setting["p"] < 1000


def test_rivals_that_have_a_constant_are_separated():
    p = np.array([4.0, 9, 16, 25, 36, 49, 64])
    counts = Counts.of({"p": p}, 2 * (np.sqrt(p) - 1))
    assert len(counts.class_probability) > 1

    setting = separating_setting(counts)

    assert setting is None or setting["p"] not in p
