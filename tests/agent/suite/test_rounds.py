from scalewatch_agent.suite.rounds import HOPELESS, LARGEST_STRETCH, Pace, is_hopeless


def test_many_late_starts_lengthen_the_lead_until_all_is_well():
    pace = Pace.for_duration(5_000)

    disturbed = pace.after(late=3, batch=20)

    assert disturbed.lead == 2 * pace.lead
    assert disturbed.after(late=0, batch=20) == pace == pace.after(late=0, batch=20)


def test_single_late_start_is_no_reason_to_go_slower():
    pace = Pace.for_duration(5_000)

    assert pace.after(late=1, batch=20) == pace


def test_lead_is_bounded():
    pace = Pace.for_duration(5_000)

    for _ in range(20):
        pace = pace.after(late=20, batch=20)

    assert pace.stretch == LARGEST_STRETCH


def test_rounds_are_given_up_where_nearly_all_start_late():
    assert not is_hopeless(punctual=0, late=HOPELESS)
    assert is_hopeless(punctual=0, late=HOPELESS + 1)
    assert not is_hopeless(punctual=100, late=10 * HOPELESS)
