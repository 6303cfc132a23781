"""Findings of the gate beside the nights of a machine: what a night did, no commit did.

A finding stands where the commit differs from the nights before it by more than nights
do. Of a machine with too few nights two commits alone tell.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.constants import differing
from scalewatch.services.common_mode.newest_commit import (
    MachineMove,
    NewestNights,
    newest_nights,
)
from scalewatch.services.gates.findings import (
    ANOTHER_NIGHT,
    CONSTANT,
    NIGHT,
    GateFinding,
)
from scalewatch.services.series.snapshots import CommitSnapshot

EVERYTHING: Final = "all regions"
"""Takes the place of the region in a finding about a machine."""

Found = tuple[SeriesChange, GateFinding]


def beyond_nights(
    before: CommitSnapshot,
    after: CommitSnapshot,
    changes: Sequence[SeriesChange],
    found: Sequence[Found],
) -> tuple[list[Found], list[GateFinding]]:
    """Return the findings about series that nights do not explain, and about machines.

    A growth that seems to be another one within what nights do is suspected only.

    Parameters
    ----------
    changes
        Of all series between the two commits.
    found
        Findings about some of them.
    """
    noisy = {each.series_id: each.metric for each in changes if not each.is_exact}
    metrics = {noisy[each] for each in differing(before, after, noisy)}
    commits = (before.commit_id, after.commit_id)
    nights = newest_nights(after.session, commits, metrics)
    kept = [(change, _beside(change, own, nights)) for change, own in found]
    return kept, [*_of_machines(nights)]


def _beside(
    change: SeriesChange, finding: GateFinding, nights: NewestNights
) -> GateFinding:
    """Return a finding as the nights leave it; constants they have told themselves."""
    is_told = change.series_id in nights.known and not change.is_exact
    if finding.kind == CONSTANT or not is_told:
        return finding
    if change.series_id in nights.outstanding:
        return finding
    return replace(
        finding,
        is_sure=False,
        sentence=f"{finding.sentence}; but it moved no more than nights do",
        todo=finding.todo or ANOTHER_NIGHT.format(change.machine),
    )


def _of_machines(nights: NewestNights) -> Iterator[GateFinding]:
    """Yield what is worse of all regions, unless the machine alone is slow."""
    for move in nights.moves:
        agreeing = {
            other.machine
            for other in nights.moves
            if (other.metric, other.is_worse) == (move.metric, move.is_worse)
        }
        measuring = {
            machine for machine, metric in nights.compared if metric == move.metric
        }
        is_machines = len(agreeing) == 1 and len(measuring) > 1
        if move.is_worse and not is_machines:
            yield _of_machine(move, is_shared=len(agreeing) > 1)


def _of_machine(move: MachineMove, *, is_shared: bool) -> GateFinding:
    """Return what is worse of all regions: sure if two machines say so."""
    said = (
        f"{move.factor:.3g}× the {move.nights} nights before, all {move.regions} "
        "regions alike"
    )
    if is_shared:
        whose = ", and on other machines as well"
    else:
        whose = ": either this commit, or only this night of the machine"
    todo = ANOTHER_NIGHT.format(move.machine)
    return GateFinding(
        region=EVERYTHING,
        metric=move.metric,
        machine=move.machine,
        configuration={},
        kind=NIGHT,
        is_sure=is_shared,
        sentence=said + whose,
        todo=None if is_shared else todo,
    )
