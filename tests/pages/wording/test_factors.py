import pytest

from scalewatch.pages.wording.factors import factor_words


@pytest.mark.parametrize(
    ("factor", "metric", "words"),
    [
        (7.3, "time", "7.3× slower at p = 128"),
        (0.136, "time", "7.4× faster at p = 128"),
        (1.045, "time", "4.5 % slower at p = 128"),
        (0.955, "time", "4.5 % faster at p = 128"),
        (2.0, "memory", "2.0× more at p = 128"),
        (0.5, "bandwidth", "2.0× less at p = 128"),
    ],
)
def test_factor_names_its_scale_and_its_direction(factor, metric, words):
    assert factor_words(factor, metric, {"p": 128}) == words


def test_factor_without_a_scale_names_none():
    assert factor_words(2.0, "time", {}) == "2.0× slower"
