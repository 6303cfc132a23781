"""Every page, with names that were made to break it: readable, and as wide as asked."""

from collections.abc import Iterator
from itertools import product

import pytest
from playwright.sync_api import Page

from scalewatch.storage.database.session import Sessions
from support.addresses import page_addresses
from support.axe import barriers
from support.builders import sweep_reports
from support.recorded import PROCESSES, record

NAMES = {
    "project": "<img src=x onerror=alert(1)>",
    "machine": "{{ 7*7 }} & \"quotes\" 'n' 100% a+b=c;",
    "region": "x" * 200,
}
OTHER = "קצב \u202egnihtemos"
GROWTHS = {NAMES["region"]: lambda p: 1e-6 * p, OTHER: lambda p: 1e-6 + 1e-7 * p**0.5}

USUAL = [(1400, "light"), (360, "dark")]
"""Of which the short form takes one in turn; the long form takes all four for each."""


@pytest.fixture
def addresses(sessions: Sessions) -> list[str]:
    """The address of every page, of a project with hostile names."""
    for number in (1, 2):
        for machine in (NAMES["machine"], OTHER):
            commit = {
                "sha": f"{number}" * 40,
                "message": "</title><script>alert(2)</script>",
                "committed_at": f"2026-09-0{number}T12:00:00Z",
            }
            reports = sweep_reports(
                PROCESSES,
                GROWTHS,
                project=NAMES["project"],
                machine={"name": machine, "fingerprint": {"mpi": "y" * 100}},
                commit=commit,
                configuration={"flags": "-O3 " * 20},
            )
            record(sessions, reports)
    return [
        *page_addresses(
            {
                **NAMES,
                "sha": "2" * 40,
                "commit": "2" * 40,
                "reference": "2" * 40,
                "run": str(reports[0].id),
                "subjects": f"{NAMES['machine']}...{OTHER}",
                "figure": "scaling",
                "number": "1",  # there is none: the page of an error has its name, too
            }
        )
    ]


@pytest.fixture
def visited(unwatched_page: Page) -> Iterator[Page]:
    """A page that fails its test if markup of names did something."""
    dialogs: list[str] = []
    unwatched_page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    yield unwatched_page
    assert dialogs == []


def test_every_page_is_accessible_and_not_wider_than_the_window(
    visited: Page, addresses: list[str], thorough
):
    every = list(product((1400, 360), ("light", "dark")))
    found = []
    for number, path in enumerate(addresses):
        looks = every if thorough else [USUAL[number % len(USUAL)]]
        width, theme = looks[0]
        visited.set_viewport_size({"width": width, "height": 900})
        visited.goto(path, wait_until="load")
        for width, theme in looks:
            visited.emulate_media(color_scheme=theme)
            visited.set_viewport_size({"width": width, "height": 900})
            # Another theme changes nothing but colours.
            rules = ["color-contrast"] if theme == "dark" else None
            found += [(path, theme, width, *each) for each in faults(visited, rules)]

    assert found == []


def faults(page: Page, rules: list[str] | None) -> Iterator[tuple[str, ...]]:
    """Yield how much too wide a page is, and what axe finds by these rules."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    if wide > 0:
        yield (f"{wide} pixels too wide",)
    yield from barriers(page, rules)
