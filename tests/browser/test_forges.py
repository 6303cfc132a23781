"""From a regression to what its commit changed, on the forge where the code lies."""

import pytest
from playwright.sync_api import Page, expect

from scalewatch.storage.database.session import Sessions
from support.histories import LINEAR, TREE, commit, record, reports, sha

AT = 13

GITHUB = ("https://github.com/mesh/hydro", "")
GITLAB = ("https://gitlab.example.org/mesh/hydro", "/-")
"""The address of a code, and what stands before the kind of a page there."""


@pytest.mark.parametrize(
    ("code", "before"),
    [pytest.param(*GITHUB, marks=pytest.mark.thorough), GITLAB],
    ids=["github", "gitlab"],
)
def test_suspect_of_a_regression_leads_to_its_differences(
    page: Page, sessions: Sessions, code: str, before: str
):
    record(
        sessions,
        [
            report
            for number in range(1, 17)
            for report in reports(
                number,
                {"MPI_Bcast": LINEAR if number >= AT else TREE},
                commit=commit(number, repository=f"{code}.git"),
            )
        ],
    )

    page.goto("/p/mpich/regressions/1")

    link = page.get_by_role("link", name=f"differences of {sha(AT)[:10]} on")
    expect(link).to_have_attribute("href", f"{code}{before}/commit/{sha(AT)}")
    expect(link).to_have_attribute("rel", "noreferrer")

    page.goto(f"/p/mpich/c/{sha(AT)}")

    between = page.locator(
        f'a[href="{code}{before}/compare/{sha(AT - 1)}...{sha(AT)}"]'
    )
    expect(between).to_be_visible()
