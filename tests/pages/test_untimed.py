"""Projects that have counts only: pages about times say what is missing."""

import re
from uuid import UUID

import pytest

from support import sentences
from support.builders import result, run_report
from support.recorded import record, record_grid

PAGES = ("scaling", "configurations", "lines")


@pytest.fixture
def counted(client, sessions):
    """A project whose runs have counts and no times."""
    counts = [
        run_report(
            id=str(UUID(int=p)),
            coordinate={"p": p},
            results=[
                result(region="halo", metric="messages", unit="1", values=[4.0 * p])
            ],
        )
        for p in (2, 4, 8, 16, 32)
    ]
    record(sessions, counts)
    return client


def entry(page, name):
    """Return an entry of the menu of a page, with its tag."""
    return re.search(rf"<a href=[^>]*>{name}\b.*?</a>", page).group()


@pytest.mark.parametrize("page", PAGES)
def test_page_says_what_is_missing_and_what_would_bring_it(counted, page):
    shown = counted.get(f"/p/mpich/{page}")

    assert shown.status_code == 200
    assert sentences.NO_TIMES_AT in shown.text
    assert "<code>metric</code> is <code>time</code>" in shown.text
    assert sentences.RUN_COMMAND in shown.text
    other = f"/p/mpich/{page}?metric=messages"
    assert f'<a href="{other}">messages</a>' in shown.text
    assert counted.get(other).status_code == 200


def test_exports_and_metrics_that_nobody_measured_stay_refused(counted):
    refused = counted.get("/p/mpich/scaling?format=json")
    assert refused.status_code == 404
    assert sentences.ONLY_MESSAGES in refused.text.lower()
    assert counted.get("/p/mpich/scaling?metric=time").status_code == 404


def test_menu_marks_pages_that_have_nothing_yet(counted):
    page = counted.get("/p/mpich").text

    for name in ("Scaling", "Configurations", "Problem size", "Hotspots"):
        assert 'class="menu__lacking"' in entry(page, name)
    assert sentences.NO_TIME_MEASURED in entry(page, "Scaling")
    assert sentences.NO_PROFILE in entry(page, "Hotspots")
    assert "menu__lacking" not in entry(page, "History")


def test_menu_marks_nothing_of_what_is_there(client, sessions):
    record_grid(sessions)

    page = client.get("/p/hydro").text

    assert "menu__lacking" not in entry(page, "Scaling")
    assert "menu__lacking" not in entry(page, "Problem size")
    assert "in two configurations" in entry(page, "Configurations")
