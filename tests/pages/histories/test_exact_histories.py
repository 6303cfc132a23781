"""Pages of histories of what is counted exactly."""

import re

from support import sentences
from support.exact_counts import count

HISTORY = "/p/mpich/history"


def test_a_count_says_that_it_is_exact_and_where_it_changed(client, sessions):
    count(sessions, 1, {"sort › loop 1": lambda p: p})
    count(sessions, 2, {"sort › loop 1": lambda p: p * (p - 1)})

    every = client.get(HISTORY, params={"metric": "count"}).text
    own = client.get(HISTORY, params={"region": "sort › loop 1"}).text

    assert sentences.ONE_WORSE_OF_TWO in every
    assert sentences.COUNTS_ARE_EXACT in own
    assert '<span class="quiet small">exact</span>' in own
    assert "O(p²) since" in own
    assert "90 % interval" not in own


def test_plots_that_say_the_same_say_it_once(client, sessions):
    for name in "abc":
        for commit in (1, 2):
            count(sessions, commit, {"sort": lambda p: p}, machine={"name": name})

    page = client.get(HISTORY, params={"region": "sort"}).text

    captions = re.findall(r"(?s)<figcaption>(.*?)</figcaption>", page)
    assert len(captions) == 3
    assert "3 of 3 plots: " in page
    assert not any("throughout" in caption for caption in captions)


def test_counts_that_stay_are_unchanged_after_two_commits(client, sessions):
    for commit in (1, 2):
        count(sessions, commit, {"sort › loop 1": lambda p: p})

    page = client.get(HISTORY, params={"metric": "count"}).text

    assert sentences.NONE_CHANGED in page
    assert "No change detected." in page
