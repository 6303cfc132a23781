from scalewatch_agent.loops.drift import HORIZON, STEADY, Clock, ClockReading

SECOND = 1_000_000_000


def clock(*comparisons):
    made = Clock()
    for at, offset, error in comparisons:
        made.learn(ClockReading(at, offset, error))
    return made


def test_one_comparison_holds_for_a_moment_and_then_grows_doubtful():
    once = clock((0, 70, 5))

    assert once.offset(SECOND) == 70
    assert once.error(0) == 5
    assert once.error(SECOND) == 5 + SECOND // STEADY


def test_two_comparisons_make_a_line_between_and_beyond():
    # 18 ppm are 18 µs a second.
    drifting = clock((0, 0, 300), (SECOND, 18_000, 300))

    assert drifting.offset(SECOND // 2) == 9_000
    assert drifting.offset(6 * SECOND) == 6 * 18_000
    assert drifting.error(6 * SECOND) == 300 + 5 * 600


def test_without_the_line_windows_would_be_lost_after_seconds():
    once, twice = clock((0, 0, 300)), clock((0, 0, 300), (SECOND, 18_000, 300))
    true = 5 * 18_000

    assert abs(once.offset(5 * SECOND) - true) == 90_000
    assert abs(twice.offset(5 * SECOND) - true) <= 1_700


def test_drift_of_long_ago_is_forgotten_but_two_comparisons_remain():
    later = HORIZON + SECOND
    warmer = clock((0, 0, 1), (SECOND, 50_000, 1), (later, 100_000, 1))

    assert [one.at for one in warmer.comparisons] == [SECOND, later]


def test_clock_that_is_the_reference_has_no_error():
    assert clock((0, 0, 0)).error(100 * SECOND) == 0


def test_line_through_unsure_comparisons_is_not_followed():
    unsure = clock((0, 0, 200_000), (SECOND // 20, 200_000, 10_000))

    assert unsure.offset(SECOND // 10) == 200_000
    assert unsure.error(SECOND // 10) == 10_000 + SECOND // 20 // STEADY
