"""Efficiency of scans over a parallel scale: kind, speed-up, costs, and open questions.

The same of files and of a server: commands, pages and JSON show what is computed here.
Node-hours are n t, and are refused where one of their parts is not known.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import ceil, inf
from types import MappingProxyType
from typing import Final, Protocol, Self

import numpy as np

from scalewatch.modelling import Forecast, ScalingKind
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.efficiencies import (
    NextRunKind,
    Quantity,
    Scaling,
    SizeRow,
    guessed_kind,
    scaling_of,
)
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.quantities import SIMULATED_TIME, parse_unit
from scalewatch.quantities import TIME as DURATION
from scalewatch.texts.scales import RESOURCES, Scale, axis_of, words_of
from scalewatch.wire import TIME
from scalewatch.wire.fields import Direction

HOUR: Final = 3600.0
"""Seconds of an hour."""

MIXED_RATIO: Final = 2.0
"""Largest over smallest run of a size, beyond which they solve different problems."""

SAME_PROBLEM: Final = 2.0
"""Efficiency beyond which the problem was hardly the same."""

LEAST_NODE: Final = 16.0
"""Cores that every node of a cluster has; fewer are a part of one."""

PROBLEM: Final = "n"
"""The parameter that is the size of a problem."""

_SHARES: Final = frozenset({"efficiency", "speedup", "up", "percent", "pct", "ratio"})
"""Words of metrics that follow from times, hence scale in no way of their own."""

_STEPS: Final = frozenset({"step", "timestep", "iteration", "iter", "cycle", "epoch"})
"""Words of a metric that is the time of one of many: `iteration time`."""

_SIMULATED: Final[Mapping[str | None, tuple[str, float]]] = {
    "SYPD": ("simulated year", 365 * 86400.0),
    "SDPD": ("simulated day", 86400.0),
}
"""Work of rates of simulated time without a slash, and its seconds."""

_PER: Final = re.compile(
    r"(?:(?<![^\W_])per[\s_-]++|/\s*+)(?P<part>(?:\d[\d,.]*+[\s_-]*+)?[^\W\d_]+)",
    re.IGNORECASE,
)


_WORK: Final = re.compile(
    rf"{_PER.pattern.removesuffix(')')}(?:[\s_-]++[^\W\d_]++){{0,2}}+)", re.IGNORECASE
)
"""Work of a time with the words that say which: `SCF iteration`, `time step`."""

_UNIT_AT_END: Final = re.compile(r"[\s_-](?:s|sec|ms|us|µs|ns)$", re.IGNORECASE)


class Evidence(StrEnum):
    """Evidence that a scan is one of strong or of weak scaling."""

    STATED = "stated"
    SIZES = "sizes"  # the size of the problem is known
    SLOPE = "slope"  # the time falls, or does not
    RATE = "rate"  # both are alike


class Doubt(StrEnum):
    """Circumstance that makes an efficiency or its cost wrong unless it is known."""

    KIND = "kind"
    PER_STEP = "per step"
    RANKS = "ranks"
    PART_OF_NODE = "part of a node"
    GPUS = "gpus"
    FAILED = "failed"
    MIXED = "mixed problems"
    SIZES = "problem sizes"
    SUPER_LINEAR = "super-linear"
    RESTARTS = "restarts"
    SCALE = "scale"


WITHOUT_HOURS: Final = frozenset(
    {Doubt.PER_STEP, Doubt.RANKS, Doubt.PART_OF_NODE, Doubt.MIXED, Doubt.RESTARTS}
)
"""Doubts that leave the cost of a run unknown."""


@dataclass(frozen=True, slots=True)
class Question:
    """An open question about a scan, with the sizes that raise it.

    Parameters
    ----------
    subject
        What is asked about: a unit, a setting, a number of runs.
    """

    doubt: Doubt
    sizes: tuple[float, ...] = ()
    subject: str = ""
    value: float | None = None


@dataclass(frozen=True, slots=True)
class ScalingTerms:
    """Choices with which a scan is read; None is chosen by what was measured.

    Parameters
    ----------
    kind, scale, base
        Strong or weak, the parameter that is the axis, and the size of reference.
    limits
        Efficiencies that are asked about; the first decides about the next run.
    level
        Probability of intervals and claims.
    steps
        Steps of a run, where times are those of one step.
    per_node
        Cores, ranks, GPUs or threads of a node.
    """

    kind: ScalingKind | None = None
    scale: str | None = None
    base: float | None = None
    limits: tuple[float, ...] = (0.7, 0.5)
    level: float = 0.9
    steps: float | None = None
    per_node: Mapping[str, float] = field(default_factory=dict)


class Scan(Protocol):
    """A series as files and databases have it."""

    @property
    def metric(self) -> str:
        """The quantity that was measured."""

    @property
    def unit(self) -> str | None:
        """Its unit, if known."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters that vary."""

    @property
    def settings(self) -> Reals:
        """Its settings, shape (n, parameters)."""

    @property
    def values(self) -> Reals:
        """Repetitions at each of them, shape (n, R); NaN is missing."""

    @property
    def dependent(self) -> Mapping[str, Sequence[float]]:
        """Settings that follow from those of the parameters, n of each."""

    @property
    def fixed(self) -> Mapping[str, object]:
        """Settings that are held fixed."""

    @property
    def failures(self) -> Sequence[int]:
        """How many runs failed at each setting, shape (n,)."""

    @property
    def failed_jobs(self) -> Sequence[str]:
        """Jobs of runs that failed, as far as they are known."""


@dataclass(frozen=True, slots=True)
class MeasuredKind:
    """Quantity of a metric that is scaled, with its unit of time and of work.

    Parameters
    ----------
    seconds
        Of a unit of its times; None of rates.
    work
        Of which one unit is done in a time, or takes it: `step`, `ns`; None of runs.
    """

    quantity: Quantity
    seconds: float | None = None
    work: str | None = None


@dataclass(frozen=True, slots=True)
class ScanScaling:
    """Efficiency of a scan, with what it costs and what is not known.

    Parameters
    ----------
    held
        Settings of further parameters, which are the same along the scan.
    scaling
        None where nobody knows whether it is strong or weak.
    hours, hours_unit
        Costs by size, and what they count; empty where they are not known.
    dependent
        Further scales and the problem's size by name, as they follow from the sizes.
    forecasts
        Rows that were not measured, without runs.
    questions
        What has to be known before it is printed in a proposal.
    """

    scale: Scale
    metric: str
    unit: str
    measured: MeasuredKind
    evidence: Evidence
    scaling: Scaling | None
    limits: tuple[float, ...]
    level: float
    held: Mapping[str, float] = field(default_factory=dict)
    hours: Mapping[float, float] = field(default_factory=dict)
    hours_unit: str | None = None
    dependent: Mapping[str, Mapping[float, float]] = field(default_factory=dict)
    forecasts: tuple[SizeRow, ...] = ()
    questions: tuple[Question, ...] = ()

    @property
    def target(self) -> Mapping[str, float]:
        """The coordinate at which a model is to forecast it: twice the largest size."""
        if self.scaling is None:
            return {}
        return {self.scale.name: 2 * self.scaling.rows[-1].size, **self.held}

    def with_forecasts(self, forecasts: Sequence[Forecast]) -> Self:
        """Return it with the forecasts of its model beyond the sizes measured."""
        scaling = self.scaling
        if scaling is None:
            return self
        rows = []
        for forecast in forecasts:
            at = {**forecast.at}
            size = at.pop(self.scale.name, 0.0)
            is_known = forecast.low is not None and forecast.high is not None
            if at != self.held or size <= scaling.rows[-1].size or not is_known:
                continue
            bounds = Bounds(forecast.value, forecast.low or 0, forecast.high or 0)
            if bounds.low > 0 and bounds.high < inf:
                rows.append(scaling.at(size, bounds, self.limits, self.level))
        return replace(self, forecasts=tuple(sorted(rows, key=lambda row: row.size)))

    def hours_of(self, row: SizeRow) -> float | None:
        """Return what a run of a row costs, of a forecast as its time tells."""
        if row.runs or self.scaling is None or not self.hours:
            return self.hours.get(row.size)
        last = self.scaling.rows[-1]
        longer = row.value.value / last.value.value
        if self.measured.quantity is not Quantity.TIME:
            longer = 1 / longer
        return self.hours[last.size] * longer * row.size / last.size

    @property
    def next_forecast(self) -> SizeRow | None:
        """The forecast at the size of the next run; None without one."""
        following = self.scaling and self.scaling.next_run
        if not following:
            return None
        rows = (row for row in self.forecasts if row.size == following.size)
        return next(rows, None)

    @property
    def next_hours(self) -> float | None:
        """The cost of the runs that would tell most; None where it is not known."""
        following = self.scaling and self.scaling.next_run
        if not following or not self.hours:
            return None
        if following.kind is NextRunKind.EXTEND:
            row = self.next_forecast
            return None if row is None else self.hours_of(row)
        sizes, hours = np.log(np.array(sorted(self.hours.items())).T)
        at = float(np.exp(np.interp(np.log(following.size), sizes, hours)))
        return following.runs * at


def scalings_of(
    scan: Scan,
    better: Direction,
    terms: ScalingTerms = ScalingTerms(),
    *,
    headings: Mapping[str, str] = MappingProxyType({}),
) -> list[ScanScaling]:
    """Return the efficiency of a scan, for each setting of its other parameters.

    None where no parameter is a parallel scale, where its metric is neither a time nor
    a rate, or where fewer than two sizes succeeded.

    Parameters
    ----------
    better
        The better direction of its metric.
    headings
        Names of columns by the scale that they hold, which tell cores from ranks.

    Raises
    ------
    UnknownChoice
        If the base is no measured size.
    """
    scale = axis_of(scan.parameters, terms.scale)
    measured = measured_kind(scan.metric, scan.unit, better)
    if scale is None or measured is None:
        return []
    scale = scale.called(headings.get(scale.name, ""))
    at = scan.parameters.index(scale.name)
    others = [name for name in scan.parameters if name != scale.name]
    planes: dict[tuple[float, ...], list[int]] = defaultdict(list)
    for row, coordinate in enumerate(np.delete(scan.settings, at, axis=1).tolist()):
        planes[tuple(coordinate)].append(row)
    scalings = []
    for held, rows in planes.items():
        settings = dict(zip(others, held, strict=True))
        plane = _Plane(scan, scale, measured, terms, at, rows, settings)
        if scaled := plane.scaling():
            scalings.append(scaled)
    return scalings


def measured_kind(
    metric: str, unit: str | None, better: Direction
) -> MeasuredKind | None:
    """Return what a metric says of scaling; None if it is neither time nor rate."""
    if {*words_of(metric)} & _SHARES or "%" in (unit or ""):
        return None
    quantity = parse_unit(unit or ("s" if metric == TIME else metric))
    powers = dict(quantity.dimension)
    duration = powers.pop(DURATION, 0)
    is_per_work = duration == 1 and all(power == -1 for power in powers.values())
    if is_per_work and better == "lower":
        work = next(iter(powers), None)
        if work is None and (part := _WORK.search(metric)):
            work = _UNIT_AT_END.sub("", part["part"]).replace("_", " ")
        if work is None and (steps := _STEPS.intersection(words_of(metric))):
            (work, *_) = sorted(steps)
        return MeasuredKind(Quantity.TIME, quantity.size, work)
    if SIMULATED_TIME in powers and better == "lower":
        return MeasuredKind(Quantity.TIME, None, "simulated time")
    if better != "higher":
        return None
    parts = [part["part"].lower() for part in _PER.finditer(f"{metric} {unit or ''}")]
    is_each = any(part.rstrip("s") in _UNITS_OF_SCALE for part in parts)
    work = None
    if SIMULATED_TIME in powers:
        named = (unit or metric).strip()
        work, _ = _SIMULATED.get(named, (named.partition("/")[0].strip(), 0.0))
    return MeasuredKind(
        Quantity.RATE_EACH if is_each else Quantity.RATE,
        quantity.size if work else None,
        work,
    )


_UNITS_OF_SCALE: Final = frozenset(
    {scale.singular.lower() for scale in RESOURCES.values()}
    | {"core", "rank", "task", "device", "gcd"}
)


@dataclass(frozen=True, slots=True)
class _Plane:
    """Rows of a scan in which the scale alone varies."""

    scan: Scan
    scale: Scale
    measured: MeasuredKind
    terms: ScalingTerms
    at: int
    rows: Sequence[int]
    held: Mapping[str, float]

    @property
    def sizes(self) -> Reals:
        return np.asarray(self.scan.settings[self.rows, self.at], np.float64)

    @property
    def values(self) -> Reals:
        return np.asarray(self.scan.values[self.rows], np.float64)

    def scaling(self) -> ScanScaling | None:
        """Return its efficiency; None where it has none."""
        sizes, values = self.sizes, self.values
        is_there = np.isfinite(values).any(axis=1)
        if is_there.sum() < 2 or np.nanmin(values) <= 0 or sizes.min() <= 0:
            return None
        if np.isinf(values).any():
            return None
        kind, evidence, questions = self._kind(sizes, values)
        scaling = None
        if kind is not None:
            scaling = scaling_of(
                sizes,
                values,
                kind,
                quantity=self.measured.quantity,
                base=self._base(sizes[is_there]),
                limits=self.terms.limits,
                level=self.terms.level,
            )
        questions += self._doubts(sizes, values, scaling)
        hours: Mapping[float, float] = {}
        unit = None
        if scaling and not WITHOUT_HOURS & {each.doubt for each in questions}:
            hours, unit = self._hours(scaling)
        return ScanScaling(
            scale=self.scale,
            metric=self.scan.metric,
            unit=self.scan.unit or ("s" if self.scan.metric == TIME else ""),
            measured=self.measured,
            evidence=evidence,
            scaling=scaling,
            limits=self.terms.limits,
            level=self.terms.level,
            held=self.held,
            hours=hours,
            hours_unit=unit,
            dependent={
                name: dict(zip(sizes.tolist(), levels, strict=True))
                for name in self.scan.dependent
                if name in {*RESOURCES, PROBLEM}
                and (levels := self._levels(name)) is not None
            },
            questions=tuple(questions),
        )

    def _kind(
        self, sizes: Reals, values: Reals
    ) -> tuple[ScalingKind | None, Evidence, list[Question]]:
        """Return strong or weak, why, and the question where nobody knows."""
        if self.terms.kind is not None:
            return self.terms.kind, Evidence.STATED, []
        if self.measured.quantity is not Quantity.TIME:
            return ScalingKind.STRONG, Evidence.RATE, []
        problem = self._levels(PROBLEM)
        if PROBLEM in {*self.held, *self.scan.fixed}:
            problem = [1.0] * len(sizes)
        kind = guessed_kind(sizes, values, problem)
        if problem is not None:
            doubt = [Question(Doubt.SIZES, subject=PROBLEM)]
            return kind, Evidence.SIZES, doubt if kind is None else []
        return kind, Evidence.SLOPE, [Question(Doubt.KIND)] if kind is None else []

    def _levels(self, name: str) -> list[float] | None:
        levels = self.scan.dependent.get(name)
        return None if levels is None else [float(levels[row]) for row in self.rows]

    def _per_node(self) -> float | None:
        """Return how many of the scale a node has, as it was stated."""
        names = {self.scale.name, self.scale.singular.lower(), self.scale.many.lower()}
        counts = self.terms.per_node
        return next((counts[name] for name in counts if name in names), None)

    def _nodes(self) -> Mapping[float, float] | None:
        """Return the nodes of each size, where a file or its reader names them."""
        sizes = self.sizes.tolist()
        if (nodes := self._levels("nodes")) is not None:
            return dict(zip(sizes, nodes, strict=True))
        full = self._per_node()
        return None if full is None else {size: ceil(size / full) for size in sizes}

    def _base(self, sizes: Reals) -> float | None:
        """Return the base: as stated, else the smallest full node of processes."""
        nodes = self._nodes()
        if self.terms.base is not None or self.scale.name != "p" or nodes is None:
            return self.terms.base
        full = self._per_node() or max(size / nodes[size] for size in nodes)
        whole = [size for size in sizes.tolist() if size / nodes[size] >= full]
        return min(whole) if len(whole) > 1 else None

    def _doubts(
        self, sizes: Reals, values: Reals, scaling: Scaling | None
    ) -> Iterator[Question]:
        if self.terms.scale not in {None, self.scale.name}:
            yield Question(Doubt.SCALE, subject=self.terms.scale or "")
        failures = np.asarray(self.scan.failures, np.float64)[self.rows]
        if failures.any():
            at = tuple(sizes[failures > 0].tolist())
            jobs = ", ".join(self.scan.failed_jobs)
            yield Question(Doubt.FAILED, at, jobs, float(failures.sum()))
        repeated = [
            (size, runs)
            for size, here in zip(sizes.tolist(), values, strict=True)
            if len(runs := here[~np.isnan(here)]) > 1
        ]
        spread = [
            size for size, runs in repeated if runs.max() > MIXED_RATIO * runs.min()
        ]
        if 2 * len(spread) > len(repeated):
            yield Question(Doubt.MIXED, tuple(spread))
        restarts = self._levels("restarts") or []
        if any(restarts):
            at = tuple(x for x, n in zip(sizes.tolist(), restarts, strict=True) if n)
            yield Question(Doubt.RESTARTS, at)
        if scaling is not None:
            yield from self._doubts_of_cost(scaling)

    def _doubts_of_cost(self, scaling: Scaling) -> Iterator[Question]:
        steep = tuple(
            row.size for row in scaling.rows if row.efficiency.value > SAME_PROBLEM
        )
        if steep:
            yield Question(Doubt.SUPER_LINEAR, steep)
        if self.measured.quantity is not Quantity.TIME:
            return
        work, nodes, scale = self.measured.work, self._nodes(), self.scale
        if work is not None and self.terms.steps is None:
            yield Question(Doubt.PER_STEP, subject=work)
        if scale.name == "p" and nodes is None:
            if scale.hours is None:
                yield Question(Doubt.RANKS, subject=scale.many)
            elif scaling.rows[0].size < LEAST_NODE:
                yield Question(Doubt.PART_OF_NODE, (scaling.rows[0].size,))
        if scale.name == "gpus" and nodes is None:
            yield Question(Doubt.GPUS)

    def _hours(self, scaling: Scaling) -> tuple[Mapping[float, float], str | None]:
        """Return what a run of each size costs, and what that counts."""
        nodes, unit, seconds = self._nodes(), self.scale.hours, self.measured.seconds
        if nodes is not None:
            unit = "node-hours"
        if unit is None or seconds is None:
            return {}, None
        work = self.measured.work
        values = {row.size: row.value.value for row in scaling.rows}
        values |= scaling.below_base
        if self.measured.quantity is Quantity.TIME:
            steps = (self.terms.steps or 1.0) if work else 1.0
            times = {x: value * seconds * steps for x, value in values.items()}
        elif self.measured.quantity is Quantity.RATE and work:
            # The work of one unit, as 1 ns of ns/day, takes so many seconds.
            size = dict(_SIMULATED.values()).get(work) or parse_unit(work).size
            times = {x: size / (value * seconds) for x, value in values.items()}
            unit = f"{unit} per {work}"
        else:
            return {}, None
        charged = nodes or {}
        hours = {x: charged.get(x, x) * taken / HOUR for x, taken in times.items()}
        return hours, unit
