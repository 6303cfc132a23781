"""HTML over HTTP: call one service, render one template."""

from fastapi import APIRouter, Depends

from scalewatch.pages import (
    docs,
    glossary,
    guidelines,
    projects,
    regressions,
    runs,
    status,
)
from scalewatch.pages.commits import commits
from scalewatch.pages.comparisons import comparisons
from scalewatch.pages.configurations import configurations
from scalewatch.pages.histories import histories
from scalewatch.pages.hotspots import hotspots
from scalewatch.pages.live import embeds, feeds, live
from scalewatch.pages.machines import machine_lines, machines
from scalewatch.pages.match_table import report, sparklines
from scalewatch.pages.regions import promises, regions
from scalewatch.pages.rendering import assets
from scalewatch.pages.rendering.delay import note_delay
from scalewatch.pages.scaling_errors import scaling_errors
from scalewatch.pages.settings import logins, settings, webhooks

DELAY = [Depends(note_delay)]
"""For pages that show what jobs find."""

router = APIRouter()
router.include_router(assets.router)
router.include_router(commits.router, dependencies=DELAY)
router.include_router(comparisons.router, dependencies=DELAY)
router.include_router(configurations.router, dependencies=DELAY)
router.include_router(docs.router)
router.include_router(embeds.router)
router.include_router(feeds.router)
router.include_router(glossary.router)
router.include_router(histories.router, dependencies=DELAY)
router.include_router(hotspots.router, dependencies=DELAY)
router.include_router(logins.router)
router.include_router(guidelines.router, dependencies=DELAY)
router.include_router(machines.router, dependencies=DELAY)
router.include_router(machine_lines.router, dependencies=DELAY)
router.include_router(live.router)
router.include_router(projects.router, dependencies=DELAY)
router.include_router(promises.router, dependencies=DELAY)
router.include_router(regions.router, dependencies=DELAY)
router.include_router(regressions.router, dependencies=DELAY)
router.include_router(report.router, dependencies=DELAY)
router.include_router(runs.router, dependencies=DELAY)
router.include_router(scaling_errors.router, dependencies=DELAY)
router.include_router(sparklines.router)
router.include_router(settings.router)
router.include_router(status.router)
router.include_router(webhooks.router)
