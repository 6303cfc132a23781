"""JSON over HTTP, below /api/v1: parse, call one service, answer."""

from fastapi import APIRouter

from scalewatch.api import (
    aliases,
    comparisons,
    configurations,
    confirmations,
    expectations,
    figures,
    gates,
    guidelines,
    histories,
    hotspots,
    jobs,
    machine_lines,
    problems,
    projects,
    runs,
    scaling_errors,
    status,
    webhooks,
)

router = APIRouter()
for noun in (
    runs,
    jobs,
    projects,
    expectations,
    scaling_errors,
    histories,
    gates,
    confirmations,
    aliases,
    webhooks,
    hotspots,
    configurations,
    guidelines,
    comparisons,
    machine_lines,
    figures,
    status,
):
    router.include_router(
        noun.router, prefix="/api/v1", responses=problems.problems(401, 429, 503)
    )
router.include_router(status.health)
