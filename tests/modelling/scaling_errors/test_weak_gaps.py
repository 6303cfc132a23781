import pytest

from scalewatch.errors import SizeUnknown
from scalewatch.modelling.scaling_errors.codes import (
    NeededRun,
    Times,
    weak_gaps,
    weak_scaling_errors,
)


def test_a_strong_scaling_study_lacks_the_grown_problems():
    times = Times.of({(1, 100): 8.0, (2, 100): 4.0, (4, 100): 2.0})

    gaps = weak_gaps(times, 100)

    assert gaps.missing == ((1, 2), (1, 4), (2, 4))
    assert gaps.runs == (
        NeededRun(2, 200, 1),
        NeededRun(4, 200, 1),
        NeededRun(4, 400, 1),
    )
    assert not gaps.indivisible


def test_the_needed_runs_fill_the_gaps():
    measured = {(1, 100): 8.0, (2, 100): 4.0, (4, 100): 2.0}
    gaps = weak_gaps(Times.of(measured), 100, base=1)

    measured |= {(run.scale, run.size): 1.0 for run in gaps.runs}

    filled = Times.of(measured)
    assert not weak_gaps(filled, 100, base=1).missing
    pairs = {(e.n1, e.n2) for e in weak_scaling_errors(filled, 100)}
    assert set(gaps.missing) <= pairs


def test_the_run_that_most_pairs_need_comes_first():
    times = Times.of({(2, 100): 1.0, (4, 100): 1.0, (1, 200): 1.0})

    first, *_ = weak_gaps(times, 100).runs

    assert first == NeededRun(1, 100, 2)


def test_a_size_that_the_scale_ratio_does_not_divide_has_no_run():
    times = Times.of({(2, 25): 1.0, (3, 25): 1.0, (4, 50): 1.0})

    gaps = weak_gaps(times, 25)

    assert gaps.indivisible == ((2, 3), (3, 4))
    assert not gaps.missing


def test_sizes_must_be_known():
    with pytest.raises(SizeUnknown):
        weak_gaps(Times.of({(1, None): 1.0}), 100)
