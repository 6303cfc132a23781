"""The page of a region that is measured at one setting."""

from support.builders import sweep_reports
from support.histories import TREE, commit
from support.recorded import record
from support.shown_pages import words_of


def test_one_setting_is_a_value_and_its_history_and_no_word_of_growth(client, sessions):
    for number in (1, 2):
        runs = sweep_reports(
            (16,), {"io.Load": TREE}, repetitions=1, commit=commit(number)
        )
        record(sessions, runs)

    page = client.get(f"/p/{runs[0].project}/r/io.Load").text
    measured = page[page.index('aria-label="Verdict"') : page.index('id="expectation')]

    assert ", the time of io.Load is " in words_of(measured)
    assert 'aria-label="Time over commits of io.Load' in page
    assert not [
        each for each in ("no model", "of 5 settings", "xponent") if each in measured
    ]
