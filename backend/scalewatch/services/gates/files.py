"""The gate of files: is their content worse than expected, or than an earlier version.

It decides as the gate of a server does. Where the files hold a history, the commits
before tell how far a value scatters (`services.files.histories`); what a second job
would say, files seldom tell.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.figures.notation import places_words
from scalewatch.importers import ImportedSeries
from scalewatch.modelling import (
    Direction,
    Finding,
    Growth,
    GrowthOdds,
    Noise,
    Verdict,
    all_growth_odds,
)
from scalewatch.modelling.common_mode.earlier_commits import UsualFactor
from scalewatch.modelling.common_mode.shared_factor import shared_factor
from scalewatch.modelling.exact_counts.counts import Outcome
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.modelling.search.exact import EXACT
from scalewatch.services.analysis.questions import find_all
from scalewatch.services.analysis.versions import series_key, unlike_units
from scalewatch.services.commit_reports.factors import (
    LEAST_CONSTANT,
    ConstantChange,
    Jobs,
    agreed_directions,
    exact_constant,
    level_of,
    noisy_constants,
)
from scalewatch.services.commit_reports.pairs import (
    GROWS_ALIKE,
    ChangeKind,
    SeriesKey,
    SeriesOutcome,
    SeriesPair,
    kind_of,
    kind_with,
)
from scalewatch.services.files.histories import (
    FileHistory,
    HistoryBeside,
    SeriesBeside,
    WorseValue,
    beside_history,
)
from scalewatch.services.files.imports import FAILED, FAILED_IN_PART
from scalewatch.services.files.model_files import Question, questions_of
from scalewatch.services.gates.decision import (
    Circumstances,
    Decision,
    GateOutcome,
    decide,
)
from scalewatch.services.gates.findings import (
    GateFinding,
    failed,
    incomparable,
    of_machine_beside,
    of_versions_alike,
    worse_value,
)
from scalewatch.services.gates.rules import FileRules
from scalewatch.services.gates.wording import sentence_of


@dataclass(frozen=True, slots=True)
class FileSide:
    """A series in one version of files.

    Parameters
    ----------
    series, finding
        Its measurements, None where it is not in them, and what they tell.
    noise
        What is known of its noise.
    """

    series: ImportedSeries | None
    finding: Finding
    noise: Noise

    @property
    def is_measured(self) -> bool:
        """Whether anything succeeded of it."""
        return self.series is not None and not np.isnan(self.series.values).all()

    @property
    def is_failed(self) -> bool:
        """Whether it was tried, and nothing succeeded."""
        return self.series is not None and not self.is_measured

    @property
    def is_crowded(self) -> bool:
        """Files are judged by all of their times."""
        return False

    @property
    def is_exact(self) -> bool:
        """Whether it is one of counts, which no repetition changes."""
        return self.finding.rule == EXACT

    @property
    def is_explained(self) -> bool:
        """Whether a formula reproduces it and its growth explains it."""
        return self.growth is not None and self.formula is not None

    @property
    def points(self) -> int:
        """Number of settings that entered its model."""
        return self.finding.points

    @property
    def repetitions(self) -> int:
        """Repetitions at a setting."""
        return self.finding.repetitions

    @property
    def reason(self) -> str | None:
        """Why there is no model or no verdict, in words."""
        return self.finding.reason if self.is_measured else FAILED

    @property
    def growth(self) -> Growth | None:
        """How its model grows; None where no growth fits."""
        return self.finding.told_growth

    @property
    def formula(self) -> str | None:
        """The one formula that reproduces exact counts, if there is one."""
        exactness, model = self.finding.exactness, self.finding.model
        is_known = exactness is not None and exactness.outcome == Outcome.EXACT
        return model.formula if is_known and model and self.is_exact else None

    @property
    def class_probability(self) -> Mapping[Growth, float]:
        """Probabilities of growths."""
        return self.finding.class_probability

    @property
    def divergence(self) -> Growth | None:
        """Growth over expectation."""
        return self.finding.divergence

    @property
    def verdict(self) -> Verdict | None:
        """Whether it scales as expected; None where nothing is."""
        return self.finding.verdict if self.finding.expectation else None

    @property
    def verdict_probability(self) -> Mapping[Verdict, float]:
        """Probabilities of verdicts."""
        return self.finding.verdict_probability

    @property
    def direction(self) -> Direction | None:
        """Whether it grows faster or slower than expected, as costs are judged."""
        return self.finding.direction


_NOTHING: Final = Finding(
    model=None,
    growth=None,
    points=0,
    repetitions=0,
    adjusted_r2=None,
    smape=None,
    class_probability={},
    expectation=None,
    deviation_limit=None,
    divergence=None,
    verdict=Verdict.UNDECIDED,
    verdict_probability={},
    forecasts=(),
    reason=None,
)
UNMEASURED: Final = FileSide(None, _NOTHING, USUAL)


@dataclass(frozen=True, eq=False)
class FilePair(SeriesPair[FileSide]):
    """A series in two versions of files."""

    kind: ChangeKind
    region: str
    metric: str
    configuration: Mapping[str, Any]
    before: FileSide
    after: FileSide
    odds: GrowthOdds | None
    is_cost: bool
    constant: ConstantChange | None = None
    machine: str = ""
    is_composed: bool = False
    usual: UsualFactor | None = None


@dataclass(frozen=True, slots=True)
class FileGate:
    """Whether files may pass, why, and what it rests on.

    Parameters
    ----------
    counts
        Series by what became of them; every outcome of `SeriesOutcome` has an entry.
    series
        Those that commits before were asked about, with the factor beside them.
    """

    outcome: GateOutcome
    sentence: str
    findings: tuple[GateFinding, ...]
    counts: Mapping[SeriesOutcome, int]
    series: tuple["SeriesBesideEarlier", ...] = ()


@dataclass(frozen=True, slots=True)
class SeriesBesideEarlier:
    """A series with one value a commit: what it excludes, and what became of it."""

    region: str
    metric: str
    configuration: Mapping[str, Any]
    outcome: SeriesOutcome
    usual: UsualFactor


def sides_of(
    all_series: Sequence[ImportedSeries], question: Question
) -> list[FileSide]:
    """Return the series of a version with what their measurements tell."""
    all_series = question.along(all_series)
    questions = questions_of(all_series, question)
    findings = find_all(questions, question.choices)
    return [
        FileSide(series, finding, asking.noise)
        for series, finding, asking in zip(all_series, findings, questions, strict=True)
    ]


def gate_of_files(  # noqa: PLR0913, PLR0917 - two versions and what is known of them
    now: Sequence[FileSide],
    before: Sequence[FileSide] | None,
    rules: FileRules,
    is_cost: Callable[[ImportedSeries], bool],
    baseline: str | None = None,
    history: FileHistory | None = None,
) -> FileGate:
    """Return whether series may pass.

    Parameters
    ----------
    before
        Series of the earlier version; None without one.
    is_cost
        Tells whether less of a series is better.
    baseline
        How the earlier version is called.
    history
        The commits around the version, where the files tell of several.
    """
    beside = beside_history(history, is_cost) if history else HistoryBeside()
    grown = [
        _beside_earlier(each, beside) for each in _pairs(now, before or (), is_cost)
    ]
    unlike = {each.key: words for each in grown if (words := _unlike(each))}
    # One value may be a spike: where commits before are known, they decide.
    alike = [each for each in grown if each.key not in unlike and not each.usual]
    factors = _constants(alike, lambda _: max(LEAST_CONSTANT, rules.smallest_effect))
    pairs = [
        replace(each, kind=kind_with(each.kind, factor), constant=factor)
        if (factor := factors.get(each.key))
        else each
        for each in grown
    ]
    pairs.sort(key=lambda pair: pair.urgency)
    constants = _constants(alike, lambda pair: rules.least_constant(pair.region))
    alike_worse = [*_worse_alike(alike, factors)]
    shared = {key for _, keys in alike_worse for key in keys}
    decision = decide(
        pairs,
        rules,
        Circumstances(
            constants={
                pair.key: _by_runs(constants[pair.key], _known(pair, beside))
                for pair in pairs
                if pair.key in constants and pair.key not in shared
            },
            machines=[
                *(of_machine_beside(each) for each in beside.machines),
                *(finding for finding, _ in alike_worse),
            ],
            regressions=[
                worse_value(each, worse)
                for each in pairs
                if (worse := _worse(each, beside, rules))
            ],
            failed=[
                finding
                for each in pairs
                for finding in failed(each, each.after, _failures(each.after))
            ],
            incomparable=[
                incomparable(each, unlike[each.key])
                for each in pairs
                if each.key in unlike
            ],
            lacking={
                each.key: lacking for each in pairs if (lacking := _lacking(each))
            },
            has_only_failures=all(side.is_failed for side in now),
        ),
        commits=None if before is None else f"{baseline}..",
    )
    return FileGate(
        decision.outcome,
        sentence_of(decision, baseline)
        + (_largest_factor(pairs) if _is_untold(decision, pairs) else ""),
        tuple(
            replace(each, commits=None, at_target=None) for each in decision.findings
        ),
        decision.counts,
        tuple(
            SeriesBesideEarlier(
                each.region,
                each.metric,
                each.configuration,
                decision.outcomes[each.key],
                each.usual,
            )
            for each in pairs
            if each.usual is not None
        ),
    )


def _is_untold(decision: Decision, pairs: Sequence[SeriesPair[FileSide]]) -> bool:
    """Tell whether nothing was found, and too little measured to tell anything."""
    is_undecided = decision.outcome is GateOutcome.UNDECIDED
    return is_undecided and not decision.findings and bool(pairs)


def _largest_factor(pairs: Sequence[SeriesPair[FileSide]]) -> str:
    """Return how far the values of one series are apart, though nothing tells surely.

    The series is the one of most; empty where none has values at a common setting.
    """
    factors = {
        f"{each.region} ({each.metric})": factor
        for each in pairs
        if (factor := _factor_of(each)) is not None
    }
    if not factors:
        return ""
    most = max(factors, key=lambda name: abs(math.log(factors[name])))
    return (
        f"; {most} is {factors[most]:.3g} times as much as before: repeat its settings "
        "in both versions"
    )


def _factor_of(pair: SeriesPair[FileSide]) -> float | None:
    """Return the mean factor between the medians at common settings."""
    before, after = pair.before.series, pair.after.series
    if before is None or after is None or before.parameters != after.parameters:
        return None
    levels = [
        {
            tuple(setting): median
            for setting, median in zip(
                each.settings.tolist(), _medians(each.values), strict=True
            )
            if median > 0
        }
        for each in (before, after)
    ]
    shared = levels[0].keys() & levels[1].keys()
    if not shared or before.unit != after.unit:
        return None
    logarithms = [math.log(levels[1][each] / levels[0][each]) for each in shared]
    return math.exp(sum(logarithms) / len(logarithms))


def _medians(values: NDArray[np.float64]) -> list[float]:
    measured = [row[~np.isnan(row)] for row in values]
    return [float(np.median(row)) if row.size else math.nan for row in measured]


def _beside_earlier(pair: FilePair, beside: HistoryBeside) -> FilePair:
    """Return a pair with its value beside earlier commits, which may call it fine."""
    known = _known(pair, beside)
    if known is None or known.usual is None or pair.kind is not ChangeKind.UNDECIDED:
        return pair
    stays = known.usual.stays(is_cost=pair.is_cost)
    kind = ChangeKind.UNCHANGED if stays else pair.kind
    return replace(pair, kind=kind, usual=known.usual)


def _known(pair: FilePair, beside: HistoryBeside) -> SeriesBeside | None:
    """Return what a history tells of a series that both versions measured."""
    series = pair.after.series
    is_told = series is not None and pair.is_comparable and pair.odds is None
    return beside.series.get(series_key(series)) if is_told and series else None


def _worse(
    pair: FilePair, beside: HistoryBeside, rules: FileRules
) -> WorseValue | None:
    """Return that a value is worse than those before, by more than rules allow."""
    known = _known(pair, beside) if pair.usual else None
    least = rules.least_constant(pair.region)
    if known is None or known.worse is None or least is None:
        return None
    factor = known.worse.factor
    beyond = factor.low if pair.is_cost else 1 / factor.high
    return known.worse if beyond > 1 + least else None


def _worse_alike(
    pairs: Sequence[FilePair], factors: Mapping[SeriesKey, ConstantChange]
) -> Iterator[tuple[GateFinding, list[SeriesKey]]]:
    """Yield by metric that all series are worse by one factor, and which follow it."""
    noisy = [each for each in pairs if each.is_comparable and not each.is_exact]
    for metric in dict.fromkeys(each.metric for each in noisy):
        compared = [each for each in noisy if each.metric == metric]
        moved = [each for each in compared if each.key in factors]
        changes = [factors[each.key] for each in moved]
        bounds = [Bounds(each.factor, each.low, each.high) for each in changes]
        shared = shared_factor(bounds, len(compared))
        if shared is not None and (shared.factor > 1) == moved[0].is_cost:
            keys = [
                each.key
                for each, follows in zip(moved, shared.follows, strict=True)
                if follows
            ]
            yield of_versions_alike(metric, shared.factor, len(keys)), keys


def _by_runs(constant: ConstantChange, known: SeriesBeside | None) -> ConstantChange:
    """Return a constant with the runs that say so, of a history too short to tell."""
    return replace(constant, jobs=known.runs) if known else constant


def _pairs(
    now: Sequence[FileSide],
    before: Sequence[FileSide],
    is_cost: Callable[[ImportedSeries], bool],
) -> list[FilePair]:
    """Return all series of both versions, those of the later one first."""
    earlier = {series_key(side.series): side for side in before if side.series}
    later = {series_key(side.series): side for side in now if side.series}
    keys = [*later, *(key for key in earlier if key not in later)]
    sides = [(earlier.get(key, UNMEASURED), later.get(key, UNMEASURED)) for key in keys]
    odds = all_growth_odds(
        [(was.class_probability, side.class_probability) for was, side in sides]
    )
    return [
        _pair(both, growth, is_cost) for both, growth in zip(sides, odds, strict=True)
    ]


def _pair(
    sides: tuple[FileSide, FileSide],
    odds: GrowthOdds | None,
    is_cost: Callable[[ImportedSeries], bool],
) -> FilePair:
    before, after = sides
    series = after.series or before.series
    if series is None:
        raise ValueError(sides)
    is_unlike = _unlike_sides(before, after) is not None
    odds = None if is_unlike else odds
    return FilePair(
        kind=ChangeKind.UNDECIDED
        if is_unlike
        else kind_of(before, after, odds, is_cost=is_cost(series)),
        region=series.region,
        metric=series.metric,
        configuration=series.configuration,
        before=before,
        after=after,
        odds=odds,
        is_cost=is_cost(series),
    )


def _constants(
    pairs: Sequence[FilePair], least: Callable[[FilePair], float | None]
) -> dict[SeriesKey, ConstantChange]:
    """Return how constants surely changed, of series whose growth is as before."""
    minded = [
        (pair, share)
        for pair in pairs
        if pair.kind in GROWS_ALIKE and (share := least(pair)) is not None
    ]
    constants = {}
    jobs, versions = {}, {}
    for pair, share in minded:
        before, now, noise = pair.before.series, pair.after.series, pair.after.noise
        if pair.is_exact:
            counts = _middles(pair.before), _middles(pair.after)
            if constant := exact_constant(pair, *counts, share):
                constants[pair.key] = constant
        elif pair.is_comparable and before is not None and now is not None:
            jobs[pair.key] = Jobs([before], [now], noise, share, pair.is_cost)
            versions[pair.key] = before, now, noise
    level = level_of(sum(not pair.is_exact for pair, _ in minded))
    # Nothing tells jobs apart: all of them together say so.
    agreed = {
        key: (direction, None)
        for key, (direction, _) in agreed_directions(jobs, level).items()
    }
    return constants | noisy_constants(agreed, versions)


def _middles(side: FileSide) -> dict[float, float]:
    """Return the median at each setting of the one parameter that varies."""
    series = side.series
    if series is None or len(series.parameters) > 1:
        return {}
    measured = ~np.isnan(series.values).all(axis=1)
    settings = series.settings[measured, 0].tolist()
    return dict(
        zip(settings, np.nanmedian(series.values[measured], axis=1), strict=True)
    )


def _failures(side: FileSide) -> list[str]:
    """Return where nothing of a series was measured, and why."""
    series = side.series
    if series is None:
        return []
    failing = np.isnan(series.values).all(axis=1)
    where = _places(series.parameters, series.settings[failing].tolist())
    partly = series.settings[list(series.partly_failed)].tolist()
    also = _places(series.parameters, partly)
    return [
        f"{places_words(places)}: {words}"
        for places, words in ((where, FAILED), (also, FAILED_IN_PART))
        if places
    ]


def _unlike(pair: FilePair) -> str | None:
    return _unlike_sides(pair.before, pair.after)


def _unlike_sides(before: FileSide, after: FileSide) -> str | None:
    """Return in words that units of versions differ, which no factor converts."""
    if not (before.is_measured and after.is_measured):
        return None
    was, now = before.series, after.series
    return unlike_units(was, now) if was is not None and now is not None else None


def _lacking(pair: FilePair) -> str | None:
    """Return settings that the earlier version measured and nobody tried, in words."""
    before, now = pair.before.series, pair.after.series
    if before is None or now is None:
        return None
    measured = before.settings[~np.isnan(before.values).all(axis=1)].tolist()
    untried = _places(before.parameters, measured) - _places(
        now.parameters, now.settings.tolist()
    )
    return places_words(untried) if untried else None


def _places(
    parameters: Sequence[str], rows: Iterable[Sequence[float]]
) -> set[tuple[tuple[str, float], ...]]:
    return {tuple(sorted(zip(parameters, row, strict=True))) for row in rows}
