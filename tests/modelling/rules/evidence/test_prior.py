import numpy as np
import pytest

from scalewatch.modelling import (
    CONSTANT,
    Space,
    default_deviation_limit,
    judge,
    parse_growth,
    pmnf,
    search_space,
)
from scalewatch.modelling.growths.verdict import Verdict, decide
from scalewatch.modelling.rules.evidence.posterior import (
    CONSTANT_SHARE,
    EXPECTATION_SHARE,
    RANKS,
    Prior,
    likeliest,
    posterior,
    verdict_posterior,
)

LINEAR = parse_growth("p")
SPACE = pmnf() | search_space(LINEAR)
PRIOR = Prior.of(SPACE, LINEAR, default_deviation_limit(LINEAR))


def test_without_an_expectation_the_constant_stands_against_all_the_others():
    prior = Prior.of(SPACE, None, None)

    assert prior.share[SPACE.constant] == pytest.approx(CONSTANT_SHARE)
    assert prior.share.sum() == pytest.approx(1)
    assert len(set(np.delete(prior.share, SPACE.constant))) == 1


def test_an_expectation_is_believed_and_the_other_verdicts_share_the_rest():
    shares = verdict_posterior(PRIOR.share[np.newaxis], PRIOR)

    usual = Prior.of(SPACE, None, None).share[SPACE.growths.index(LINEAR)]
    expected = EXPECTATION_SHARE + (1 - EXPECTATION_SHARE) * usual
    rest = (1 - expected) / 2
    np.testing.assert_allclose(shares, [[expected, rest, rest]])


def test_a_verdict_that_no_growth_can_have_leaves_its_share_to_the_others():
    space = Space((CONSTANT, LINEAR))

    prior = Prior.of(space, LINEAR, CONSTANT)

    broken = (1 - EXPECTATION_SHARE) * CONSTANT_SHARE
    np.testing.assert_allclose(prior.share, [broken, 1 - broken])


def test_a_space_of_one_growth_is_certain():
    assert Prior.of(Space(()), None, None).share.tolist() == [1.0]


def test_evidence_too_small_for_a_number_still_has_a_posterior():
    log_evidence = np.array([[-5000.0], [-4990.0]], dtype=np.float32)

    found, whole = posterior(log_evidence, Prior(np.array([0.5, 0.5])))

    np.testing.assert_allclose(found[1], 1 / (1 + np.exp(-10)), rtol=1e-6)
    assert whole == pytest.approx(-4990 + np.log(0.5), abs=1e-3)


@pytest.mark.parametrize("sharpness", [0.5, 3.0, 10.0])
def test_the_likeliest_growth_has_the_verdict_that_is_settled(sharpness):
    rng = np.random.default_rng(seed=7)
    log_evidence = sharpness * rng.standard_normal((len(SPACE), 300))
    probability, _ = posterior(log_evidence.astype(np.float32), PRIOR)

    shares = verdict_posterior(probability.T, PRIOR)
    chosen = likeliest(probability, PRIOR, shares, 0.9, np.asarray(0.9))

    limit = default_deviation_limit(LINEAR)
    for growth, share in zip(chosen, shares, strict=True):
        verdict = decide(dict(zip(RANKS, share, strict=True)), 0.9)
        if verdict is not Verdict.UNDECIDED:
            assert judge(SPACE.growths[growth], LINEAR, limit) is verdict
