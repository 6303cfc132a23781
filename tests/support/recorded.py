"""Databases filled as the product fills them: runs recorded, then analysed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from math import log2
from time import sleep
from uuid import NAMESPACE_OID, uuid5

from sqlalchemy.orm import Session

from scalewatch.jobs import perform_next
from scalewatch.services import jobs
from scalewatch.services.runs.record import Receipt, prepare, record_prepared
from scalewatch.storage.database.session import Sessions
from scalewatch.storage.work import jobs as stored_jobs
from scalewatch.wire import RunReport
from support.builders import result, run_report, sweep_reports
from support.fillings import fill

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


def record_runs(session: Session, reports: Iterable[RunReport]) -> list[Receipt]:
    """Store runs, each with the job that will analyse it."""
    return record_prepared(session, map(prepare, reports))


def record(sessions: Sessions, reports: Iterable[RunReport]) -> None:
    """Record runs and see all jobs that follow done, by whichever worker.

    What the same runs led to in a database of the same content is put there again.
    """
    reports = list(reports)
    posted = [report.model_dump_json() for report in reports]
    fill(sessions.writing.kw["bind"], posted, partial(_record, sessions, reports))


def _record(sessions: Sessions, reports: Iterable[RunReport]) -> None:
    with sessions.writing.begin() as session:
        record_runs(session, reports)
    while perform_next(sessions, owner="test") or _others_work(sessions):
        pass


def _others_work(sessions: Sessions) -> bool:
    """Tell, after a moment, whether another worker was at a job."""
    with sessions.reading() as session:
        is_running = stored_jobs.counts(session).get("running", 0) > 0
    if is_running:
        sleep(0.05)
    return is_running


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


def record_half_failed_project(sessions: Sessions, project: str = "fragile") -> None:
    """Record three commits of which much failed.

    `solve` has results except on the machine `broken`, where everything fails;
    `transpose` has none at all; `output` was measured at two scales only, `exchange`
    up to 8 processes. The analysis of the second commit was given up for the machine
    `slow`, and the third one waits for its analysis.
    """
    first, second, third = (list(_half_failed(project, number)) for number in (1, 2, 3))
    record(sessions, first)
    slow = [report for report in second if report.machine.name == "slow"]
    with sessions.writing.begin() as session:
        record_runs(session, slow)
        if claim := jobs.claim(session, owner="test"):
            jobs.fail(session, claim, "it ran out of memory", for_good=True)
    record(sessions, [report for report in second if report not in slow])
    with sessions.writing.begin() as session:
        record_runs(session, third)


def _half_failed(project: str, number: int) -> Iterator[RunReport]:
    commit = {
        "sha": f"{number}f" * 20,
        "message": f"Attempt {number}",
        "committed_at": f"2026-09-0{number}T12:00:00Z",
    }
    for machine in ("steady", "slow", "broken"):
        for p in PROCESSES:
            failed = {"transpose"} | ({"exchange"} if p > 8 else set())
            measured = {"solve", "transpose", "exchange"}
            measured |= {"output"} if p <= 4 else set()
            if machine == "broken":
                failed = measured
            yield run_report(
                id=str(uuid5(NAMESPACE_OID, f"{project} {number} {machine} {p}")),
                project=project,
                suite="nightly",
                commit=commit,
                machine={"name": machine, "fingerprint": {"cores": 16}},
                coordinate={"p": p},
                results=[
                    failed_result(region)
                    if region in failed
                    else result(region=region, values=[1e-3 * (p + k) for k in (1, 2)])
                    for region in sorted(measured)
                ],
            )


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


BALANCED: Mapping[str, float] = {"fluxes": 60.0, "update": 20.0, "exchange": 10.0}
WAITING: Mapping[str, float] = {"fluxes": 60.0, "update": 20.0, "exchange": 80.0}


def record_hydro(
    sessions: Sessions,
    *,
    processes: Iterable[int] = (2, 3, 4, 5, 6),
    seconds: Mapping[str, float] | None = None,
    profiled: bool = True,
    number: int = 0,
) -> None:
    """Record a code whose profile jumps at five processes, and one that was mended."""
    reports = []
    for place, distribution in enumerate(("tiled", "even")):
        for p in processes:
            is_awkward = p == 5 and distribution == "tiled"
            times = (WAITING if is_awkward else BALANCED) | (seconds or {})
            functions = [
                {"region": region, "seconds": value} for region, value in times.items()
            ]
            reports.append(
                run_report(
                    id=f"00000000-0000-4000-8000-{place:04d}{number:04d}{p:04d}",
                    project="hydro",
                    coordinate={"p": p, "n": 1000},
                    configuration={"distribution": distribution},
                    results=[result(region="step", values=[1 / p])],
                    **({"profile": {"functions": functions}} if profiled else {}),
                )
            )
    record(sessions, reports)


def record_configurations(sessions: Sessions, **fields: object) -> None:
    """Record a hybrid code that gets slower with threads, whatever its compiler."""
    reports = []
    for threads in (1, 2, 4):
        for compiler, factor in (("gcc", 1.0), ("clang", 1.1)):
            growths = {
                "solve": lambda p, t=threads, f=factor: f * (8 / p + 0.02 * p * t)
            }
            settings = {"threads": threads, "compiler": compiler, "flags": "-O3"}
            reports += sweep_reports(
                (2, 4, 8, 16, 32),
                growths,
                noise=0.001,
                **{"project": "hybrid", "configuration": settings, **fields},
            )
    record(sessions, reports)
