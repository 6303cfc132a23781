"""Machines side by side: the time of a region over the problem size on each."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import ModellingError, NotMeasured
from scalewatch.figures.figure import Figure
from scalewatch.figures.machine_lines import DrawnLine, machine_lines_figure
from scalewatch.modelling import MachineLine, MachinePair, compare_lines, machine_line
from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.modelling.machines.lines import equality
from scalewatch.services.commits.find import Commit
from scalewatch.services.regions.region import timed_region
from scalewatch.services.scaling_errors.scan import SIZE
from scalewatch.services.selection.view import View, choices_among, is_chosen
from scalewatch.services.series.scans import Scan
from scalewatch.services.series.snapshots import repetitions_of
from scalewatch.storage.access import projects
from scalewatch.texts.numbers import significant
from scalewatch.texts.scales import RESOURCES, Scale, varied_scale

NO_SIZE = "none of the successful runs records n"


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """The line of a machine, or why there is none.

    Parameters
    ----------
    slot
        Position of the machine among the project's.
    configuration
        Settings that its runs hold fixed.
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
    parameter, scale, scales
        The parallel scale, its size for all that is compared, and its possible ones.
    lines
        One per machine.
    pairs, sentences
        Each machine against each, and that in words.
    reason
        Why nothing is compared, in words.
    """

    project: str
    region: str
    regions: tuple[str, ...]
    commit: Commit
    commits: tuple[Commit, ...]
    unit: str
    parameter: Scale
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
    # One scan of each machine, that with the most measurements.
    best: dict[str, Scan] = {}
    for scan in everything.scans:
        known = best.get(scan.machine)
        if is_chosen(scan, view.configuration) and (
            known is None or len(scan.measurements) > len(known.measurements)
        ):
            best[scan.machine] = scan
    scans = list(best.values())
    measured = [
        taken.coordinate for scan in scans for taken in scan.measurements if taken.count
    ]
    sized = [at for at in measured if SIZE in at]
    parameter = varied_scale(sized or measured) or RESOURCES["p"]
    counts = Counter(float(at[parameter.name]) for at in sized if parameter.name in at)
    # Scales with sizes, those with the most measurements first.
    scales = sorted(counts, key=lambda scale: (-counts[scale], -scale))
    if scale is not None and scale not in scales:
        raise NotMeasured("scale", f"{scale:g}", at=everything.commit.label)
    chosen = scale if scale is not None else next(iter(scales), None)
    repetitions = repetitions_of(session, scans)
    lines = tuple(
        _placed(scan, *_times(scan, repetitions, parameter.name, chosen))
        for scan in scans
    )
    pairs: tuple[MachinePair, ...] = ()
    reason = None
    try:
        pairs = compare_lines([each.line for each in lines if each.line])
    except ModellingError as why:
        reason = str(why)
    unit = everything.unit
    return MachineLines(
        project=project.name,
        region=everything.region,
        regions=regions,
        commit=everything.commit,
        commits=everything.commits,
        unit=unit,
        parameter=parameter,
        scale=chosen,
        scales=tuple(sorted(scales)),
        choices=choices_among(everything.scans),
        lines=lines,
        pairs=pairs,
        sentences=tuple(machine_sentence(pair, unit=unit) for pair in pairs),
        reason=reason,
    )


def _times(
    scan: Scan,
    repetitions: Mapping[UUID, Reals],
    parameter: str,
    scale: float | None,
) -> tuple[Reals, Reals]:
    """Return sizes, shape (n,), and all times there, shape (n, R), NaN where none."""
    at: dict[float, list[Reals]] = defaultdict(list)
    for taken in scan.measurements:
        if (
            taken.run in repetitions
            and taken.coordinate.get(parameter) == scale
            and SIZE in taken.coordinate
        ):
            at[float(taken.coordinate[SIZE])].append(repetitions[taken.run])
    times = {size: np.concatenate(values) for size, values in sorted(at.items())}
    if not times:
        return np.empty(0), np.empty((0, 0))
    return np.array(list(times)), stacked(list(times.values()))


def _placed(scan: Scan, sizes: Reals, times: Reals) -> PlacedLine:
    place = (scan.machine, scan.slot, scan.configuration)
    if not sizes.size:
        return PlacedLine(*place, None, NO_SIZE)
    try:
        return PlacedLine(*place, machine_line(scan.machine, sizes, times))
    except ModellingError as why:
        return PlacedLine(*place, None, str(why))


def lines_figure(shown: MachineLines) -> Figure:
    """Draw the lines of the machines that have one."""
    lines = [DrawnLine(each.slot, each.line) for each in shown.lines if each.line]
    return machine_lines_figure(lines, unit=shown.unit)


CAUSES = "more processors per node, a faster network or a larger cache"
"""Properties that make a machine faster on smaller problems."""

SECONDS: Final = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
"""Units of time, the largest first."""


def machine_sentence(
    pair: MachinePair, *, parameter: str = "n", unit: str = "s", alpha: float = 0.05
) -> str:
    """Interpret two machines: which is faster where, and what its growth costs.

    Parameters
    ----------
    pair
        The comparison.
    parameter, unit
        The name of the problem size, and the unit of times.
    alpha
        Below which p-value a difference counts.
    """
    curved = [
        each.machine for each in (pair.first, pair.second) if not each.is_line_enough
    ]
    better = f"On {' and '.join(curved)} another growth fits better than a line"
    if curved and (by_growths := _which_by_growths(pair, parameter)):
        return f"{by_growths} {better}."
    parts = [_which(pair, parameter, alpha), _slopes(pair, parameter, unit, alpha)]
    if curved:
        parts.append(f"{better}: trust that instead.")
    return " ".join(parts)


def _which_by_growths(pair: MachinePair, parameter: str) -> str | None:
    """Say which machine is faster by the growths, where both were measured."""
    overlap, crossing = pair.overlap, pair.growth_crossing
    models = (pair.first.finding.model, pair.second.finding.model)
    if overlap is None or models[0] is None or models[1] is None:
        return None
    is_first_faster = [
        bool(models[0]({parameter: at}) <= models[1]({parameter: at})) for at in overlap
    ]
    below, above = (
        (pair.first.machine, pair.second.machine)[:: 1 if is_first else -1]
        for is_first in is_first_faster
    )
    if below == above:
        return (
            f"{below[0]} is faster than {below[1]} at every {parameter} that both were "
            "measured at, by the growths that fit best."
        )
    if crossing is None:
        return None
    return (
        f"{above[0]} is faster from {parameter} = {significant(crossing)} on, and "
        f"{below[0]} below, by the growths that fit best."
    )


def _which(pair: MachinePair, parameter: str, alpha: float) -> str:
    """Say which machine is faster, where both were measured or beyond."""
    flatter, steeper = _by_slope(pair)
    crossing = pair.crossing
    overlap = pair.overlap
    chance = equality(pair.first.line, pair.second.line)
    if overlap is not None and chance >= alpha:
        return (
            f"{pair.first.machine} and {pair.second.machine} take the same time, as "
            f"far as these {parameter} can tell ({_chance(chance)})."
        )
    if crossing is not None and (
        overlap is None or overlap[0] <= crossing.value <= overlap[1]
    ):
        return (
            f"{flatter.machine} is faster from {parameter} = "
            f"{significant(crossing.value)} on{_between(pair)}, and {steeper.machine} "
            f"below: something such as {CAUSES} favours it on smaller problems."
        )
    if overlap is None:
        return (
            f"The machines were measured at different {parameter}, at none of which "
            "they can be compared."
        )
    middle = np.sqrt(overlap[0] * overlap[1])
    times = [float(each.line(middle)) for each in (pair.first, pair.second)]
    faster, slower = (
        (pair.first, pair.second) if times[0] <= times[1] else (pair.second, pair.first)
    )
    said = (
        f"{faster.machine} is faster than {slower.machine} at every {parameter} that "
        f"both were measured at."
    )
    if crossing is None or crossing.value < overlap[0]:
        return said
    return (
        f"{said[:-1]}; by their lines, {flatter.machine} would overtake it at "
        f"{parameter} = {significant(crossing.value)}{_between(pair)}, beyond the "
        "measurements."
    )


def _slopes(pair: MachinePair, parameter: str, unit: str, alpha: float) -> str:
    flatter, steeper = _by_slope(pair)
    costs = (
        f"{_quantity(steeper.slope.value, unit)} on {steeper.machine}, "
        f"{_quantity(flatter.slope.value, unit)} on {flatter.machine}"
    )
    if pair.slope_p_value is None:
        return (
            f"One more unit of {parameter} costs {costs}; two sizes cannot show how "
            "sure that is."
        )
    if pair.slope_p_value >= alpha:
        return (
            f"One more unit of {parameter} costs {costs}; that may be the same "
            f"({_chance(pair.slope_p_value)})."
        )
    return (
        f"One more unit of {parameter} costs {costs} ({_chance(pair.slope_p_value)})."
    )


def _chance(p_value: float) -> str:
    """Write a p-value with two digits; nobody needs more of a tiny one."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.2g}"


def _by_slope(pair: MachinePair) -> tuple[MachineLine, MachineLine]:
    """Return the machine with the flatter line, then the other one."""
    if pair.first.slope.value <= pair.second.slope.value:
        return pair.first, pair.second
    return pair.second, pair.first


def _between(pair: MachinePair) -> str:
    crossing = pair.crossing
    if crossing is None or crossing.low is None or crossing.high is None:
        return " (uncertainty unknown)"
    return f" (between {significant(crossing.low)} and {significant(crossing.high)})"


def _quantity(value: float, unit: str) -> str:
    """Write a quantity, a time in the unit that suits it."""
    if unit != "s":
        return f"{significant(value)} {unit}"
    name, size = next((each for each in SECONDS if abs(value) >= each[1]), SECONDS[-1])
    return f"{significant(value / size)} {name}"
