"""The run that is posted of a trace."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from scalewatch.wire import MOST_RESULTS, Commit, Fact, Job, Machine, RunReport
from scalewatch_agent.errors import TraceUnusable
from scalewatch_agent.traces.reduction import Reduced
from scalewatch_agent.traces.results import (
    CRITICAL_PATH,
    EXTRAPOLATED,
    UNCALIBRATED,
    Names,
    results_of,
)

MOST_NAMED: Final = 3
LEAST_NAMED: Final = 0.1


@dataclass(frozen=True, slots=True)
class TracedSubject:
    """Subject of a trace; `settings` join the coordinate beside p."""

    project: str
    suite: str
    commit: Commit
    machine: Machine
    settings: Mapping[str, float]


def traced_run(
    path: Path, subject: TracedSubject, reduced: Reduced, names: Names
) -> RunReport:
    """Return the run of a trace; the same trace is the same run, however often read.

    Raises
    ------
    TraceUnusable
        If it has more locations than a run can hold, or another number of processes
        than the command line says.
    """
    stated = subject.settings.get("p", reduced.processes)
    if stated != reduced.processes:
        raise TraceUnusable(
            path, f"it has {reduced.processes} processes, not {stated:g}"
        )
    results = results_of(reduced, names)
    if len(results) > MOST_RESULTS:
        raise TraceUnusable(
            path, f"{len(reduced.locations):,} locations are more than a run can hold"
        )
    configuration = trace_settings(reduced)
    content = {
        "project": subject.project,
        "suite": subject.suite,
        "commit": subject.commit.sha,
        "machine": subject.machine.name,
        "coordinate": {"p": reduced.processes, **subject.settings},
        "configuration": configuration,
        "results": [result.model_dump() for result in results],
    }
    return RunReport(
        schema_version=1,
        id=uuid5(NAMESPACE_URL, json.dumps(content, sort_keys=True)),
        project=subject.project,
        suite=subject.suite,
        commit=subject.commit,
        machine=subject.machine,
        coordinate={**subject.settings, "p": reduced.processes},
        configuration=configuration,
        job=Job(environment=trace_facts(reduced)),
        results=tuple(results),
    )


def trace_settings(reduced: Reduced) -> dict[str, Fact]:
    """Return the configuration of a trace's run; the date of a table is none of it."""
    settings: dict[str, Fact] = {
        "traced": True,
        "calibration": "t_max" if reduced.calibration else "none",
    }
    if reduced.is_truncated:
        settings["truncated"] = True
    return settings


def trace_facts(reduced: Reduced) -> dict[str, Fact]:
    """Return what a run's job says of its trace."""
    facts: dict[str, Fact] = {"unmatched_messages": reduced.unmatched}
    if reduced.calibration:
        facts["calibration"] = reduced.calibration
    if reduced.extrapolated:
        facts[EXTRAPOLATED] = ", ".join(sorted(reduced.extrapolated))
    if reduced.not_calibrated:
        facts[UNCALIBRATED] = ", ".join(sorted(reduced.not_calibrated))
    if reduced.path_computing is not None:
        facts[CRITICAL_PATH] = _on_path(reduced)
    if reduced.remarks:
        facts["remarks"] = "; ".join(reduced.remarks)
    return facts


def _on_path(reduced: Reduced) -> str:
    """Name the processes that compute longest on the critical path."""
    shares = 100 * np.asarray(reduced.path_computing) / reduced.runtime
    longest = np.argsort(-shares, kind="stable")[:MOST_NAMED]
    named = [
        f"process {rank}: {shares[rank]:.1f} % of the run time"
        for rank in longest.tolist()
        if shares[rank] >= LEAST_NAMED
    ]
    return ", ".join(named) or "no process computes on it"
