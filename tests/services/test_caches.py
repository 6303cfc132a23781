from concurrent.futures import ThreadPoolExecutor

import pytest

from scalewatch.services.caches import Kept, key_of


@pytest.fixture
def asked():
    return []


def squares(asked, numbers):
    def find(places):
        found = [numbers[place] for place in places]
        asked.append(found)
        return [number**2 for number in found]

    return [key_of(number) for number in numbers], find


def test_only_what_is_not_known_is_found(asked):
    kept = Kept[int](10)

    first = kept.answers(*squares(asked, [1, 2]))
    second = kept.answers(*squares(asked, [3, 2, 1]))
    third = kept.answers(*squares(asked, [1, 3]))

    assert (first, second, third) == ([1, 4], [9, 4, 1], [1, 9])
    assert asked == [[1, 2], [3]]


def test_what_nobody_asked_for_longest_is_forgotten_first(asked):
    kept = Kept[int](2)
    for numbers in ([1, 2], [1], [3], [1, 2]):
        kept.answers(*squares(asked, numbers))

    assert asked == [[1, 2], [3], [2]]


def test_large_answers_leave_room_for_fewer(asked):
    kept = Kept[int](20, size=abs)
    for numbers in ([1, 2], [4], [1], [2], [5], [4]):
        kept.answers(*squares(asked, numbers))

    # With 16, one of 1 and 4 has to go, the older first; 25 is too much by itself.
    assert asked == [[1, 2], [4], [1], [2], [5], [4]]


def test_an_answer_larger_than_all_that_is_kept_drives_out_no_other(asked):
    kept = Kept[int](20, size=abs)
    kept.answers(*squares(asked, [1, 2]))

    found = kept.answers(*squares(asked, [1, 5, 2]))
    kept.answers(*squares(asked, [2, 1]))

    assert found == [1, 25, 4]
    assert asked == [[1, 2], [5]]


def test_an_answer_asked_for_twice_at_once_is_kept_once(asked):
    kept = Kept[int](2)

    found = kept.answers(*squares(asked, [1, 1, 2]))
    kept.answers(*squares(asked, [2, 1]))

    assert found == [1, 1, 4]
    assert asked == [[1, 1, 2]]


def test_threads_that_ask_at_once_each_have_their_answers():
    kept = Kept[int](10)

    def ask(first):
        some = [*range(first, first + 20)]
        keys = [key_of(number) for number in some]
        answers = kept.answers(keys, lambda places: [some[each] for each in places])
        return answers == some

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(ask, [*range(20)] * 40))


def test_keys_tell_apart_what_reads_the_same_in_a_row():
    assert key_of("ab", "c") != key_of("a", "bc")
    assert key_of(b"1") != key_of(1, b"")
