"""Confirming runs that a detection asks for, and those that it makes needless.

A run is asked for because one job alone shows a change. Once commits after it were
measured, they decide: either a regression that is sure explains the suspicion, or
enough of them show nothing of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from scalewatch.modelling.attribution import Cause
from scalewatch.modelling.common_mode.origins import Origin
from scalewatch.services.regressions.detection import Detected, label
from scalewatch.storage import tables
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.histories import regressions
from scalewatch.storage.work import confirmations

SOON: Final = 5
"""Commits after a step for which the commit before it is worth another run."""

ENOUGH: Final = 5
"""Later commits that would nearly always show a change, if there was one."""

Suspicion = tuple[tables.Regression, regressions.Member]
"""A regression for the worse, and a series that it is about."""


@dataclass(frozen=True, slots=True)
class WantedRun:
    """A run of a commit on a machine that would confirm a suspicion."""

    commit_id: int
    machine_id: int
    why: str


def of_doubt(
    row: tables.Regression, detected: Detected, cause: Cause[int]
) -> Iterator[WantedRun]:
    """Yield runs for a regression that one job alone shows."""
    if row.is_sure or row.state != "open":
        return
    for member in cause.series:
        change = detected.changes[member.subject]
        yield WantedRun(
            detected.line.commits[change.noticed].id,
            change.history.series.machine_id,
            f"regression {row.id} is suspected: {row.sentence}",
        )


def of_undecided_steps(detected: Detected) -> Iterator[WantedRun]:
    """Yield runs, on another night, of the commit before an undecided step.

    If it is as slow now, it is the machine. Later commits do not tell machine and
    library apart, so only new steps are asked about.
    """
    commits = detected.line.commits
    machines = {each.series.machine: each.series for each in detected.histories}
    for step in detected.steps:
        is_new = step.position > 0 and len(commits) - step.position <= SOON
        if step.origin is Origin.UNDECIDED and is_new:
            yield WantedRun(
                commits[step.position - 1].id,
                machines[step.machine].machine_id,
                f"all regions of {step.machine} moved at "
                f"{label(commits[step.position])}: the machine or the library?",
            )


def needless(
    waiting: Sequence[confirmations.Found],
    detected: Detected,
    worse: Iterable[Suspicion],
) -> Iterator[tuple[int, str]]:
    """Yield the waiting runs, by id, that later commits have settled, and how."""
    position_of = {
        commit.id: position for position, commit in enumerate(detected.line.commits)
    }
    measured: dict[str, set[int]] = defaultdict(set)
    for history in detected.histories:
        measured[history.series.machine].update(history.positions)
    suspicions = list(worse)
    for row, commit, machine, _ in waiting:
        position = position_of.get(commit.id)
        if position is None:
            continue
        about = [
            regression
            for regression, member in suspicions
            if member.machine == machine
            and _is_about(member, commit, position, position_of)
        ]
        sure = next((each for each in about if each.is_sure), None)
        later = sum(each > position for each in measured[machine])
        if sure is not None:
            yield row.id, f"later commits confirm it: regression {sure.id}"
        elif later >= ENOUGH and not any(each.state == "open" for each in about):
            yield row.id, f"{later} later commits do not show it"


def _is_about(
    shift: regressions.Member,
    commit: AnyCommit,
    position: int,
    position_of: Mapping[int, int],
) -> bool:
    """Tell whether a commit showed a change, or may have made it."""
    if shift.details.noticed_at == commit.sha:
        return True
    first = position_of.get(shift.first_commit_id)
    last = position_of.get(shift.last_commit_id)
    return first is not None and last is not None and first <= position <= last
