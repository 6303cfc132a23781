"""Scans beside the composed models that are expected of them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from scalewatch.errors import CompositionError
from scalewatch.exporters.findings import composed_object
from scalewatch.modelling import Composed, Formula, Mark, Measured, Verdict, compose
from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.services.expectations.in_force import ComposedExpectation, formulas_for
from scalewatch.services.series.scans import Measurement, Scan
from scalewatch.services.series.snapshots import CommitSnapshot

MACHINE = "machine"
"""A setting that parts and series have to share."""


@dataclass(frozen=True, slots=True)
class ScanComposition:
    """A scan beside its composed model, or why that cannot be computed.

    Parameters
    ----------
    composed
        None with a reason.
    """

    scan: Scan
    expectation: ComposedExpectation
    composed: Composed | None
    reason: str = ""

    @property
    def as_json(self) -> dict[str, object]:
        """Points, quotient and verdict as answers show them, or the reason."""
        head = {
            "machine": self.scan.machine,
            "configuration": self.scan.configuration,
            **self.expectation.as_json,
        }
        if self.composed is None:
            return {**head, "reason": self.reason}
        return {**head, **composed_object(self.composed)}

    @property
    def mark(self) -> Mark:
        """The verdict on the quotient, and its side."""
        if self.composed is None:
            return Mark.of(Verdict.UNDECIDED, None)
        quotient = self.composed.quotient
        return Mark.of(quotient.verdict, quotient.direction)


def compositions_of(
    commit: CommitSnapshot,
    scans: Sequence[Scan],
    targets: Sequence[Mapping[str, float]] = (),
) -> list[ScanComposition]:
    """Return scans of a region's metric at a commit beside their composed model.

    Nothing where none is in force.

    Parameters
    ----------
    targets
        Settings that were not measured, to tell it at.
    """
    declared = commit.compositions
    if not scans or (key := (scans[0].region, scans[0].metric)) not in declared:
        return []
    formulas = formulas_for(declared, key)
    others = [
        _measured(scan, commit.repetitions([scan]))
        for region, metric in sorted(_needed(commit, formulas, ":".join(key)))
        for scan in commit.scans(metric, [region])
    ]
    compositions = []
    for scan in scans:
        known = [_measured(scan, commit.repetitions([scan])), *others]
        composed, reason = None, ""
        try:
            (composed, *_) = compose(":".join(key), formulas, known, targets=targets)
        except CompositionError as error:
            reason = str(error)
        compositions.append(ScanComposition(scan, declared[key], composed, reason))
    return compositions


def _needed(
    commit: CommitSnapshot, formulas: Mapping[str, Formula], name: str
) -> set[tuple[str, str]]:
    """Return regions and metrics that a formula needs and a commit measured.

    By way of other formulas, too.
    """
    open_names, seen = [name], {name}
    measured = set()
    while open_names:
        for part in formulas[open_names.pop()].names:
            if part in seen:
                continue
            seen.add(part)
            if part in formulas:
                open_names.append(part)
                continue
            region, _, wanted = part.rpartition(":")
            measured |= {(part, metric) for metric in commit.metrics_of(part)}
            if region and wanted in commit.metrics_of(region):
                measured.add((region, wanted))
    return measured


def _measured(scan: Scan, repetitions: Mapping[UUID, Reals]) -> Measured:
    """Return a scan with all its repetitions, those at one coordinate together."""
    names = scan.parameters
    rows: dict[tuple[float, ...], list[Measurement]] = defaultdict(list)
    for measured in scan.measurements:
        coordinate = measured.coordinate
        is_known = measured.count and measured.run in repetitions
        if is_known and coordinate.keys() >= {*names}:
            rows[tuple(float(coordinate[name]) for name in names)].append(measured)
    settings = sorted(rows)
    coordinates = [each.coordinate for each in scan.measurements]
    common = set.intersection(*map(set, coordinates)) if coordinates else set()
    return Measured(
        region=scan.region,
        metric=scan.metric,
        unit=scan.unit,
        configuration={
            MACHINE: scan.machine,
            **scan.configuration,
            **{
                name: float(coordinates[0][name])
                for name in sorted(common - {*scan.parameters})
            },
        },
        parameters=names,
        settings=np.array(settings, dtype=np.float64).reshape(len(settings), -1),
        values=_stacked([rows[at] for at in settings], repetitions),
        crowded=np.array(
            [any(each.is_left_out for each in rows[at]) for at in settings], np.bool_
        ),
        model=scan.standing.model,
    )


def _stacked(
    rows: Sequence[Sequence[Measurement]], repetitions: Mapping[UUID, Reals]
) -> NDArray[np.float64]:
    if not rows:
        return np.empty((0, 1))
    return stacked([np.concatenate([repetitions[e.run] for e in row]) for row in rows])
