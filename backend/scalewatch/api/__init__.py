"""JSON over HTTP, below /api/v1: parse, call one service, answer.

* `http` — problem documents, answers and their schemas, derived from what services
  return, for all routes
* a room or a file for each noun, named as in `services`
"""

from scalewatch.api import (
    aliases,
    confirmations,
    costs,
    expectations,
    figures,
    gates,
    guidelines,
    histories,
    jobs,
    status,
    webhooks,
)
from scalewatch.api.comparisons import routes as comparisons
from scalewatch.api.configurations import routes as configurations
from scalewatch.api.files import bulk, imports, reframe
from scalewatch.api.hotspots import routes as hotspots
from scalewatch.api.machines import routes as machine_lines
from scalewatch.api.projects import routes as projects
from scalewatch.api.runs import routes as runs
from scalewatch.api.scaling_errors import routes as scaling_errors
from scalewatch.api.traces import routes as traces

routes = [
    route
    for noun in (
        runs,
        bulk,
        imports,
        reframe,
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
        traces,
        costs,
        configurations,
        guidelines,
        comparisons,
        machine_lines,
        figures,
        status,
    )
    for route in noun.router.routes
]
routes += status.health.routes
