"""The summary of a detection: false alarms to expect, baselines, drifts, machines."""

from typing import Any, Final

import numpy as np

from scalewatch.modelling.common_mode.origins import Origin
from scalewatch.modelling.histories.changes import FALSE_SHARE
from scalewatch.modelling.histories.slow import SlowDrift
from scalewatch.services.commits.main_line import MOST_COMMITS
from scalewatch.services.common_mode.project_history import SeriesHistory
from scalewatch.services.regressions.changes import (
    HistoryChange,
    NightlySpread,
    PassingEvent,
)
from scalewatch.services.regressions.detection import Detected, NewBaseline, label
from scalewatch.wire import TIME

SAID: Final = {
    Origin.LIBRARY: "as on other machines: the library",
    Origin.MACHINE: "not on other machines: the machine, and no regression",
    Origin.UNDECIDED: "the machine or the library: another machine, or a run of the "
    "commit before on another night, would decide",
}
"""The origin of a step of all regions of a machine, in words."""

MOST_SHOWN: Final = 50
"""Drifts, and events that passed, that are kept to be shown."""

COMMITS: Final = 200
"""Length of the histories that shares of alarming ones refer to."""


def summary(detected: Detected) -> dict[str, Any]:
    """Return the object that is stored of a detection beside its regressions."""
    newest = detected.line.commits[-1].sha if detected.line.commits else None
    searched = len(detected.line.commits) + detected.older
    measured = sum(len(each.positions) for each in detected.histories)
    moved = [
        f"{step.machine}: {step.metric} × {step.factor:.2f} since "
        f"{label(detected.line.commits[step.position])}, {SAID[step.origin]}"
        for step in detected.steps
    ]
    drifts = sorted(
        detected.drifts, key=lambda drift: -abs(np.log(drift.shift.largest_factor))
    )
    passing: dict[int, list[PassingEvent]] = {}
    for event in sorted(detected.passing, key=lambda event: -event.returned):
        passing.setdefault(event.history.series.id, []).append(event)
    return {
        "newest": newest,
        "commits": searched,
        "unsearched": max(detected.measured_commits - searched, 0)
        if len(detected.line.commits) >= MOST_COMMITS
        else 0,
        "searched": dict(detected.searched),
        "series": detected.false.series,
        "changes": len(detected.changes),
        "sure": detected.false.sure,
        "expected_false": detected.false.expected,
        "false_share": FALSE_SHARE,
        "alarming_share": detected.alarming_share,
        "alarming": COMMITS * len(detected.changes) / measured if measured else None,
        "baselines": [
            *(_baseline_words(detected, each) for each in detected.baselines),
            *moved,
        ],
        "begun": [
            {
                "machine": each.machine,
                "sha": detected.line.commits[each.at].sha,
                "commits": each.commits,
                "series": each.series,
                "words": _baseline_words(detected, each),
            }
            for each in detected.baselines
        ],
        "drifts": len(detected.drifts),
        "largest_drifts": [_drift(detected, each) for each in drifts[:MOST_SHOWN]],
        "slow": [
            _slow(detected, *each)
            for each in sorted(detected.slow, key=lambda slow: -abs(slow[1].per_year))
        ][:MOST_SHOWN],
        "passing": len(detected.passing),
        "newest_passing": [
            {**_passing(detected, events[0]), "times": len(events)}
            for events in [*passing.values()][:MOST_SHOWN]
        ],
        "nights": [_nights(detected, each) for each in detected.nights],
        "modes": {
            str(history.series.id): {
                "factor": round(float(np.exp(modes.apart)), 4),
                "share": round(modes.share, 3),
            }
            for history, modes in detected.modes
        },
        "remarks": list(detected.line.remarks),
    }


def _baseline_words(detected: Detected, begun: NewBaseline) -> str:
    since = label(detected.line.commits[begun.at])
    return (
        f"new baseline of {begun.machine} from {since} on, for {len(begun.series)} "
        f"series whose level moved: its fingerprint changed ({begun.changed})"
    )


def _drift(detected: Detected, change: HistoryChange) -> dict[str, Any]:
    commit = detected.line.commits[change.last]
    return {
        "region": change.history.region,
        "metric": change.history.series.metric,
        "machine": change.history.series.machine,
        "sha": commit.sha,
        "commit": label(commit),
        "factor": round(change.shift.largest_factor, 4),
    }


def _slow(
    detected: Detected, history: SeriesHistory, drift: SlowDrift
) -> dict[str, Any]:
    """Return a slow drift; of times that grow with what it costs in a year.

    How often a region runs nobody says: the cost is that of 1,000 node-hours of it.
    """
    commit = detected.line.commits[history.positions[0]]
    a_year = float(np.exp(drift.per_year))
    is_worse = (drift.total > 0) == (history.series.better == "lower")
    costs = is_worse and history.series.metric == TIME
    return {
        "region": history.region,
        "metric": history.series.metric,
        "machine": history.series.machine,
        "sha": commit.sha,
        "commit": label(commit),
        "factor": round(float(np.exp(drift.total)), 4),
        "a_year": round(a_year, 4),
        "is_worse": is_worse,
        "node_hours": round(1_000 * (a_year - 1)) if costs else None,
    }


def _passing(detected: Detected, event: PassingEvent) -> dict[str, Any]:
    commits = detected.line.commits
    return {
        "region": event.history.region,
        "metric": event.history.series.metric,
        "machine": event.history.series.machine,
        "sha": commits[event.first].sha,
        "commit": label(commits[event.first]),
        "returned_sha": commits[event.returned].sha,
        "returned": label(commits[event.returned]),
        "factor": round(event.factor, 4),
    }


def _nights(detected: Detected, known: NightlySpread) -> dict[str, Any]:
    commits = detected.line.commits
    return {
        "machine": known.machine,
        "metric": known.metric,
        "correlation": round(known.correlation, 3),
        "spread": round(known.spread, 5),
        "regions": known.regions,
        "commits": known.commits,
        "nights": [
            (label(commits[at]), round(effect, 5)) for at, effect in known.effects
        ],
        "bad": {commits[at].sha: label(commits[at]) for at in known.bad},
        "steps": [
            {
                "commit": label(commits[step.position]),
                "factor": round(step.factor, 4),
                "origin": str(step.origin),
            }
            for step in detected.steps
            if (step.machine, step.metric) == (known.machine, known.metric)
        ],
    }
