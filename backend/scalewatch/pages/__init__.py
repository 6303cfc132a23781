"""HTML over HTTP: call one service, render one template."""

from fastapi import APIRouter

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
    report,
    runs,
    scaling_errors,
    sparklines,
)

router = APIRouter()
router.include_router(assets.router)
router.include_router(configurations.router)
router.include_router(commits.router)
router.include_router(comparisons.router)
router.include_router(docs.router)
router.include_router(embeds.router)
router.include_router(feeds.router)
router.include_router(glossary.router)
router.include_router(histories.router)
router.include_router(hotspots.router)
router.include_router(logins.router)
router.include_router(guidelines.router)
router.include_router(machines.router)
router.include_router(machine_lines.router)
router.include_router(live.router)
router.include_router(projects.router)
router.include_router(promises.router)
router.include_router(regions.router)
router.include_router(report.router)
router.include_router(runs.router)
router.include_router(scaling_errors.router)
router.include_router(sparklines.router)
