"""Machines side by side: the time of a region over the problem size on each."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError, NotMeasured
from scalewatch.modelling import (
    MachineLine,
    MachinePair,
    compare_lines,
    machine_line,
)
from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.services.commits.find import Commit
from scalewatch.services.machines.sentences import machine_sentence
from scalewatch.services.regions.region import timed_region
from scalewatch.services.scaling_errors.planes import SCALE, SIZE
from scalewatch.services.selection.settings import choices_among, is_chosen
from scalewatch.services.selection.view import View
from scalewatch.services.series.drawn import repetitions_of
from scalewatch.services.series.scans import Scan
from scalewatch.storage.access import projects

NO_SIZE = "none of the successful runs records n"


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """The line of a machine, or why there is none.

    Parameters
    ----------
    slot
        Position of the machine among the project's.
    configuration
        What its runs hold fixed.
    line
        None where there is none.
    reason
        Why, in words.
    """

    machine: str
    slot: int
    configuration: Mapping[str, Any]
    line: MachineLine | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class MachineLines:
    """Machines compared by the time of a region over the problem size.

    Parameters
    ----------
    scale, scales
        Processes of all that is compared, and what they could be.
    lines
        One per machine.
    pairs, sentences
        Each machine against each, and what that says.
    reason
        Why nothing is compared, in words.
    """

    project: str
    region: str
    regions: tuple[str, ...]
    commit: Commit
    commits: tuple[Commit, ...]
    unit: str
    scale: float | None
    scales: tuple[float, ...]
    choices: Mapping[str, tuple[Any, ...]]
    lines: tuple[PlacedLine, ...]
    pairs: tuple[MachinePair, ...] = ()
    sentences: tuple[str, ...] = ()
    reason: str | None = None


def machine_lines_at(
    session: Session, view: View, region: str | None, scale: float | None
) -> MachineLines:
    """Return how machines compare at a commit, at the scale where most was measured.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit, the region or the scale is unknown or was not
        measured.
    """
    project = projects.existing(session, view.project)
    everything, regions = timed_region(session, view, region)
    scans = _one_each(
        [scan for scan in everything.scans if is_chosen(scan, view.configuration)]
    )
    scales = _scales(scans)
    if scale is not None and scale not in scales:
        raise NotMeasured("scale", f"{scale:g}", at=everything.commit.label)
    chosen = scale if scale is not None else next(iter(scales), None)
    repetitions = repetitions_of(session, scans)
    return _compared(
        MachineLines(
            project=project.name,
            region=everything.region,
            regions=regions,
            commit=everything.commit,
            commits=everything.commits,
            unit=everything.unit,
            scale=chosen,
            scales=tuple(sorted(scales)),
            choices=choices_among(everything.scans),
            lines=tuple(
                _placed(scan, *_times(scan, repetitions, chosen)) for scan in scans
            ),
        )
    )


def _one_each(scans: Sequence[Scan]) -> list[Scan]:
    """Return one scan per machine, that with the most measurements."""
    best: dict[str, Scan] = {}
    for scan in scans:
        known = best.get(scan.machine)
        if known is None or len(scan.measurements) > len(known.measurements):
            best[scan.machine] = scan
    return list(best.values())


def _scales(scans: Sequence[Scan]) -> dict[float, int]:
    """Return the scales with sizes, those with the most measurements first."""
    counts: dict[float, int] = defaultdict(int)
    for scan in scans:
        for each in scan.measurements:
            if each.count and SIZE in each.coordinate and SCALE in each.coordinate:
                counts[float(each.coordinate[SCALE])] += 1
    return dict(sorted(counts.items(), key=lambda item: (-item[1], -item[0])))


def _times(
    scan: Scan, repetitions: Mapping[UUID, Reals], scale: float | None
) -> tuple[Reals, Reals]:
    """Return sizes, shape (n,), and all times there, shape (n, R), NaN where none."""
    at: dict[float, list[Reals]] = defaultdict(list)
    for each in scan.measurements:
        if (
            each.run in repetitions
            and each.coordinate.get(SCALE) == scale
            and SIZE in each.coordinate
        ):
            at[float(each.coordinate[SIZE])].append(repetitions[each.run])
    taken = {size: np.concatenate(values) for size, values in sorted(at.items())}
    if not taken:
        return np.empty(0), np.empty((0, 0))
    return np.array(list(taken)), stacked(list(taken.values()))


def _placed(scan: Scan, sizes: Reals, times: Reals) -> PlacedLine:
    place = (scan.machine, scan.slot, scan.configuration)
    if not sizes.size:
        return PlacedLine(*place, None, NO_SIZE)
    try:
        return PlacedLine(*place, machine_line(scan.machine, sizes, times))
    except ModellingError as why:
        return PlacedLine(*place, None, str(why))


def _compared(shown: MachineLines) -> MachineLines:
    try:
        pairs = compare_lines([each.line for each in shown.lines if each.line])
    except ModellingError as why:
        return replace(shown, reason=str(why))
    return replace(
        shown,
        pairs=pairs,
        sentences=tuple(machine_sentence(pair, unit=shown.unit) for pair in pairs),
    )
