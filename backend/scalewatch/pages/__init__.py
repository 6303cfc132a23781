"""HTML over HTTP: call one service, render one template.

* `rendering` — templates, assets, addresses, cells, sheets of SVG, downloads, errors
* `wording` — numbers, growths and findings in words and marks
* a file for each page: its routes, its sentences and its rows as CSV and Markdown;
  a room where pictures or sentences of a page are read by themselves
* `live` — events, feeds and embedded figures; `reference` — glossary and API
"""

from scalewatch.pages import (
    commits,
    configurations,
    costs,
    guidelines,
    hotspots,
    inbox,
    live,
    logins,
    machines,
    moved,
    projects,
    reference,
    regressions,
    runs,
    scaling,
    searches,
    settings,
    start,
    status,
    traces,
)
from scalewatch.pages.comparisons import page as comparisons
from scalewatch.pages.histories import page as histories
from scalewatch.pages.match_table import page as match_table
from scalewatch.pages.match_table import pictures
from scalewatch.pages.regions import expectation
from scalewatch.pages.regions import page as regions
from scalewatch.pages.rendering import assets

routes = [
    route
    for page in (
        assets,
        commits,
        comparisons,
        configurations,
        costs,
        reference,
        live,
        histories,
        hotspots,
        inbox,
        logins,
        guidelines,
        machines,
        moved,
        projects,
        expectation,
        regions,
        regressions,
        match_table,
        pictures,
        runs,
        scaling,
        searches,
        settings,
        start,
        status,
        traces,
    )
    for route in page.router.routes
]
"""The routes of all pages; the first one that matches an address answers."""
