"""The inbox: what became worse over all projects, treated from one page."""

import pytest

from scalewatch.storage.database.session import Sessions
from support.histories import LINEAR, TREE, record_history

AT = 13
HERE = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def watched(sessions: Sessions):
    record_history(
        sessions,
        lambda number: {
            "MPI_Bcast": LINEAR if number >= AT else TREE,
            "MPI_Reduce": lambda p: (2.0 if number >= 9 else 1.0) * TREE(p),
        },
        16,
    )


@pytest.mark.usefixtures("watched")
def test_inbox_lists_what_became_worse_the_worst_first(client):
    page = client.get("/inbox?period=all").text
    assert page.count('<tr id="regression-') == 2
