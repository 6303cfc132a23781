"""Findings of the gate: series that are worse, that may be, or were not measured.

Servers and files tell them by the same words. Nothing here needs a database.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, Self

from scalewatch.modelling import Direction, Growth, Verdict
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.services.commit_reports.factors import JOBS, ConstantChange
from scalewatch.services.commit_reports.pairs import (
    ChangeKind,
    SeriesKey,
    SeriesPair,
    Side,
    series_key,
)
from scalewatch.services.files.histories import MachineBeside, WorseValue
from scalewatch.services.gates.rules import GateRule, Rules

GUIDELINE: Final = "guideline"
CONSTANT: Final = "constant"
NIGHT: Final = "night"
MISMATCH: Final = "mismatch"
"""A series that scales worse than expected, as it did before."""

UNDECIDED: Final = str(ChangeKind.UNDECIDED)
"""An expectation that nothing answers, where nothing was measured before."""

FAILED: Final = str(ChangeKind.FAILED)
MISSING: Final = str(ChangeKind.MISSING)
PARTLY: Final = "partly missing"
MEASURE_BASELINE: Final = "measure the baseline again on {} as it is now"
COMPARE_UNITS: Final = "measure both in the same unit, or name the metric otherwise"
UNMEASURED: Final = frozenset({FAILED, MISSING, PARTLY})
"""Kinds of findings about what was not measured."""

OF_LEVELS: Final = frozenset({CONSTANT, f"regression of {CONSTANT}", NIGHT})
"""Kinds of findings about levels, which say nothing of a growth."""

EVERYTHING: Final = "all regions"
"""Takes the place of the region in a finding about a machine."""

ANOTHER_NIGHT: Final = "rerun on {} on another night"
NEXT_COMMIT: Final = "measure the next commit as well"
RUN_AGAIN: Final = "run it again, or measure the next commit"
MEASURE: Final = 'measure it, or set missing = "ignore" in the rules'
MEASURE_MORE: Final = "measure more settings or repetitions: scalewatch model --next"


class Placed(Protocol):
    """A series, or a finding about some."""

    @property
    def region(self) -> str:
        """Name of the code region."""

    @property
    def metric(self) -> str:
        """Name of the quantity."""

    @property
    def machine(self) -> str:
        """Where it was measured; empty where nothing tells."""

    @property
    def configuration(self) -> Mapping[str, Any]:
        """Settings that were held fixed."""


class SeriesRef(NamedTuple):
    """Where a series was measured; settings that are not named do not matter."""

    region: str
    metric: str
    machine: str
    configuration: Mapping[str, Any]

    @classmethod
    def of(cls, about: Placed) -> Self:
        """Return the place of a series."""
        return cls(about.region, about.metric, about.machine, about.configuration)


@dataclass(frozen=True, slots=True)
class GateFinding:
    """A series that is worse or may be.

    Parameters
    ----------
    is_sure
        Whether it stops the commit.
    sentence
        What happened to it, in words.
    todo
        The cheapest step that would settle it; None where it is settled.
    commits
        Those that hold the cause, as git names a range: `after..last`.
    probability
        That it happened; None where nothing can tell.
    target, at_target
        A larger scale, and how many times as much as before it costs there; of a
        guideline, how many times as much as what the shortcut stands for.
    recent
        Values of the newest commits up to the judged one at its last setting, oldest
        first; none beyond the first 50 findings.
    """

    region: str
    metric: str
    machine: str
    configuration: Mapping[str, Any]
    kind: str
    is_sure: bool
    sentence: str
    todo: str | None
    commits: str | None = None
    probability: float | None = None
    target: Mapping[str, float] = field(default_factory=dict)
    at_target: Bounds | None = None
    recent: tuple[float, ...] = ()

    @property
    def is_suspicion(self) -> bool:
        """Whether it may be worse, as far as was measured."""
        return not self.is_sure and self.kind not in UNMEASURED | {UNDECIDED}

    @property
    def series(self) -> SeriesKey:
        """Key of the series that it is about."""
        return key_at(self)


Confirmation = Callable[[SeriesRef], str | None]
"""Returns the runs that a series still needs for a second job, in words."""


SINGLE_JOB: Final = "seen in a single job only"


def key_at(about: Placed) -> SeriesKey:
    """Return the key of a series."""
    return series_key(about.region, about.metric, about.machine, about.configuration)


def worse_findings(
    pairs: Sequence[SeriesPair[Any]],
    rules: Rules,
    constants: Mapping[SeriesKey, ConstantChange],
    confirmation: Confirmation,
) -> list[tuple[SeriesPair[Any], GateFinding]]:
    """Return the series that are worse than at the baseline: growths, then constants.

    Parameters
    ----------
    constants
        How the constants of series that grow as before changed, by what rules mind.
    """
    growths, levels = [], []
    for pair in pairs:
        constant = constants.get(pair.key)
        growth = changed(pair, rules.about(pair.region), confirmation)
        if growth is not None:
            growths.append((pair, growth))
        elif constant is not None and constant.direction is Direction.WORSE:
            levels.append((pair, costlier(pair, constant, confirmation)))
    return growths + levels


def changed(
    pair: SeriesPair[Any], rule: GateRule, confirmation: Confirmation
) -> GateFinding | None:
    """Return what the growth of a series means for the gate, None for nothing."""
    say = _mismatched if pair.is_composed else _scaling_worse
    sentence = say(pair, rule)
    if sentence is None:
        return None
    todo = confirmation(SeriesRef.of(pair))
    is_of_change = pair.kind in {ChangeKind.MISMATCH, ChangeKind.WORSE}
    return GateFinding(
        *SeriesRef.of(pair),
        kind=str(pair.kind) if is_of_change else MISMATCH,
        is_sure=todo is None,
        sentence=f"{sentence}, {SINGLE_JOB}" if todo else sentence,
        todo=todo,
        probability=_probability(pair),
    )


def costlier(
    pair: SeriesPair[Any], constant: ConstantChange, confirmation: Confirmation
) -> GateFinding:
    """Return what a worse constant means for the gate."""
    todo = confirmation(SeriesRef.of(pair))
    has_agreeing_jobs = constant.jobs is None or constant.jobs >= JOBS
    is_settled = todo is None and (constant.exactly is not None or has_agreeing_jobs)
    is_one_night = todo is None and constant.nights is not None
    alone = "on a single night" if is_one_night else "in a single job"
    if is_one_night:
        todo = ANOTHER_NIGHT.format(pair.machine)
    return GateFinding(
        *SeriesRef.of(pair),
        kind=CONSTANT,
        is_sure=is_settled,
        sentence=constant.sentence
        if is_settled
        else f"{constant.sentence}, seen {alone} only",
        todo=None if is_settled else todo or NEXT_COMMIT,
        probability=constant.probability,
        # Two commits alone would add to it what the night did to all regions.
        at_target=Bounds(constant.factor, constant.low, constant.high)
        if constant.is_throughout or constant.nights is not None
        else None,
    )


def worse_value(pair: SeriesPair[Any], worse: WorseValue) -> GateFinding:
    """Return what one value means that is worse than those of the commits before."""
    factor = worse.factor
    how = f"borne out by {worse.borne_out}" if worse.borne_out else "by one run only"
    return GateFinding(
        *SeriesRef.of(pair),
        kind=CONSTANT,
        is_sure=worse.borne_out is not None,
        sentence=f"{factor.value:.3g} times the median of the {factor.commits} commits "
        f"before ({factor.low:.3g} to {factor.high:.3g}), {how}",
        todo=None if worse.borne_out else RUN_AGAIN,
    )


def of_everything(  # noqa: PLR0913 - the parts of a finding
    metric: str,
    sentence: str,
    todo: str | None,
    *,
    machine: str = "",
    configuration: Mapping[str, Any] | None = None,
    is_sure: bool = False,
) -> GateFinding:
    """Return what all regions do alike: sure where several machines say so."""
    return GateFinding(
        region=EVERYTHING,
        metric=metric,
        machine=machine,
        configuration=configuration or {},
        kind=NIGHT,
        is_sure=is_sure,
        sentence=sentence,
        todo=todo,
    )


def of_machine_beside(moved: MachineBeside) -> GateFinding:
    """Return that all series of a machine are worse, which one run never settles."""
    factor = moved.factor
    return of_everything(
        moved.metric,
        f"{factor.value:.3g} times the median of the {factor.commits} commits before "
        f"({factor.low:.3g} to {factor.high:.3g}), all {moved.series} series alike: "
        "either this commit, or only this run of the machine",
        RUN_AGAIN,
        configuration={"machine": moved.machine} if moved.machine else {},
    )


def of_versions_alike(metric: str, factor: float, series: int) -> GateFinding:
    """Return that all series are worse alike, which one run of each never settles."""
    return of_everything(
        metric,
        f"{factor:.3g} times as much as before, all {series} series alike: "
        "either this version, or the machine while it ran",
        "run both versions again, one after the other on one machine",
    )


def unexpected(pair: SeriesPair[Any], rule: GateRule) -> GateFinding | None:
    """Return what an expectation alone says of a series, None for nothing."""
    if pair.is_mismatch and (rule.mismatch or rule.new_mismatch):
        return GateFinding(
            *SeriesRef.of(pair),
            kind=str(ChangeKind.MISMATCH),
            is_sure=True,
            sentence=_not_as_expected(pair),
            todo=None,
            probability=pair.after.verdict_probability.get(Verdict.MISMATCH),
        )
    if pair.after.verdict is Verdict.UNDECIDED:
        noisy = "too noisy to decide on its expected growth"
        sentence = pair.after.reason or noisy
        return _open(pair, UNDECIDED, sentence, MEASURE_MORE)
    return None


def failed(about: Placed, side: Side, failures: Sequence[str]) -> Iterator[GateFinding]:
    """Yield that a series failed.

    Parameters
    ----------
    failures
        Where no run succeeded though others did, and why: `p = 32: out of memory`.
    """
    if side.is_failed:
        yield _open(
            about, FAILED, f"failed: {side.reason or 'no repetition succeeded'}"
        )
    elif failures:
        yield _open(about, FAILED, f"failed at {'; '.join(failures)}")


def missing(about: Placed) -> GateFinding:
    """Return that a series of the baseline is missing."""
    return _open(about, MISSING, "was measured at the baseline, not here")


def absent(about: Placed) -> GateFinding:
    """Return that a series is missing because its machine has not measured."""
    return _open(about, MISSING, "its machine measured the baseline alone")


def partly(about: Placed, lacking: str) -> GateFinding:
    """Return that settings of the baseline are missing, which words name."""
    return _open(about, PARTLY, f"not measured at {lacking}")


def incomparable(about: Placed, why: str, todo: str = COMPARE_UNITS) -> GateFinding:
    """Return that versions cannot be compared, which words explain."""
    return _open(about, UNDECIDED, why, todo)


def _open(about: Placed, kind: str, sentence: str, todo: str = MEASURE) -> GateFinding:
    return GateFinding(
        *SeriesRef.of(about), kind=kind, is_sure=False, sentence=sentence, todo=todo
    )


def _scaling_worse(pair: SeriesPair[Any], rule: GateRule) -> str | None:
    """Return what is wrong with the growth of a series by its rule, if anything is."""
    if pair.kind is ChangeKind.MISMATCH and (rule.new_mismatch or rule.mismatch):
        return f"{_faster(pair)}: no longer as expected"
    if pair.kind is ChangeKind.WORSE and rule.growth:
        return _faster(pair)
    return _not_as_expected(pair) if rule.mismatch and pair.is_mismatch else None


def _mismatched(pair: SeriesPair[Any], rule: GateRule) -> str | None:
    """Return what is wrong with a series of which a composed model is expected."""
    grows = f"measured/composed grows like {pair.after.divergence}"
    if pair.kind is ChangeKind.MISMATCH and (rule.new_mismatch or rule.mismatch):
        return f"{grows} instead of {pair.before.divergence}: no longer as composed"
    if pair.kind is ChangeKind.WORSE and rule.growth:
        return f"{like(pair.after.growth)} instead of {pair.before.growth}"
    return f"{grows}: not as composed" if rule.mismatch and pair.is_mismatch else None


def like(growth: Growth | None) -> str:
    """Return a growth after its verb: `grows like log p`, `falls like 1/p`."""
    return f"{'falls' if growth and growth.falls else 'grows'} like {growth}"


def _faster(pair: SeriesPair[Any]) -> str:
    before, after = pair.before.growth, pair.after.growth
    if before == after:
        # A model has its likeliest growth, a change the probabilities of all.
        way = "faster" if pair.is_cost else "slower"
        said = f"surely grows {way} than before, though {after} describes both"
    else:
        said = f"{like(after)} instead of {before}"
    return f"{said}, {pair.formulas}" if pair.formulas else said


def _not_as_expected(pair: SeriesPair[Any]) -> str:
    growth, divergence = pair.after.growth, pair.after.divergence
    expected = f" ({growth / divergence})" if growth and divergence else ""
    return f"{like(growth)}: not as expected{expected}"


def _probability(pair: SeriesPair[Any]) -> float | None:
    """Return how probably a series changed as its kind says."""
    if pair.kind is ChangeKind.WORSE:
        return pair.worse_growth_probability
    probability: float | None = pair.after.verdict_probability.get(Verdict.MISMATCH)
    if pair.kind is ChangeKind.MISMATCH:
        was_fine: float = 1 - pair.before.verdict_probability.get(Verdict.MISMATCH, 0.0)
        return was_fine * (probability or 0.0)
    return probability
