"""JSON over HTTP, below /api/v1: parse, call one service, answer."""

from fastapi import APIRouter

from scalewatch.api import (
    aliases,
    confirmations,
    expectations,
    figures,
    gates,
    guidelines,
    histories,
    jobs,
    status,
    webhooks,
)
from scalewatch.api.comparisons import comparisons
from scalewatch.api.configurations import configurations
from scalewatch.api.hotspots import hotspots
from scalewatch.api.http import problems
from scalewatch.api.machines import machine_lines
from scalewatch.api.projects import projects
from scalewatch.api.runs import runs
from scalewatch.api.scaling_errors import scaling_errors

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
