"""Projects that have counts only: pages about times say what is missing."""

from uuid import UUID

import pytest

from support import sentences
from support.builders import result, run_report
from support.recorded import record

PAGES = (
    "scaling",
    "scaling/serial",
    "scaling/contours",
    "scaling/sizes",
    "scaling/configurations",
)


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
