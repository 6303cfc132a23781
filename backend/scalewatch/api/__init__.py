"""JSON over HTTP, below /api/v1: parse, call one service, answer.

* `http` — problem documents, answers and their schemas, derived from what services
  return, for all routes
* `runs`, `imports` — posting: runs, and the files of other tools
* `papers` — documents about a region, as archives
* `results` — the analyses of a commit with their figures; a file for each other noun
"""

from scalewatch.api import (
    bulk,
    comparisons,
    expectations,
    gates,
    guidelines,
    histories,
    imports,
    operations,
    papers,
    projects,
    results,
)
from scalewatch.api.runs import routes as runs

routes = [
    route
    for router in (
        runs.router,
        bulk.router,
        imports.router,
        operations.jobs,
        projects.router,
        expectations.router,
        results.efficiencies,
        papers.router,
        results.scaling_errors,
        histories.router,
        gates.router,
        gates.confirmations,
        histories.aliases,
        histories.inbox,
        histories.owners,
        histories.webhooks,
        results.hotspots,
        results.traces,
        results.costs,
        results.configurations,
        guidelines.router,
        comparisons.router,
        results.machine_lines,
        results.figures,
        operations.router,
        operations.health,
    )
    for route in router.routes
]
