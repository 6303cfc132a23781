"""The suspect of a regression: its author, and its differences on the forge."""

import pytest

from support.histories import LINEAR, TREE, commit, record, reports, sha

AT = 13
HYDRO = "https://github.com/mesh/hydro"


@pytest.fixture
def record_changes(sessions):
    """Record a broadcast that turns from a tree to a line, at these commits."""

    def record_changes(numbers, **fields):
        record(
            sessions,
            [
                report
                for number in numbers
                for report in reports(
                    number,
                    {"MPI_Bcast": LINEAR if number >= AT else TREE},
                    commit=commit(number, **fields),
                )
            ],
        )

    return record_changes


def test_suspect_has_its_author_and_links_to_its_differences(client, record_changes):
    record_changes(range(1, 17), author="Ada <b>", repository=f"{HYDRO}.git")

    card = client.get("/p/mpich/regressions/1").text
    report = client.get(f"/p/mpich/c/{sha(AT)}").text
    row = client.get("/p/mpich/regressions?format=csv").text.splitlines()[1]

    assert "<dt>Author</dt><dd><bdi>Ada &lt;b&gt;</bdi></dd>" in card
    assert f'href="{HYDRO}/commit/{sha(AT)}"' in card
    assert "by <bdi>Ada &lt;b&gt;</bdi>" in report
    assert f'href="{HYDRO}/commit/{sha(AT)}"' in report
    assert f'href="{HYDRO}/compare/{sha(AT - 1)}...{sha(AT)}"' in report
    assert "Ada <b>" in row


def test_several_suspects_link_to_their_differences_together(client, record_changes):
    record_changes([*range(1, 11), *range(15, 24)], repository=HYDRO)

    card = client.get("/p/mpich/regressions/1").text

    assert "/compare/" in card
    assert "<dt>Author</dt>" not in card


def test_nothing_links_to_a_forge_that_nobody_named(client, record_changes):
    record_changes(range(1, 17))

    card = client.get("/p/mpich/regressions/1").text

    assert "<dt>Source</dt>" not in card
    assert "<dt>Author</dt>" not in card


def test_former_whole_hash_of_an_abbreviated_commit_opens_its_report(
    client, record_changes
):
    record_changes(range(1, 3), sha="c28aca2")

    answer = client.get(f"/p/mpich/c/c28aca2{'0' * 33}")

    assert answer.status_code == 200
    assert "c28aca2" in answer.text
