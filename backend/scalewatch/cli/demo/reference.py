"""Reference machines: projects at scale, published or simulated."""

from collections.abc import Iterable

import httpx2

from scalewatch.cli.demo import published_machines, reference_machines
from scalewatch.wire import RunReport

PROJECTS = (published_machines.PROJECT, reference_machines.PROJECT)


def load_reference(dashboard: httpx2.Client) -> None:
    """Post the runs of all reference machines; those that are there do no harm."""
    _post(dashboard, published_machines.published_runs())
    _post(dashboard, reference_machines.simulated_runs())


def _post(dashboard: httpx2.Client, runs: Iterable[RunReport]) -> None:
    bodies = (run.model_dump_json(by_alias=True, exclude_none=True) for run in runs)
    dashboard.post(
        "/api/v1/runs",
        content="\n".join(bodies),
        headers={"Content-Type": "application/x-ndjson"},
    ).raise_for_status()
