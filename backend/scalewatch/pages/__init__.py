"""HTML over HTTP: call one service, render one template.

* `rendering` — templates, assets, addresses, tables of cells, downloads
* `wording` — numbers, growths and findings in words and marks
* a room or a file for each page: `page` (or the page's name) has the routes,
  `sentences` what a result says in words, `listing` its rows as CSV and Markdown
* `live` — events, feeds and embedded figures; `settings` — with webhooks and logins
"""

from fastapi import APIRouter, Depends

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
from scalewatch.pages.rendering.delay import note_delay
from scalewatch.pages.scaling_errors import page as scaling_errors
from scalewatch.pages.settings import gates, logins, repositories, webhooks
from scalewatch.pages.settings import page as settings
from scalewatch.pages.start import page as start
from scalewatch.pages.traces import page as traces

DELAY = [Depends(note_delay)]
"""For pages that show what jobs find."""

router = APIRouter()
router.include_router(assets.router)
router.include_router(commits.router, dependencies=DELAY)
router.include_router(comparisons.router, dependencies=DELAY)
router.include_router(configurations.router, dependencies=DELAY)
router.include_router(costs.router, dependencies=DELAY)
router.include_router(docs.router)
router.include_router(embeds.router)
router.include_router(feeds.router)
router.include_router(gates.router)
router.include_router(glossary.router)
router.include_router(histories.router, dependencies=DELAY)
router.include_router(hotspots.router, dependencies=DELAY)
router.include_router(logins.router)
router.include_router(guidelines.router, dependencies=DELAY)
router.include_router(machines.router, dependencies=DELAY)
router.include_router(machine_lines.router, dependencies=DELAY)
router.include_router(events.router)
router.include_router(projects.router, dependencies=DELAY)
router.include_router(expectation_form.router, dependencies=DELAY)
router.include_router(expectation_preview.router, dependencies=DELAY)
router.include_router(regions.router, dependencies=DELAY)
router.include_router(regressions.router, dependencies=DELAY)
router.include_router(match_table.router, dependencies=DELAY)
router.include_router(runs.router, dependencies=DELAY)
router.include_router(scaling_errors.router, dependencies=DELAY)
router.include_router(small_plots.router)
router.include_router(searches.router)
router.include_router(sparklines.router)
router.include_router(settings.router)
router.include_router(start.router)
router.include_router(status.router)
router.include_router(traces.router, dependencies=DELAY)
router.include_router(repositories.router)
router.include_router(webhooks.router)
