"""The region's page as an instrument: what, since when, how bad, by which commit."""

import pytest

from scalewatch.storage.database.session import Sessions
from support import sentences
from support.histories import LINEAR, TREE, record_history, sha

AT = 13
REGION = "/p/mpich/r/MPI_Bcast"


@pytest.fixture
def watched(sessions: Sessions):
    """A broadcast that turns from a tree to a line at commit 13."""
    record_history(
        sessions, lambda number: {"MPI_Bcast": LINEAR if number >= AT else TREE}, 16
    )


@pytest.mark.usefixtures("watched")
def test_region_says_since_when_how_bad_and_by_which_commit(client):
    page = client.get(REGION).text

    assert sentences.WORSE_THAN_EXPECTED in page
    assert f'<a href="/p/mpich/c/{sha(AT)[:10]}"><bdi>{sha(AT)[:10]}</bdi></a>' in page
    assert f"“<bdi>Change {AT}</bdi>” (14 Mar 2026)" in page
    assert "<strong>5.0× slower at p = 64</strong>" in page
    assert '<a href="/p/mpich/regressions/1">regression 1</a>, open' in page
    assert sentences.FARTHEST_FORECAST in page


@pytest.mark.usefixtures("watched")
def test_region_before_its_change_is_not_blamed_for_it(client):
    page = client.get(REGION, params={"commit": sha(AT - 1)}).text

    assert "✓</span> match</span>" in page
    assert "regressions/1" not in page


@pytest.mark.usefixtures("watched")
def test_another_commit_lies_under_the_present_curve(client):
    page = client.get(REGION, params={"under": sha(AT - 1)}).text
    asked = {"project": "mpich", "region": "MPI_Bcast", "under": sha(AT - 1)}
    drawn = client.get("/api/v1/figures/scaling", params=asked).json()

    assert f'<option value="{sha(AT - 1)}" selected>' in page
    (under,) = [
        each for each in drawn["data"] if each.get("name", "").startswith("at ")
    ]
    (own,) = [each for each in drawn["data"] if "median" in each.get("name", "")]
    assert under["meta"] == "quiet"
    assert under["x"] == own["x"]
    assert own["y"][-1] > 4 * under["y"][-1]


@pytest.mark.usefixtures("watched")
def test_unknown_commit_cannot_lie_under_a_curve(client):
    assert client.get(REGION, params={"under": "ffff"}).status_code == 404


@pytest.mark.usefixtures("watched")
def test_history_of_a_region_is_a_figure(client):
    asked = {"project": "mpich", "region": "MPI_Bcast", "machine": "jureca"}

    drawn = client.get("/api/v1/figures/history", params=asked)
    other = client.get(
        "/api/v1/figures/history", params=asked | {"configuration": "message_bytes=9"}
    )

    assert drawn.status_code == 200
    (dots,) = [each for each in drawn.json()["data"] if each["mode"] == "markers"]
    assert dots["ids"] == [sha(number) for number in range(1, 17)]
    assert other.status_code == 404


def test_region_without_a_history_has_no_since(client, sessions):
    record_history(sessions, lambda _: {"MPI_Bcast": TREE}, 1)

    page = client.get(REGION).text

    assert "Since " not in page
