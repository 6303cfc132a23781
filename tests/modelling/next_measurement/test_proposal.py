import numpy as np
import pytest
from benchmarks.real_series import VARIABLE, folder, real_series

from scalewatch.modelling import (
    Cost,
    Verdict,
    find_models,
    next_measurement,
    parse_growth,
    pmnf,
)
from support.generated import P, curve

SQRT = parse_growth("p^(1/2)")
FASTER = parse_growth("p^(3/4) log p")


def undecided(count, noise=0.05):
    """Yield the truth and the measurements of series whose verdict is undecided."""
    rng = np.random.default_rng(seed=81)
    while count:
        ratio = rng.uniform(0.3, 3)
        values = 1e-3 * curve(FASTER, ratio)[:, np.newaxis]
        values = values * np.exp(noise * rng.standard_normal((len(P), 5)))
        (finding,) = find_models(P, values[np.newaxis], expectation=SQRT)
        if finding.verdict is Verdict.UNDECIDED:
            count -= 1
            yield ratio, values


def test_what_is_proposed_settles_real_series_as_often_as_promised():
    if not (folder() / "series.csv").exists():
        pytest.skip(f"{VARIABLE} names no folder with measured series")
    promised, kept = [], []
    for series in real_series()[::5]:
        before, (expectation, *_) = series.but(1), series.expectations
        (settings, values), setting = before.arrays(), series.settings[-1]
        choices = {"parameter": series.parameter, "candidates": [setting]}

        proposal = next_measurement(settings, values[0], expectation, **choices)

        if proposal is not None:
            whole = find_models(
                *series.arrays(), parameter=series.parameter, expectation=expectation
            )
            promised.append(proposal.settles)
            kept.append(whole[0].verdict is not Verdict.UNDECIDED)
    assert len(kept) > 10
    assert np.mean(kept) == pytest.approx(np.mean(promised), abs=0.2)


def test_more_repetitions_settle_what_they_are_said_to():
    promised, kept = [], []
    for number, (values, truth) in enumerate(undecided_of_the_space(40)):
        proposal = next_measurement(P, values, SQRT)
        (p,) = proposal.at.values()
        rng = np.random.default_rng(number)
        more = np.full((7, max(5, proposal.repetitions)), np.nan)
        more[:6, :5] = values
        more[6, : proposal.repetitions] = truth(p) * np.exp(
            0.05 * rng.standard_normal(proposal.repetitions)
        )

        (finding,) = find_models(np.append(P, p), more[np.newaxis], expectation=SQRT)

        promised.append(proposal.settles)
        kept.append(finding.verdict is not Verdict.UNDECIDED)
    assert np.mean(kept) == pytest.approx(np.mean(promised), abs=0.25)


def undecided_of_the_space(count, noise=0.05):
    """Yield measurements of growths of the space that are undecided, and the truth."""
    rng, growths = np.random.default_rng(seed=81), list(pmnf())
    while count:
        growth, ratio = growths[rng.integers(len(growths))], rng.uniform(0.3, 3)
        scale = ratio / float(growth(p=P[-1]))

        def truth(p, growth=growth, scale=scale):
            return 1 + scale * float(growth(p=p))

        values = np.array([truth(p) for p in P])[:, np.newaxis]
        values = values * np.exp(noise * rng.standard_normal((len(P), 5)))
        (finding,) = find_models(P, values[np.newaxis], expectation=SQRT)
        if finding.verdict is Verdict.UNDECIDED and finding.misfit is None:
            count -= 1
            yield values, truth


def test_a_settled_verdict_needs_nothing():
    values = np.repeat(curve(SQRT, 3.0)[:, np.newaxis], 5, axis=1)

    assert next_measurement(P, values, SQRT) is None


def test_series_that_cannot_be_modelled_have_no_proposal():
    assert next_measurement(P[:4], np.ones((4, 5)), SQRT) is None
    assert next_measurement(P, np.zeros((6, 5)), SQRT) is None


def test_a_run_costs_its_cores_for_its_repetitions_and_its_start():
    (_, values), *_ = undecided(1)

    paid = next_measurement(P, values, SQRT, cost=Cost(startup=0.0))
    started = next_measurement(P, values, SQRT, cost=Cost(7.0, seconds_per_unit=0.0))

    # The metric is a few milliseconds.
    p = paid.at["p"]
    assert 1e-3 < paid.hours * 3600 / (p * paid.repetitions) < 3e-2
    assert started.hours == pytest.approx(7 * started.at["p"] / 3600)


def test_whatever_is_undecided_has_a_proposal():
    # So noisy that some seem to fall, which adds growths to those that compete.
    for _, values in undecided(20, noise=0.3):
        assert next_measurement(P, values, SQRT) is not None


def test_only_candidates_are_proposed():
    for _, values in undecided(3):
        proposal = next_measurement(P, values, SQRT, candidates=[16.0, 32.0])

        assert proposal.at["p"] in {16.0, 32.0}
        assert 0 <= proposal.settles <= 1
        assert proposal.information <= np.log2(3)


def test_where_time_falls_a_proposal_settles_as_often_as_it_promises(thorough):
    rng = np.random.default_rng(4)
    p, expectation = 2.0 ** np.arange(2, 8), parse_growth("1")

    def measured(x, repetitions):
        noise = np.exp(rng.normal(0, 0.1, (len(x), repetitions)))
        return (100 / x + 2)[:, np.newaxis] * noise

    promised, settled = [], []
    for _ in range(80 if thorough else 40):
        values = measured(p, 5)
        proposal = next_measurement(p, values, expectation)
        if proposal is None:
            continue
        x = np.union1d(p, proposal.at["p"])
        at = int(np.searchsorted(x, proposal.at["p"]))
        more = np.full((len(x), 5 + proposal.repetitions), np.nan)
        more[np.isin(x, p), :5] = values
        more[at, 5:] = measured(x[at : at + 1], proposal.repetitions)
        (found,) = find_models(x, more[np.newaxis], expectation=expectation)
        promised.append(proposal.settles)
        settled.append(found.verdict is not Verdict.UNDECIDED)

    assert len(settled) >= 10
    assert np.mean(settled) >= np.mean(promised) - 0.1
