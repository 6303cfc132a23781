import math
from dataclasses import replace

import numpy as np
import pytest

from scalewatch.importers import ImportedSeries, Scans
from scalewatch.importers.series import measurement
from scalewatch.modelling import Verdict, parse_growth
from scalewatch.services.analysis.questions import find_all
from scalewatch.services.files.model_files import Question, Stated, questions_of

P = np.array([2.0, 4, 8, 16, 32, 64])


def series(region: str = "solve", growth: str = "O(p)", **fields) -> ImportedSeries:
    exact = 1 + 2 * parse_growth(growth)({"p": P, "n": P})
    defaults = {
        "region": region,
        "metric": "time",
        "unit": "s",
        "configuration": {},
        "parameters": ("p",),
        "settings": P[:, np.newaxis],
        "values": exact[:, np.newaxis],
    }
    return ImportedSeries(**(defaults | fields))


def stated(pattern: str, growth: str) -> Stated:
    return Stated(pattern, parse_growth(growth))


def model_series(all_series, question):
    return find_all(questions_of(all_series, question), question.choices)


def test_findings_come_in_the_order_of_the_series() -> None:
    few = {"settings": P[:3, np.newaxis], "values": P[:3, np.newaxis]}
    all_series = [
        series("a", "O(log p)"),
        series("b", **few),
        series("c", "O(p)"),
        series("d", **few),
        series("e", "O(p^2)"),
    ]

    findings = model_series(all_series, Question())

    assert [str(finding.growth) for finding in findings] == [
        "log p",
        "None",
        "p",
        "None",
        "p^2",
    ]


def test_repetitions_may_differ_between_series_of_a_batch() -> None:
    findings = model_series(
        [series(), series(values=np.tile(3 * P[:, np.newaxis], 4))], Question()
    )

    assert [finding.repetitions for finding in findings] == [1, 4]


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["*=O(p)", "solve=O(log p)"], "log p"),
        (["solve=O(log p)", "*=O(p)"], "log p"),
        (["s*=O(log p)", "*=O(p)"], "p"),
        (["solve:time=O(log p)", "*=O(p)"], "log p"),
        (["*:time=O(log p)"], "log p"),
        (["*:bytes=O(log p)"], "None"),
        (["sol?e=O(log p)"], "log p"),
        (["[s]olve=O(log p)"], "None"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_name_goes_before_pattern_and_later_before_earlier(patterns, expected) -> None:
    question = Question(
        expectations=[stated(*pattern.split("=")) for pattern in patterns]
    )

    [finding] = model_series([series()], question)

    assert str(finding.expectation) == expected


def test_each_region_is_judged_by_its_own_expectation() -> None:
    question = Question(
        expectations=[stated("a", "O(log p)"), stated("b", "O(log p)")],
        deviation_limits=[stated("b", "O(p)")],
    )

    findings = model_series([series("a"), series("b"), series("c")], question)

    assert [finding.verdict for finding in findings] == [
        Verdict.MISMATCH,
        Verdict.APPROXIMATE,
        Verdict.UNDECIDED,
    ]


def test_question_that_makes_no_sense_for_a_series_is_its_reason() -> None:
    question = Question(expectations=[stated("a", "O(n)")])

    nonsense, sound = model_series([series("a"), series("b")], question)

    assert nonsense.model is None
    assert nonsense.verdict is Verdict.UNDECIDED
    assert "n" in str(nonsense.reason)
    assert sound.model is not None


def test_targets_are_for_the_series_whose_parameters_they_tell() -> None:
    question = Question(targets=[{"p": 128.0}, {"p": 256.0, "n": 9.0}, {"n": 9.0}])
    along_n = series(parameters=("n",), growth="O(n)")

    over_p, over_n = model_series([series(), along_n], question)

    assert [forecast.at for forecast in over_p.forecasts] == [{"p": 128}, {"p": 256}]
    assert [forecast.at for forecast in over_n.forecasts] == [{"n": 9}, {"n": 9}]
    assert over_p.forecasts[0].value == pytest.approx(257, rel=0.01)


def test_the_series_of_a_metric_tell_their_noise_together() -> None:
    rng = np.random.default_rng(7)
    exact = series().values * np.exp(rng.normal(0, 0.1, (40, P.size, 1)))
    shared = exact * np.exp(rng.normal(0, 0.01, (40, P.size, 5)))

    question = Question(targets=[{"p": 1024.0}])
    (alone,) = model_series([series(values=shared[0])], question)
    together, *_ = model_series([series(values=each) for each in shared], question)

    # What jobs share may as well be a curve that departs, to a series by itself.
    (wide,), (narrow,) = alone.forecasts, together.forecasts
    assert math.log(narrow.high / narrow.low) < 0.9 * math.log(wide.high / wide.low)


def test_a_promise_of_exponential_growth_is_no_noise() -> None:
    x = np.arange(1.0, 9.0)
    rng = np.random.default_rng(8)
    values = (1 + 2.0**x)[:, np.newaxis] * np.exp(rng.normal(0, 0.01, (30, 8, 5)))
    all_series = [series(settings=x[:, np.newaxis], values=each) for each in values]

    findings = model_series(all_series, Question(expectations=[stated("*", "O(2^p)")]))

    assert all(str(each.growth) == "2^p" for each in findings)
    assert all(each.verdict is Verdict.MATCH for each in findings)


def test_region_alone_means_its_time_and_all_where_it_has_none() -> None:
    all_series = [
        series("solve"),
        series("solve", metric="visits"),
        series("halo", metric="bytes"),
    ]
    stated_growths = [stated("solve", "O(p)"), stated("halo", "O(p)")]

    asked = questions_of(all_series, Question(expectations=stated_growths))
    general = questions_of(all_series, Question(expectations=[stated("*", "O(p)")]))

    assert [one.expectation is not None for one in asked] == [True, False, True]
    assert all(one.expectation is not None for one in general)


def weakly_scaled():
    """Return a time over p, with which nodes rise and the share of each node falls."""
    scans = Scans(
        measurement(
            "solve", "time", "s", 1 + 8 / nodes, {"p": 32 * nodes, "nodes": nodes}
        )
        for nodes in (1, 2, 4, 8, 16, 32)
    )
    return scans.series()


@pytest.mark.parametrize(
    ("growth", "parameter"),
    [("O(1 / nodes)", "nodes"), ("O(1 / p)", "p"), ("O(log n)", "p")],
)
def test_a_series_is_modelled_over_what_is_expected_of_it(growth, parameter):
    question = Question(expectations=(stated("solve", growth),))

    (over,) = question.along(weakly_scaled())

    assert over.parameters == (parameter,)
    step = 32 if parameter == "p" else 1
    assert over.settings.ravel().tolist() == [step * x for x in (1, 2, 4, 8, 16, 32)]
    assert over.along(("p",)).along((parameter,)).together == over.together


def test_settings_that_fall_as_others_rise_are_put_in_order():
    (over,) = Scans(
        measurement("solve", "time", "s", p, {"p": p, "rows": 64 / p})
        for p in (2, 4, 8, 16, 32)
    ).series()

    over = replace(over, crowded=(4,))
    along = over.along(("rows",))

    assert along.settings.ravel().tolist() == [2, 4, 8, 16, 32]
    assert along.values.ravel().tolist() == [32, 16, 8, 4, 2]
    assert along.crowded == (0,)
