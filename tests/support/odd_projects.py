"""Projects that break pages which think of usual ones only."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log2
from typing import Any, Final
from uuid import NAMESPACE_OID, uuid5

from scalewatch.storage.database.session import Sessions
from support.builders import result, run_report, sweep_reports
from support.recorded import PROCESSES, failed_result, record
from support.wide_project import PROJECT as WIDE
from support.wide_project import Width, record_wide_project

ODD: Final = "odd"
"""Name of the projects, but for the wide one."""

NAME: Final = "solve"
MACHINE: Final = "steady"

GROWTHS: Final[Mapping[str, Callable[[int], float]]] = {
    NAME: lambda p: 1e-3 * p,
    "setup": lambda p: 1e-2 * (1 + log2(p)),
}


@dataclass(frozen=True, slots=True)
class OddProject:
    """A project, and what stands in the paths of its pages."""

    project: str
    region: str
    machine: str
    sha: str
    run: str
    subjects: str

    @property
    def examples(self) -> Mapping[str, str]:
        """Return what stands for each name in a path."""
        return {
            "project": self.project,
            "region": self.region,
            "machine": self.machine,
            "subjects": self.subjects,
            "sha": self.sha,
            "commit": self.sha,
            "reference": self.sha,
            "run": self.run,
            "figure": "scaling",
            "number": "1",
        }


def commit(number: int, day: int | None = None) -> dict[str, Any]:
    """Return a commit; its number tells its day unless that is stated."""
    month, of_month = divmod(number if day is None else day, 28)
    return {
        "sha": f"{number:02x}" * 20,
        "message": f"Change number {number}",
        "committed_at": f"2026-{month + 1:02}-{of_month + 1:02}T12:00:00Z",
    }


def one_commit_and_machine(sessions: Sessions) -> OddProject:
    """Record one commit on one machine."""
    return _recorded(sessions, [1])


def no_success(sessions: Sessions) -> OddProject:
    """Record two commits whose runs all failed."""
    reports = [
        run_report(
            id=str(uuid5(NAMESPACE_OID, f"{ODD} {number} {machine} {p}")),
            project=ODD,
            suite="own",
            commit=commit(number),
            machine={"name": machine},
            coordinate={"p": p},
            results=[failed_result(NAME)],
        )
        for number in (1, 2)
        for machine in (MACHINE, "other")
        for p in PROCESSES
    ]
    record(sessions, reports)
    return _odd(reports[-1].id, 2, f"{MACHINE}...other")


def two_settings(sessions: Sessions) -> OddProject:
    """Record two commits, each at two settings only."""
    return _recorded(sessions, [1, 2], processes=(2, 4))


def gaps_and_disorder(sessions: Sessions) -> OddProject:
    """Record commits out of their order, months apart, without parents."""
    return _recorded(sessions, [3, 1, 2], days={1: 3, 2: 4, 3: 200})


def failures_everywhere(sessions: Sessions) -> OddProject:
    """Record commits of which every region failed at some scale on each machine."""
    reports = [
        run_report(
            id=str(uuid5(NAMESPACE_OID, f"{ODD} {number} {machine} {p}")),
            project=ODD,
            suite="own",
            commit=commit(number),
            machine={"name": machine},
            coordinate={"p": p},
            results=[
                failed_result(region)
                if (p + place + number + len(region)) % 3 == 0 or p == PROCESSES[-1]
                else result(region=region, values=[growth(p), 1.01 * growth(p)])
                for region, growth in GROWTHS.items()
            ],
        )
        for number in (1, 2, 3)
        for place, machine in enumerate((MACHINE, "other"))
        for p in (2, 4, 8, 16, 32)
    ]
    record(sessions, reports)
    return _odd(reports[-1].id, 3, f"{MACHINE}...other")


def long_names(sessions: Sessions) -> OddProject:
    """Record regions and machines whose names have 200 letters."""
    return _wide(sessions, Width(regions=6, machines=4, letters=200))


def many(sessions: Sessions) -> OddProject:
    """Record hundreds of cells."""
    return _wide(sessions, Width(regions=60, machines=12, repetitions=3))


ODD_PROJECTS: Final = (
    one_commit_and_machine,
    no_success,
    two_settings,
    gaps_and_disorder,
    failures_everywhere,
    long_names,
    many,
)


def _recorded(
    sessions: Sessions,
    numbers: list[int],
    *,
    processes: tuple[int, ...] = PROCESSES,
    days: Mapping[int, int] | None = None,
) -> OddProject:
    reports = []
    for number in numbers:
        reports += sweep_reports(
            processes,
            GROWTHS,
            project=ODD,
            suite="own",
            machine={"name": MACHINE, "fingerprint": {"cores": 64}},
            commit=commit(number, (days or {}).get(number)),
            configuration={},
        )
    record(sessions, reports)
    newest = max(numbers, key=lambda number: (days or {}).get(number, number))
    older = min(numbers, key=lambda number: (days or {}).get(number, number))
    shas = [commit(number)["sha"][:10] for number in (older, newest)]
    return _odd(reports[-1].id, newest, "...".join(shas))


def _odd(run: object, number: int, subjects: str) -> OddProject:
    return OddProject(ODD, NAME, MACHINE, commit(number)["sha"], str(run), subjects)


def _wide(sessions: Sessions, width: Width) -> OddProject:
    shown = record_wide_project(sessions, width)
    return OddProject(
        WIDE,
        width.region(0),
        width.machine(0),
        shown.commit.sha,
        str(shown.id),
        f"{width.machine(0)}...{width.machine(1)}",
    )
