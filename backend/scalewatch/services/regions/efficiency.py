"""Efficiency of a region on a machine: what its page, its figures and JSON show.

The runs of a scan are pooled as the efficiency reads them: settings that follow from
its scale are told apart from those that vary by themselves.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self
from uuid import UUID

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.figures.axes import canvas
from scalewatch.figures.efficiencies import (
    efficiency_figure,
    speed_up_figure,
    time_figure,
)
from scalewatch.figures.figure import Figure
from scalewatch.modelling import ScalingKind
from scalewatch.modelling.arrays import Reals, stacked
from scalewatch.services.commits.find import Commit
from scalewatch.services.efficiencies.scan import (
    ScalingTerms,
    ScanScaling,
    scalings_of,
)
from scalewatch.services.efficiencies.table import scaling_object
from scalewatch.services.regions.outlook import forecasts_of
from scalewatch.services.regions.region import scans_shown, timed_region
from scalewatch.services.selection.view import View, choices_among
from scalewatch.services.series.scans import Measurement, Scan
from scalewatch.services.series.snapshots import repetitions_of
from scalewatch.storage.access import projects
from scalewatch.storage.judgements import gate_rules
from scalewatch.texts.scales import RESOURCES, axis_of
from scalewatch.wire.fields import Direction


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredScan:
    """A scan over parameters that vary by themselves; others depend on its scale.

    Parameters
    ----------
    parameters, settings
        Those that vary, the scale first, and their coordinates, shape (n, parameters).
    values
        Repetitions of all runs at each of them, shape (n, R); NaN is missing.
    dependent
        Settings that follow from the scale, n of each.
    fixed
        Settings that are held fixed.
    failures
        How many runs failed at each coordinate.
    """

    metric: str
    unit: str | None
    parameters: tuple[str, ...]
    settings: Reals
    values: Reals
    dependent: Mapping[str, Sequence[float]]
    fixed: Mapping[str, object]
    failures: Sequence[int]
    failed_jobs: Sequence[str] = ()

    @classmethod
    def of(
        cls, scan: Scan, repetitions: Mapping[UUID, Reals], scale: str | None = None
    ) -> Self:
        """Return a scan with all of its repetitions.

        Parameters
        ----------
        repetitions
            By run. Where they were thinned or are not kept, the median stands for them.
        scale
            The axis, where several settings vary together; p, else the first.
        """
        taken = [
            each
            for each in scan.measurements
            if not each.is_left_out and _is_numeric(each.coordinate)
        ]
        at = [{**measured.coordinate, scan.parameter: measured.x} for measured in taken]
        names = [scan.parameter, *sorted(set().union(*at) - {scan.parameter})]
        names = [name for name in names if all(name in each for each in at)]
        varied = [name for name in names if len({each[name] for each in at}) > 1]
        chosen = axis_of(varied, scale)
        axis = chosen.name if chosen else scan.parameter
        levels = {each[axis] for each in at}
        dependent = [
            name
            for name in varied
            if name != axis
            and len({(each[axis], each[name]) for each in at}) == len(levels)
        ]
        free = (name for name in varied if name not in {axis, *dependent})
        parameters = [axis, *free]
        pooled: dict[tuple[float, ...], list[int]] = defaultdict(list)
        for row, coordinate in enumerate(at):
            pooled[tuple(float(coordinate[name]) for name in parameters)].append(row)
        settings = sorted(pooled)
        firsts = [pooled[setting][0] for setting in settings]
        held = {name: at[0][name] for name in names if name not in varied} if at else {}
        return cls(
            metric=scan.metric,
            unit=scan.unit or None,
            parameters=tuple(parameters),
            settings=np.array(settings, np.float64).reshape(-1, len(parameters)),
            values=stacked(
                [
                    np.concatenate([_values(taken[row], repetitions) for row in rows])
                    for rows in map(pooled.__getitem__, settings)
                ]
            )
            if settings
            else np.empty((0, 1)),
            dependent={
                name: [float(at[row][name]) for row in firsts] for name in dependent
            },
            fixed={**scan.configuration, **held},
            failures=[
                sum(taken[row].middle is None for row in pooled[setting])
                for setting in settings
            ],
        )


def _is_numeric(coordinate: Mapping[str, Any]) -> bool:
    return all(isinstance(value, int | float) for value in coordinate.values())


def _values(taken: Measurement, repetitions: Mapping[UUID, Reals]) -> Reals:
    if taken.middle is None:
        return np.full(1, np.nan)
    return repetitions.get(taken.run, np.array([taken.middle], np.float64))


@dataclass(frozen=True, slots=True)
class EfficiencyQuestion:
    """The choices of an address about the efficiency of a region.

    Parameters
    ----------
    kind, scale, base
        Strong or weak, the axis and the reference; as was measured unless given.
    limit
        Efficiencies in per cent that are asked about, `80,50`; the usual unless given.
    held
        The setting of a further parameter, as `n=1000`; the first unless given.
    per_node, steps
        Of the scale on a node, `128`, or of several, `cores=128,gpus=4`, and steps of a
        run, where costs need them.
    runs, length, at
        The job plan: so many runs, each so many times as long, of which size.
    """

    kind: ScalingKind | None = None
    scale: str | None = None
    base: float | None = None
    limit: str | None = None
    held: str | None = None
    per_node: str | None = None
    steps: float | None = None
    runs: float | None = None
    length: float | None = None
    at: float | None = None

    @property
    def terms(self) -> ScalingTerms:
        """The terms with which a scan is read."""
        limits = ScalingTerms().limits
        if self.limit is not None:
            shares = (float(limit) / 100 for limit in self.limit.split(","))
            limits = tuple(dict.fromkeys(shares))
        counts: dict[str, float] = {}
        for count in filter(None, (self.per_node or "").split(",")):
            name, _, number = count.rpartition("=")
            names = [name.strip()] if name else RESOURCES
            counts |= dict.fromkeys(names, float(number))
        return ScalingTerms(
            kind=self.kind,
            scale=self.scale,
            base=self.base,
            limits=limits,
            steps=self.steps,
            per_node=counts,
        )


@dataclass(frozen=True, slots=True)
class JobPlan:
    """Cost of a number of runs at one size."""

    runs: float
    length: float
    size: float
    hours: float
    unit: str


@dataclass(frozen=True, slots=True)
class RegionEfficiency:
    """Efficiency of a region at a commit, on one machine in one configuration.

    Parameters
    ----------
    scales
        Parameters that may be the axis.
    held
        Settings of further parameters, each of a scan of its own.
    scaling
        As `scalewatch model --json` has it; None where no parameter is a scale.
    """

    project: str
    region: str
    regions: tuple[str, ...]
    commit: Commit
    commits: tuple[Commit, ...]
    machines: tuple[str, ...]
    machine: str
    question: EfficiencyQuestion
    choices: Mapping[str, tuple[Any, ...]]
    scales: tuple[str, ...]
    held: tuple[str, ...]
    scaling: Mapping[str, Any] | None
    plan: JobPlan | None
    chosen: ScanScaling | None = field(repr=False)
    scan: Scan = field(repr=False)


def efficiency_at(
    session: Session, view: View, region: str | None, question: EfficiencyQuestion
) -> RegionEfficiency:
    """Return the efficiency of a region, the most telling one unless it is named.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project, the commit, the region or the machine is unknown.
    UnknownChoice
        If the base is no measured size.
    """
    project = projects.existing(session, view.project)
    everything, regions = timed_region(session, view, region)
    _, scan = scans_shown(everything, view)
    preferred = question.scale or gate_rules.scale_of(session, project.id)
    measured = MeasuredScan.of(scan, repetitions_of(session, [scan]), preferred)
    better: Direction = "higher" if scan.better == "higher" else "lower"
    is_axis = preferred in measured.parameters
    terms = replace(question.terms, scale=preferred if is_axis else question.scale)
    scalings = scalings_of(measured, better, terms)
    chosen = next((each for each in scalings if _held(each) == question.held), None)
    chosen = chosen or (scalings[0] if scalings else None)
    if chosen and chosen.scaling:
        (forecasts,) = forecasts_of(session, [scan], [chosen.target])
        chosen = chosen.with_forecasts(forecasts)
    names = (*measured.parameters, *measured.dependent)
    return RegionEfficiency(
        project=project.name,
        region=everything.region,
        regions=regions,
        commit=everything.commit,
        commits=everything.commits,
        machines=everything.machines,
        machine=scan.machine,
        question=replace(question, held=_held(chosen) if chosen else None),
        choices=choices_among(everything.scans),
        scales=tuple(name for name in names if name in RESOURCES),
        held=tuple(filter(None, map(_held, scalings))),
        scaling=scaling_object(chosen) if chosen else None,
        plan=_plan(chosen, question) if chosen else None,
        chosen=chosen,
        scan=scan,
    )


def _held(scaled: ScanScaling) -> str | None:
    """Return the settings that a scan holds, as an address states them."""
    held = [f"{name}={value:.10g}" for name, value in sorted(scaled.held.items())]
    return ",".join(held) or None


def _plan(scaled: ScanScaling, question: EfficiencyQuestion) -> JobPlan | None:
    """Return the cost of the planned runs, by default one at the largest sure size."""
    if scaled.scaling is None or scaled.hours_unit is None:
        return None
    sizes = {row.size: row for row in (*scaled.scaling.rows, *scaled.forecasts)}
    row = sizes.get(question.at or 0.0, scaled.scaling.largest[0].sure)
    hours = scaled.hours_of(row)
    if hours is None:
        return None
    runs, length = question.runs or 1.0, question.length or 1.0
    return JobPlan(runs, length, row.size, runs * length * hours, scaled.hours_unit)


def _of_scaling(
    draw: Callable[[ScanScaling, RegionEfficiency], Figure],
) -> Callable[[RegionEfficiency], Figure]:
    return lambda shown: (
        draw(shown.chosen, shown) if shown.chosen and shown.chosen.scaling else canvas()
    )


def _time(scaled: ScanScaling, shown: RegionEfficiency) -> Figure:
    model = shown.scan.standing.model
    is_alone = (
        not scaled.held and model and {*model.growth.parameters} <= {scaled.scale.name}
    )
    return time_figure(
        scaled.scaling,
        scaled.forecasts,
        scaled.scale,
        (scaled.metric, scaled.unit),
        shown.scan.slot,
        model if is_alone else None,
    )


FIGURES: Final[Mapping[str, Callable[[RegionEfficiency], Figure]]] = {
    "time": _of_scaling(_time),
    "speed-up": _of_scaling(
        lambda scaled, shown: speed_up_figure(
            scaled.scaling, scaled.forecasts, scaled.scale, shown.scan.slot
        )
    ),
    "efficiency": _of_scaling(
        lambda scaled, shown: efficiency_figure(
            scaled.scaling,
            scaled.forecasts,
            scaled.scale,
            shown.scan.slot,
            scaled.limits,
        )
    ),
}
