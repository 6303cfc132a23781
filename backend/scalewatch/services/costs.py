"""Costs of all regions beside one another on a machine, up to a target scale."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log2
from typing import Any, Final

import numpy as np
from sqlalchemy.orm import Session

from scalewatch.errors import IncompleteCoordinates, NothingMeasured, NotMeasured
from scalewatch.figures.costs import ShareLine, SharesDrawn, shares_figure
from scalewatch.figures.figure import Figure
from scalewatch.figures.notation import UNJUDGED, setting_text
from scalewatch.modelling import Finding, Forecast
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.forecasts.ranking import Shares, shares_of
from scalewatch.modelling.search.exact import EXACT
from scalewatch.services.analysis.pools import Measurements, SeriesPool
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.commits.baselines import Neighbours, neighbours_of
from scalewatch.services.commits.find import Commit, commit_of, find_commit
from scalewatch.services.expectations.built_in import LITMUS_TESTS
from scalewatch.services.expectations.in_force import Expectation
from scalewatch.services.regions.outlook import LEVEL, MULTIPLES
from scalewatch.services.selection.pages import InPages
from scalewatch.services.selection.view import (
    View,
    choices_among,
    choose_metric,
    is_chosen,
)
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.services.series.standing import Standing
from scalewatch.storage.access import projects
from scalewatch.storage.runs.traces import PROGRAM
from scalewatch.texts.scales import RESOURCES, Scale, axis_of

MOST_SCALES: Final = 12
"""Scales beyond the measurements at which shares are forecast."""

LOWER: Final = "lower"

NAMED: Final = 2
"""Regions that a reason names; of more it tells the number."""

KILOBYTES: Final = 2.0
"""Memory of a series with its repetitions over a scale, or of its forecasts."""


@dataclass(frozen=True, slots=True)
class MeasuredRegion:
    """A region on a machine, with its medians over a scale.

    Parameters
    ----------
    medians
        By size, at the largest setting of all else that varies.
    scale
        The parameter.
    held
        That setting.
    """

    judged: Judged
    pool: SeriesPool
    medians: Mapping[float, float]
    scale: Scale
    held: Mapping[str, float]

    def question(self, scales: Sequence[float]) -> SeriesQuestion | None:
        """Return the question about it at scales; None if no model explains it."""
        standing = self.judged.standing
        if standing.explaining is None:
            return None
        return SeriesQuestion.of(
            self.pool,
            self.judged.expectation,
            standing.noise,
            [{**self.held, self.scale.name: scale} for scale in scales],
            exact=standing.rule == EXACT or None,
        )


@dataclass(frozen=True, slots=True)
class _Measured:
    """A series over a scale, see `MeasuredRegion`."""

    series_id: int
    pool: SeriesPool
    medians: Mapping[float, float]
    scale: Scale
    held: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class _OverScales:
    """Series that were measured over a scale, and why others were not, by series."""

    measured: Sequence[_Measured]
    reasons: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class RegionCost:
    """A region among the others.

    Parameters
    ----------
    values, shares
        At each of the scales, shape (n,): medians where measured, forecasts elsewhere,
        None where there is neither; shares of the sum, None where that is not told.
    value, low, high, share
        Where regions are ranked; bounds of the forecast, None where it was measured.
    horizon
        The largest scale that its forecasts reach; None if they reach all.
    """

    region: str
    configuration: Mapping[str, Any]
    expectation: Expectation | None
    standing: Standing
    values: tuple[float | None, ...]
    shares: tuple[float | None, ...]
    value: float | None
    low: float | None
    high: float | None
    share: float | None
    horizon: float | None


@dataclass(frozen=True, slots=True)
class Cost(InPages):
    """Costs of the regions of a machine.

    Parameters
    ----------
    machine
        None where nothing was measured at the commit.
    choices, chosen
        Settings that vary within the machine, and those that are shown.
    scale
        The parameter over which regions are compared.
    measured, scales
        Sizes on it that were measured, and all at which costs are known.
    target
        The scale up to which they were asked for.
    reach
        The largest scale at which no region that matters lacks, at most the target;
        regions are ranked there. None if there is no such scale.
    lacking
        Regions without a value at the next scale, by their share before, largest
        first; at the target, if that is reached.
    regions
        Most expensive first.
    left_out
        Why others are not among them, by their name.
    """

    LISTED = "regions"
    CELLS = 20

    project: str
    commit: Commit
    neighbours: Neighbours
    metric: str
    metrics: tuple[str, ...]
    machine: str
    machines: tuple[str, ...]
    unit: str
    choices: Mapping[str, tuple[Any, ...]]
    chosen: Mapping[str, str]
    scale: Scale
    measured: tuple[float, ...]
    scales: tuple[float, ...]
    target: float
    reach: float | None
    lacking: Mapping[str, float]
    regions: tuple[RegionCost, ...]
    left_out: Mapping[str, str]

    @property
    def is_cut_short(self) -> bool:
        """Whether shares end before the target."""
        return self.reach is None or self.reach < self.target


def cost_at(session: Session, view: View, target: float | None = None) -> Cost:
    """Return what the regions of a machine cost at a commit, up to a target.

    Of several machines the first is shown, of several values of a setting the first.

    Parameters
    ----------
    target
        Size on the scale; the farthest forecast of a region's page unless given.

    Raises
    ------
    NotFound, AmbiguousReference
        If the project or the commit is unknown, or the metric or the machine was not
        measured at this commit.
    """
    project = projects.existing(session, view.project)
    row = find_commit(session, project, view.commit)
    commit = commit_of(row)
    now = CommitSnapshot.of(session, row)
    metric = choose_metric(now.metrics, view.metric)
    judged = now.outlined([metric])
    slots = {each.machine: each.slot for each in judged}
    if view.machine is not None and view.machine not in slots:
        raise NotMeasured("machine", view.machine, at=commit.label)
    machine = view.machine or min(slots, key=slots.__getitem__)
    on_machine = now.whole([each for each in judged if each.machine == machine])
    choices = choices_among(on_machine)
    chosen = {
        name: view.configuration.get(name, str(values[0]))
        for name, values in choices.items()
    }
    shown, left_out = _shown(on_machine, chosen)
    regions, reasons = measured_regions(now, shown)
    left_out |= {
        each.region: reasons[each.series_id]
        for each in shown
        if each.series_id in reasons
    }
    usual = Counter(each.scale for each in regions).most_common(1)
    scale = usual[0][0] if usual else RESOURCES["p"]
    left_out |= {
        each.judged.region: f"measured over {each.scale.name} alone"
        for each in regions
        if each.scale != scale
    }
    regions = [each for each in regions if each.scale == scale]
    measured = sorted({size for region in regions for size in region.medians})
    wanted = target or (MULTIPLES[-1] * measured[-1] if measured else 1.0)
    scales = _scales(measured, wanted)
    findings = forecasts_at(now, regions, scales)
    values = _values(regions, findings, scales)
    shares = shares_of(values)
    end = shares.end
    return Cost(
        project=project.name,
        commit=commit,
        neighbours=neighbours_of(session, project, row),
        metric=metric,
        metrics=tuple(now.metrics),
        machine=machine,
        machines=tuple(dict.fromkeys(each.machine for each in judged)),
        unit=on_machine[0].unit,
        choices=choices,
        chosen=chosen,
        scale=scale,
        measured=tuple(measured),
        scales=tuple(scales),
        target=wanted,
        reach=None if end is None else scales[end],
        lacking=_lacking(regions, shares),
        regions=_ranked(regions, findings, values, shares, scales),
        left_out=left_out,
    )


def measured_regions(
    commit: CommitSnapshot, chosen: Sequence[Judged]
) -> tuple[list[MeasuredRegion], dict[int, str]]:
    """Return regions measured over a scale, and why others were not, by series."""
    judged_of = {each.series_id: each for each in chosen}
    known = commit.kept(
        ("over scales", sorted(judged_of), commit.reading_rules),
        lambda: _over_scales(commit.measurements(judged_of)),
        lambda known: KILOBYTES * len(known.measured),
    )
    regions = [
        MeasuredRegion(
            judged_of[each.series_id], each.pool, each.medians, each.scale, each.held
        )
        for each in known.measured
    ]
    return regions, dict(known.reasons)


def forecasts_at(
    commit: CommitSnapshot, regions: Sequence[MeasuredRegion], scales: Sequence[float]
) -> Sequence[Finding | None]:
    """Return the forecasts of regions at scales; None for one without a model."""
    series = [each.judged.series_id for each in regions]
    return commit.kept(
        ("cost", series, commit.reading_rules, scales),
        lambda: _forecasts(regions, scales),
        lambda forecasts: KILOBYTES * len(forecasts),
    )


def forecast_at(
    region: MeasuredRegion, finding: Finding | None, size: float
) -> Forecast | None:
    """Return the forecast of a region at a size of its scale, if there is one."""
    forecasts = finding.forecasts if finding else ()
    name = region.scale.name
    return next((each for each in forecasts if each.at[name] == size), None)


def _over_scales(measurements: Measurements) -> _OverScales:
    measured: list[_Measured] = []
    reasons: dict[int, str] = {}
    for series_id, points in measurements.by_series():
        evidence = [each for each in points if each not in measurements.left_out]
        try:
            pooled = measurements.pool(evidence) if evidence else None
        except (IncompleteCoordinates, NothingMeasured) as error:
            reasons[series_id] = str(error)
            continue
        if pooled is None:
            reasons[series_id] = UNJUDGED
        elif scale := axis_of(pooled.parameters, measurements.scale):
            measured.append(_measured(series_id, pooled, scale))
        else:
            reasons[series_id] = f"measured over {', '.join(pooled.parameters)} alone"
    return _OverScales(measured, reasons)


def _measured(series_id: int, pooled: SeriesPool, scale: Scale) -> _Measured:
    along = pooled.parameters.index(scale.name)
    others = [k for k in range(len(pooled.parameters)) if k != along]
    largest = pooled.settings[:, others].max(axis=0)
    is_held = (pooled.settings[:, others] == largest).all(axis=1)
    values = pooled.values[is_held]
    # Medians that pass over what is missing take twenty times as long.
    middle = np.nanmedian if np.isnan(values).any() else np.median
    medians = middle(values, axis=1)
    return _Measured(
        series_id,
        pooled,
        dict(
            zip(pooled.settings[is_held, along].tolist(), medians.tolist(), strict=True)
        ),
        scale,
        {
            pooled.parameters[k]: float(at)
            for k, at in zip(others, largest, strict=True)
        },
    )


def _forecasts(
    regions: Sequence[MeasuredRegion], scales: Sequence[float]
) -> tuple[Finding | None, ...]:
    questions = {
        place: question
        for place, region in enumerate(regions)
        if (question := region.question(scales)) is not None
    }
    findings = find_all(list(questions.values()), {"level": LEVEL})
    by_place = dict(zip(questions, findings, strict=True))
    return tuple(by_place.get(place) for place in range(len(regions)))


def _shown(
    on_machine: Sequence[Judged], chosen: Mapping[str, str]
) -> tuple[list[Judged], dict[str, str]]:
    """Return one series of each region of a code, and why others are left out."""
    shown: dict[str, Judged] = {}
    left_out = {}
    for series in on_machine:
        if series.region in LITMUS_TESTS:
            left_out[series.region] = "a litmus test, no part of the code"
        elif series.region == PROGRAM:
            left_out[series.region] = "the whole program, which holds the others"
        elif series.better != LOWER:
            left_out[series.region] = "more of it is better: it is no cost"
        elif is_chosen(series, chosen):
            shown.setdefault(series.region, series)
    return list(shown.values()), left_out


def _scales(measured: Sequence[float], target: float) -> list[float]:
    """Return what was measured, and doublings from there to the target."""
    if not measured:
        return []
    last = measured[-1]
    if target <= last:
        return sorted({*measured, target})
    steps = min(MOST_SCALES, ceil(log2(target / last)))
    between = np.rint(np.geomspace(last, target, steps + 1)[1:-1]).tolist()
    return sorted({*measured, *between, target})


def _values(
    regions: Sequence[MeasuredRegion],
    findings: Sequence[Finding | None],
    scales: Sequence[float],
) -> Reals:
    """Return medians, and forecasts where nothing was measured; NaN for neither."""
    values = np.full((len(regions), len(scales)), np.nan)
    for row, (region, finding) in enumerate(zip(regions, findings, strict=True)):
        smallest = min(region.medians)
        forecasts = finding.forecasts if finding else ()
        foretold = {each.at[region.scale.name]: each.value for each in forecasts}
        for column, scale in enumerate(scales):
            value = region.medians.get(scale)
            if value is None and scale > smallest:
                value = foretold.get(scale)
            if value is not None and value >= 0:
                values[row, column] = value
    return values


def _lacking(regions: Sequence[MeasuredRegion], shares: Shares) -> dict[str, float]:
    """Return the regions that lack at the scale after the last, with their shares."""
    last = shares.shares.shape[1] - 1
    if last < 0:
        return {}
    place = last if shares.end is None else min(shares.end + 1, last)
    return {
        regions[row].judged.region: float(shares.lacking[row, place])
        for row in shares.lacking_at(place)
    }


def _ranked(
    regions: Sequence[MeasuredRegion],
    findings: Sequence[Finding | None],
    values: Reals,
    shares: Shares,
    scales: Sequence[float],
) -> tuple[RegionCost, ...]:
    """Return regions by what they cost where shares end, most expensive first."""
    at = shares.end
    costs_at, shares_at = _finite(values), _finite(shares.shares)
    costs = []
    for row, (region, finding) in enumerate(zip(regions, findings, strict=True)):
        forecast: Forecast | None = None
        if at is not None and scales[at] not in region.medians:
            forecast = forecast_at(region, finding, scales[at])
        costs.append(
            RegionCost(
                region=region.judged.region,
                configuration=region.judged.configuration,
                expectation=region.judged.expectation,
                standing=region.judged.standing,
                values=tuple(costs_at[row]),
                shares=tuple(shares_at[row]),
                value=None if at is None else costs_at[row][at],
                low=forecast.low if forecast else None,
                high=forecast.high if forecast else None,
                share=None if at is None else shares_at[row][at],
                horizon=finding.horizon if finding else None,
            )
        )
    costs.sort(key=lambda cost: (cost.value is None, -(cost.value or 0.0), cost.region))
    return tuple(costs)


def _finite(values: Reals) -> list[list[float | None]]:
    """Return values as lists, None where they are not finite."""
    known = values.astype(object)
    known[~np.isfinite(values)] = None
    rows: list[list[float | None]] = known.tolist()
    return rows


def why_it_ends(cost: Cost) -> str:
    """Return in a few words why shares are told no farther."""
    if not cost.regions:
        return "nothing was measured over a scale"
    names = list(cost.lacking)
    if not names:
        return "the sum is zero"
    listed = ", ".join(names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    if cost.reach is None:
        return f"no value of {listed}{more}"
    end = f"{cost.scale.name} = {setting_text(cost.reach)}"
    return f"no forecast of {listed}{more} beyond {end}"


FIGURES: Final[Mapping[str, Callable[[Cost], Figure]]] = {
    "shares": lambda cost: shares_figure(
        SharesDrawn(
            lines=[ShareLine(each.region, each.shares) for each in cost.regions],
            parameter=cost.scale.name,
            scales=cost.scales,
            largest=cost.measured[-1] if cost.measured else 1.0,
            reach=cost.reach,
            target=cost.target,
            why=why_it_ends(cost),
            short="no forecast" if cost.lacking else "the sum is zero",
        )
    )
}
