"""HTML over HTTP: call one service, render one template."""

from fastapi import APIRouter, Depends

from scalewatch.pages import (
    assets,
    commits,
    comparisons,
    configurations,
    docs,
    embeds,
    feeds,
    glossary,
    guidelines,
    histories,
    hotspots,
    live,
    logins,
    machine_lines,
    machines,
    projects,
    promises,
    regions,
    regressions,
    report,
    runs,
    scaling_errors,
    settings,
    sparklines,
    status,
    webhooks,
)
from scalewatch.pages.delay import note_delay

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
