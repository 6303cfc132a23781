"""What findings of the gate mean at the target scale."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.gates.findings import GateFinding
from scalewatch.services.gates.sides import both_sides
from scalewatch.services.regressions.effects import ratio_of

MOST_TOLD: Final = 20
"""Findings whose effect is worked out, the worst first: of more nobody reads all."""


def with_effects(
    session: Session,
    commits: tuple[int, int],
    found: Sequence[tuple[SeriesChange, GateFinding]],
    targets: Mapping[str, float],
) -> list[GateFinding]:
    """Return findings about series with what they cost at the target scale.

    What a finding costs at every scale it tells by itself.

    Parameters
    ----------
    commits
        Ids of the baseline and of the commit.
    targets
        The target scale by parameter, where somebody named it.
    """
    told = {
        change.series_id: (change.before, change.after)
        for change, _ in found[:MOST_TOLD]
        if change.before.model and change.after.model
    }
    sides = both_sides(session, commits, told, targets) if told else {}
    findings = []
    for change, finding in found:
        own = sides.get(change.series_id)
        if own is None or own.before is None or own.after is None:
            findings.append(finding)
            continue
        ratio = finding.at_target or ratio_of(own.before.finding, own.after.finding)
        target = own.after.target if ratio else {}
        findings.append(replace(finding, target=target, at_target=ratio))
    return findings
