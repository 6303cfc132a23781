"""JSON over HTTP, below /api/v1: parse, call one service, answer.

* `http` — problem documents, answers and their schemas, derived from what services
  return, for all routes
* `results` — the analyses of a commit with their figures; a file for each other noun
* `runs`, `files` — posting: runs, and the files of other tools
"""

from scalewatch.api import (
    comparisons,
    expectations,
    figures,
    gates,
    guidelines,
    histories,
    operations,
    projects,
    results,
)
from scalewatch.api.files import bulk, imports, reframe
from scalewatch.api.runs import routes as runs

routes = [
    route
    for router in (
        runs.router,
        bulk.router,
        imports.router,
        reframe.router,
        operations.jobs,
        projects.router,
        expectations.router,
        results.scaling_errors,
        histories.router,
        gates.router,
        gates.confirmations,
        histories.aliases,
        histories.webhooks,
        results.hotspots,
        results.traces,
        results.costs,
        results.configurations,
        guidelines.router,
        comparisons.router,
        results.machine_lines,
        figures.router,
        operations.router,
        operations.health,
    )
    for route in router.routes
]
