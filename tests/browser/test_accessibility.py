"""axe-core finds nothing on any page, in both themes, wide and narrow."""

import pytest
from playwright.sync_api import Page, expect

from support.axe import barriers
from support.recorded import record_project

PAGES = (
    "/",
    "/p/openmpi",
    "/p/openmpi?view=table",
    "/p/openmpi?vs=v5.0.8&expand=MPI_Barrier+time",
    "/p/openmpi/c/v5.0.11?all=1",
    "/p/openmpi/compare?choose=1",
    "/p/openmpi/compare/node-shm...node-tcp",
    "/p/openmpi/guidelines",
    "/p/openmpi/r/MPI_Barrier",
    "/p/openmpi/r/MPI_Barrier?machine=node-tcp",
    "/p/openmpi/scaling/contours?region=MPI_Barrier&vs=machine%3Dnode-tcp",
    "/p/openmpi/scaling/contours?kind=weak",
    "/glossary",
    "/start",
    "/start?ci=curl",
    "/p/nonesuch",
)


FEW = (
    "/p/openmpi",
    "/p/openmpi/compare/node-shm...node-tcp",
    "/p/openmpi/r/MPI_Barrier?machine=node-tcp",
)
"""Of which the short form makes do: `test_every_page` has every page."""


@pytest.fixture
def pages(thorough):
    return PAGES if thorough else FEW


@pytest.mark.parametrize(
    "look",
    [("light", 1440), pytest.param(("dark", 360), marks=pytest.mark.thorough)],
    ids=str,
)
def test_pages_have_no_barrier(
    unwatched_page: Page, sessions, pages: tuple[str, ...], look: tuple[str, int]
):
    theme, width = look
    record_project(sessions)
    unwatched_page.emulate_media(color_scheme=theme)
    unwatched_page.set_viewport_size({"width": width, "height": 900})

    for path in pages:
        unwatched_page.goto(path, wait_until="load")
        busy = unwatched_page.locator("[data-figure][aria-busy=true]")
        expect(busy).to_have_count(0)
        assert [(path, *each) for each in barriers(unwatched_page)] == []
