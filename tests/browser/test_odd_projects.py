"""Pages of projects that are not as one would wish say what they can, or what lacks."""

import re
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote

import httpx2
import pytest
from playwright.sync_api import Page

from scalewatch.storage.database.session import Sessions
from support.addresses import page_addresses
from support.odd_projects import ODD_PROJECTS, OddProject

ELSEWHERE = re.compile(r"juwels|supermuc|find_neighbours|metric=memory|/regressions/1$")
"""Views of pages that name what these projects do not have."""

HONEST = "A comparison needs two machines or two commits"
"""What the page of a comparison says where there is nothing to compare with."""

HEIGHTS = "names => names.map(name => name.getBoundingClientRect().height)"
HIGHEST = 140
"""Pixels of a machine's name above a heat map, which is to be seen below it."""

SAID: Mapping[str, Mapping[str, str]] = {
    "one_commit_and_machine": {
        "/": "Changes need two measured commits; the history needs nine",
        "": "No verdicts yet: nothing is expected of the time of 2 regions",
        "/c/{sha}": "No baseline: no earlier commit was measured",
        "/compare": "Only 1 machine measured this project",
        "/cost": "of the time on steady is in solve",
        "/history": "Too few commits for changes: 1 commit of at least 9",
        "/m/steady": "What steady measured of each commit",
        "/r/{region}": "grows like O(p); nothing is expected",
        "/regressions": "measured commits; 1 commit so far",
        "/scaling/contours": "parallel efficiency",
        "/traces": "No trace yet",
    },
    "no_success": {
        "/": "solve on other and steady failed it deadlocked",
        "": "failed",
        "/c/{sha}": "2 series (solve) not measured: failed: it deadlocked",
        "/compare/{subjects}": "No region has a model on two of them",
        "/cost": "Every result failed: it deadlocked",
        "/history": "No history yet",
        "/m/steady": "No measurement succeeded at 0202020202",
        "/r/{region}": "no measurement of its time succeeded",
        "/regressions": "No history analysed yet",
        "/scaling/contours": "No run of it succeeded",
    },
    "two_settings": {
        "/c/{sha}": "No change detected; 2 series are undecided",
        "/cost": "beyond p = 4 there is no forecast of setup",
        "/history": "Too few commits for changes: 2 commits of at least 9",
        "?view=table": "p = 1, 8 and 16 would show its growth",
        "/r/{region}": "2 of 5 settings: p = 1, 8 and 16 would show its growth",
        "/scaling/contours": "4 processes take 1.51 times as long for setup as 2 do",
    },
    "gaps_and_disorder": {
        "/": "newest of 3 commits",
        "/c/{sha}": "No change detected; 2 series are unchanged",
        "/compare/{subjects}": "no difference counts",
        "/history": "was posted after newer ones",
        "/regressions": "days without a measured commit before 0303030303",
    },
    "failures_everywhere": {
        "/": "No verdicts yet: no region has both an expected growth and a model",
        "/c/{sha}": "4 series (setup, solve) not measured",
        "/cost": "beyond p = 8 there is no forecast of",
        "?view=table": "2 of 5 settings",
        "/r/{region}": "p = 32, 128 and 512 would show its growth",
        "/runs/{run}": "it deadlocked",
    },
    "long_names": {
        "/": "2 of 24 series scale worse than expected",
        "/cost": "16× the largest run",
    },
    "many": {
        "/": "of 719 series scale worse than expected",
        "": "60 of 60 rows shown",
        "/compare/{subjects}": "is better in",
        "/cost": "of the time on cluster-00 is in",
        "/r/{region}": "on 12 machines: 4 mismatch, 8 match",
    },
}
"""What pages of each project say, by their path below that of the project."""


@pytest.fixture(params=ODD_PROJECTS, ids=lambda record: record.__name__)
def odd(request: pytest.FixtureRequest, sessions: Sessions) -> tuple[str, OddProject]:
    """A project of each kind, with the name of its kind."""
    record: Callable[[Sessions], OddProject] = request.param
    return record.__name__, record(sessions)


def addresses(project: OddProject) -> list[str]:
    return [
        path for path in page_addresses(project.examples) if not ELSEWHERE.search(path)
    ]


def words(page: str) -> str:
    """Return what a reader sees of a page, without marks of its markup."""
    shown = re.sub(
        r"<(style|script|option)\b.*?</\1>|<wbr>|data-drawn='[^']*'",
        "",
        page,
        flags=re.DOTALL,
    )
    text = re.sub(
        r"<[^>]+>",
        " ",
        re.sub(r"</?(var|i|em|sup|sub|bdi|a|span|strong)\b[^>]*>", "", shown),
    )
    return re.sub(r"[\s\N{NARROW NO-BREAK SPACE}]+", " ", text)


def test_every_page_answers_or_says_what_lacks(odd: tuple[str, OddProject], site: str):
    kind, project = odd
    with httpx2.Client(base_url=site, follow_redirects=True, timeout=60) as client:
        found = {path: client.get(path) for path in addresses(project)}
        below = f"/p/{quote(project.project)}"
        names = {name: quote(text, safe="") for name, text in project.examples.items()}
        told = {
            path: words(
                client.get("/" if path == "/" else below + path.format(**names)).text
            )
            for path in SAID[kind]
        }

    refused = {p: each for p, each in found.items() if each.status_code != 200}
    assert [p for p, each in refused.items() if HONEST not in each.text] == []
    unread = re.compile(r"[ (]nan\b|\binf\b|>None<|Traceback|&lt;scalewatch")
    assert [p for p, each in found.items() if unread.search(each.text)] == []
    assert {
        path: told[path] for path, said in SAID[kind].items() if said not in told[path]
    } == {}


FOURTH = 4
SHARES = {each.__name__: at % FOURTH for at, each in enumerate(ODD_PROJECTS)}
"""Which of each four pages the short form visits of a project.

It is another one from project to project: together they have every page.
"""


@pytest.fixture
def visited(unwatched_page: Page) -> Iterator[Page]:
    complaints: list[str] = []
    unwatched_page.on("pageerror", lambda error: complaints.append(str(error)))
    yield unwatched_page
    assert complaints == []


def test_no_page_is_wider_than_the_window(
    odd: tuple[str, OddProject], visited: Page, thorough
):
    kind, project = odd
    widths = (1440, 360) if thorough else (360,)
    too_wide = []
    visited.set_viewport_size({"width": widths[0], "height": 900})
    every = addresses(project)
    for path in every if thorough else every[SHARES[kind] :: FOURTH]:
        visited.goto(path, wait_until="load")
        for width in widths:
            visited.set_viewport_size({"width": width, "height": 900})
            if (
                visited.evaluate("document.documentElement.scrollWidth - innerWidth")
                > 0
            ):
                too_wide.append((path, width))
        headings = visited.locator(".heat-map__machine").evaluate_all(HEIGHTS)
        assert max(headings, default=0) <= HIGHEST

    assert too_wide == []
