"""HTML over HTTP: call one service, render one template.

* `rendering` — templates, assets, addresses, tables of cells, downloads
* `wording` — numbers, growths and findings in words and marks
* a room or a file for each page: `page` (or the page's name) has the routes,
  `sentences` what a result says in words, `listing` its rows as CSV and Markdown
* `live` — events, feeds and embedded figures; `settings` — with webhooks and logins
"""

from scalewatch.pages import commits as commits
from scalewatch.pages import configurations as configurations
from scalewatch.pages import costs as costs
from scalewatch.pages import (
    docs,
    glossary,
    guidelines,
    runs,
    searches,
    status,
)
from scalewatch.pages import hotspots as hotspots
from scalewatch.pages import live as feeds
from scalewatch.pages import live_embeds as embeds
from scalewatch.pages import live_events as events
from scalewatch.pages import logins as logins
from scalewatch.pages import machine_lines as machine_lines
from scalewatch.pages import machines as machines
from scalewatch.pages import projects as projects
from scalewatch.pages import regressions as regressions
from scalewatch.pages import scaling_errors as scaling_errors
from scalewatch.pages import settings as settings
from scalewatch.pages import settings_gates as gates
from scalewatch.pages import settings_repositories as repositories
from scalewatch.pages import settings_webhooks as webhooks
from scalewatch.pages import start_page as start
from scalewatch.pages.comparisons import page as comparisons
from scalewatch.pages.histories import page as histories
from scalewatch.pages.match_table import page as match_table
from scalewatch.pages.match_table import small_plots, sparklines
from scalewatch.pages.regions import expectation_form
from scalewatch.pages.regions import page as regions
from scalewatch.pages.regions import preview as expectation_preview
from scalewatch.pages.rendering import assets
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
