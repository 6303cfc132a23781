"""Reference machines: projects at scale, published or simulated."""

from collections.abc import Iterable

import httpx2

from scalewatch.cli.demo import published_machines, simulated_machines
from scalewatch.wire import RunReport

PROJECTS = (published_machines.PROJECT, simulated_machines.PROJECT)


def load_reference(dashboard: httpx2.Client) -> None:
    """Post the runs of all reference machines; those that are there do no harm."""
    _post(dashboard, published_machines.published_runs())
    _post(dashboard, simulated_machines.simulated_runs())


def _post(dashboard: httpx2.Client, runs: Iterable[RunReport]) -> None:
    bodies = (run.model_dump_json(by_alias=True, exclude_none=True) for run in runs)
    dashboard.post(
        "/api/v1/runs",
        content="\n".join(bodies),
        headers={"Content-Type": "application/x-ndjson"},
    ).raise_for_status()
