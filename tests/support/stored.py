"""Reports of a drawn history, as a store holds them: steps at known commits."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from math import exp, log2
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import numpy as np

BEGUN = datetime(2024, 1, 1, tzinfo=UTC)
STEPS: Mapping[int, tuple[int, float]] = {}


def sha(number: int) -> str:
    return sha1(f"commit {number}".encode()).hexdigest()  # noqa: S324 - a name


def report(number: int, p: int, seconds: Mapping[str, Any], **more: Any) -> bytes:
    """Return the line of a run of a commit; its id follows from all that it is of."""
    when = (BEGUN + timedelta(hours=8 * number)).isoformat()
    project = more.pop("project", "hydro")
    machine = more.pop("machine", "jureca")
    job = more.pop("job", f"job{number}")
    uuid = uuid5(NAMESPACE_OID, f"{project} {number} {p} {machine} {job}")
    content = {
        "schema": 1,
        "id": str(uuid),
        "project": project,
        "suite": "loops",
        "commit": {
            "sha": sha(number),
            "parents": [sha(number - 1)] if number else [],
            "committed_at": when,
            "branch": "main",
        },
        "machine": {"name": machine, "fingerprint": {"cpu": "x", "cores": 64}},
        "coordinate": {"p": p},
        "job": {"id": job, "started_at": when, "ended_at": when},
        "results": [
            {"region": region, "metric": "time", "unit": "s", "values": values}
            for region, values in seconds.items()
        ],
        **more,
    }
    return json.dumps(content).encode()


def history(
    commits: int, regions: int = 4, steps: Mapping[int, tuple[int, float]] = STEPS
) -> Iterator[bytes]:
    """Yield the runs of commits; each step multiplies a region from a commit on."""
    draw = np.random.default_rng(1)
    level = [1.0] * regions
    for number in range(commits):
        if number in steps:
            region, factor = steps[number]
            level[region] *= factor
        for p in (2, 4, 8, 16, 32):
            yield report(
                number,
                p,
                {
                    f"kernel{at}": [
                        level[at] * (at + 1) * (1 + log2(p)) * exp(draw.normal(0, 0.01))
                        for _ in range(3)
                    ]
                    for at in range(regions)
                },
            )
