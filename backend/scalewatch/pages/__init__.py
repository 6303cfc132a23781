"""HTML over HTTP: call one service, render one template.

* `rendering` — templates, assets, addresses, tables of cells, downloads
* `wording` — numbers, growths and findings in words and marks
* a room or a file for each page: `page` (or the page's name) has the routes,
  `sentences` what a result says in words, `listing` its rows as CSV and Markdown
* `live` — events, feeds and embedded figures; `settings` — with webhooks and logins
"""

from scalewatch.pages import (
    docs,
    glossary,
    guidelines,
    runs,
    searches,
    status,
)
from scalewatch.pages.commits import page as commits
from scalewatch.pages.comparisons import page as comparisons
from scalewatch.pages.configurations import page as configurations
from scalewatch.pages.costs import page as costs
from scalewatch.pages.histories import page as histories
from scalewatch.pages.hotspots import page as hotspots
from scalewatch.pages.live import embeds, events, feeds
from scalewatch.pages.machines import lines as machine_lines
from scalewatch.pages.machines import page as machines
from scalewatch.pages.match_table import page as match_table
from scalewatch.pages.match_table import small_plots, sparklines
from scalewatch.pages.projects import page as projects
from scalewatch.pages.regions import expectation_form
from scalewatch.pages.regions import page as regions
from scalewatch.pages.regions import preview as expectation_preview
from scalewatch.pages.regressions import page as regressions
from scalewatch.pages.rendering import assets
from scalewatch.pages.scaling_errors import page as scaling_errors
from scalewatch.pages.settings import gates, logins, repositories, webhooks
from scalewatch.pages.settings import page as settings
from scalewatch.pages.start import page as start
from scalewatch.pages.traces import page as traces

routes = [
    route
    for page in (
        assets,
        commits,
        comparisons,
        configurations,
        costs,
        docs,
        embeds,
        feeds,
        gates,
        glossary,
        histories,
        hotspots,
        logins,
        guidelines,
        machines,
        machine_lines,
        events,
        projects,
        expectation_form,
        expectation_preview,
        regions,
        regressions,
        match_table,
        runs,
        scaling_errors,
        small_plots,
        searches,
        sparklines,
        settings,
        start,
        status,
        traces,
        repositories,
        webhooks,
    )
    for route in page.router.routes
]
"""The routes of all pages; the first one that matches an address answers."""
