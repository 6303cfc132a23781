"""Databases filled as the product fills them: runs recorded, then analysed."""

from collections.abc import Callable, Iterable, Mapping
from math import log2

from builders import result, sweep_reports
from scalewatch.jobs import perform_next
from scalewatch.services.runs import record_runs
from scalewatch.storage.session import Sessions
from scalewatch.wire import RunReport

PROCESSES = (2, 4, 8, 16, 32)

SHARED_MEMORY: Mapping[str, Callable[[int], float]] = {
    "MPI_Barrier": lambda p: 1e-6 + 2e-6 * log2(p),
    "MPI_Bcast": lambda p: 1e-6 + 1.5e-6 * log2(p),
    "MPI_Reduce": lambda p: 1e-6 + 2e-6 * log2(p),
    "MPI_Gather": lambda p: 3e-6 + 1e-6 * p,
}

TCP: Mapping[str, Callable[[int], float]] = {
    "MPI_Barrier": lambda p: 9e-6 + 4e-6 * p,
    "MPI_Bcast": lambda p: 9e-6 + 18e-6 * log2(p),
    "MPI_Reduce": lambda p: 9e-6 + 6e-6 * p**0.5,
}
"""Barrier is a mismatch with log p, Reduce is within the deviation limit √p."""


def record(sessions: Sessions, reports: Iterable[RunReport]) -> None:
    """Record runs and do all jobs that follow."""
    with sessions.writing.begin() as session:
        record_runs(session, reports)
    while perform_next(sessions, owner="test"):
        pass


def record_project(sessions: Sessions, project: str = "openmpi") -> None:
    """Record two releases on two platforms; the newer one has a failed region."""
    reports = []
    for release, day in (("v5.0.8", 1), ("v5.0.11", 2)):
        commit = {
            "sha": f"{day}{release[1:]}".replace(".", "0"),
            "tag": release,
            "message": f"Release {release}\n\nNotes follow.",
            "committed_at": f"2026-09-0{day}T12:00:00Z",
        }
        for transport, growths in (("shm", SHARED_MEMORY), ("tcp", TCP)):
            reports += sweep_reports(
                PROCESSES,
                growths,
                repetitions=40,
                noise=0.002,
                project=project,
                commit=commit,
                machine={"name": f"node-{transport}", "fingerprint": {"cores": 2}},
                configuration={"message_bytes": 256, "transport": transport},
            )
    record(sessions, reports)


def failed_result(region: str = "MPI_Scan") -> dict[str, object]:
    """Return a result that failed."""
    return result(region=region, values=[], status="failed", reason="it deadlocked")


def record_grid(
    sessions: Sessions,
    sizes: Iterable[int] = (1000, 2000, 4000, 8000),
    processes: Iterable[int] = (2, 4, 8, 16),
    **fields: object,
) -> None:
    """Record a code at several problem sizes: it shares n and gathers p."""
    reports = []
    for n in sizes:
        for p in processes:
            seconds = {"solve": lambda p, n=n: 1e-3 * n / p + 1e-2 * p}
            coordinate = {"p": p, "n": n}
            fixed = {"project": "hydro", "coordinate": coordinate, **fields}
            reports += sweep_reports((p,), seconds, noise=0.001, **fixed)
    record(sessions, reports)
