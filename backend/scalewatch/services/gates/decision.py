"""The decision of the gate over pairs of series: outcome, counts and sentence.

Every series is counted once. The worst finding about a series decides, without one the
kind of its change. A finding about a night covers all noisy series of its machine and
metric that both commits measured; one that names some settings covers the series that
have these. Series of machines that have not measured the commit count where a finding
names them.

A server and files give the same pairs and so get the same decision; `Circumstances`
holds what only one of them may know. Nothing here needs a database.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from enum import StrEnum
from operator import add
from typing import Any, Final, Self

from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.services.commit_reports.factors import ConstantChange
from scalewatch.services.commit_reports.pairs import (
    FINE,
    ChangeKind,
    SeriesKey,
    SeriesOutcome,
    SeriesPair,
)
from scalewatch.services.gates.findings import (
    ANOTHER_NIGHT,
    CONSTANT,
    GUIDELINE,
    NIGHT,
    UNDECIDED,
    Confirmation,
    GateFinding,
    Placed,
    key_at,
    missing,
    partly,
    unexpected,
    worse_findings,
)
from scalewatch.services.gates.rules import Rules

Pairs = Sequence[SeriesPair[Any]]

OF_KINDS: Final = {
    ChangeKind.MISMATCH: SeriesOutcome.ACCEPTED,
    ChangeKind.FAILED: SeriesOutcome.UNMEASURED,
    ChangeKind.WORSE: SeriesOutcome.ACCEPTED,
    ChangeKind.WORSE_CONSTANT: SeriesOutcome.ACCEPTED,
    ChangeKind.MISSING: SeriesOutcome.UNMEASURED,
    ChangeKind.BETTER: SeriesOutcome.BETTER,
    ChangeKind.BETTER_CONSTANT: SeriesOutcome.BETTER,
    ChangeKind.NEW: SeriesOutcome.NEW,
    ChangeKind.UNDECIDED: SeriesOutcome.UNDECIDED,
    ChangeKind.UNCHANGED: SeriesOutcome.UNCHANGED,
}
"""Outcomes without a finding: what is worse then, somebody or a rule accepts."""

_RANK: Final = {outcome: rank for rank, outcome in enumerate(SeriesOutcome)}


class GateOutcome(StrEnum):
    """Answers of the gate."""

    FINE = "fine"
    WORSE = "worse"
    UNDECIDED = "undecided"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Effect:
    """Cost of a series at a larger scale, as many times as much as before."""

    target: Mapping[str, float]
    ratio: Bounds | None


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Knowledge of a commit beside the pairs of its series.

    Parameters
    ----------
    constants
        How constants changed, by the shares that the rules mind.
    failed
        Findings about series that failed, wholly or in part.
    incomparable
        Findings about series whose versions cannot be compared: by their units, or as
        the machine is another one.
    lacking
        Settings of the baseline that nobody tried, in words, by series.
    absent
        Findings about series of machines that measured the baseline alone.
    has_only_failures
        Whether nothing at all succeeded, which no rule ignores.
    confirmation
        Tells what a second job would have to repeat.
    within_nights
        Series whose level moved no more than from night to night.
    machines, guidelines, regressions
        Findings about machines all of whose regions moved, about guidelines that are
        broken since the baseline, and about regressions that began with the commit.
    waiting
        Ids of regressions that began with the commit and wait for somebody.
    began, accepted
        Series of these, and of regressions that somebody has accepted.
    effects
        What series cost at the target scale.
    is_pending
        Whether something is still to be analysed.
    """

    constants: Mapping[SeriesKey, ConstantChange] = field(default_factory=dict)
    failed: Sequence[GateFinding] = ()
    incomparable: Sequence[GateFinding] = ()
    lacking: Mapping[SeriesKey, str] = field(default_factory=dict)
    absent: Sequence[GateFinding] = ()
    has_only_failures: bool = False
    confirmation: Confirmation = lambda _: None
    within_nights: Collection[SeriesKey] = ()
    machines: Sequence[GateFinding] = ()
    guidelines: Sequence[GateFinding] = ()
    regressions: Sequence[GateFinding] = ()
    waiting: tuple[int, ...] = ()
    began: Sequence[Placed] = ()
    accepted: Sequence[Placed] = ()
    effects: Mapping[SeriesKey, Effect] = field(default_factory=dict)
    is_pending: bool = False


@dataclass(frozen=True, slots=True)
class Tally:
    """Numbers of pairs by what follows of them.

    Parameters
    ----------
    comparable
        Pairs that both versions measured.
    telling
        Pairs of which anything follows, see `is_compared`.
    crowded
        Pairs that cannot be judged because processes shared cores.
    steady, open
        Pairs beside the commits before: whose level stays, and that are undecided.
    beside
        All of them.
    excesses
        By how much each of the open ones may be worse.
    """

    pairs: int = 0
    comparable: int = 0
    telling: int = 0
    crowded: int = 0
    steady: int = 0
    beside: int = 0
    excesses: tuple[float, ...] = ()

    @classmethod
    def of(cls, pairs: Pairs, *, has_baseline: bool) -> Self:
        """Count pairs."""
        beside = [(each, each.usual) for each in pairs if each.usual is not None]
        return cls(
            pairs=len(pairs),
            comparable=sum(each.is_comparable for each in pairs),
            telling=sum(is_compared(e, has_baseline=has_baseline) for e in pairs),
            crowded=sum(each.after.is_crowded for each in pairs),
            steady=sum(each.kind is ChangeKind.UNCHANGED for each, _ in beside),
            beside=len(beside),
            excesses=tuple(
                usual.high if each.is_cost else 1 / usual.low
                for each, usual in beside
                if each.kind is ChangeKind.UNDECIDED
            ),
        )

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*map(add, astuple(self), astuple(other)))

    @property
    def is_too_noisy(self) -> bool:
        """Whether the commits before tell too little of most pairs beside them."""
        return 2 * len(self.excesses) > self.beside


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the later version may pass, and why.

    Parameters
    ----------
    findings
        What is sure comes first.
    outcomes
        Each series by what became of it.
    """

    outcome: GateOutcome
    findings: tuple[GateFinding, ...]
    outcomes: Mapping[SeriesKey, SeriesOutcome]
    tally: Tally

    @classmethod
    def together(cls, parts: Sequence[Self], *, is_pending: bool) -> Self:
        """Return the decision over parts that have no series in common."""
        findings = [finding for part in parts for finding in part.findings]
        tally = sum((part.tally for part in parts), Tally())
        return cls(
            _outcome(tally, findings, is_pending=is_pending),
            tuple(sorted(findings, key=lambda finding: not finding.is_sure)),
            {key: each for part in parts for key, each in part.outcomes.items()},
            tally,
        )

    @property
    def counts(self) -> dict[SeriesOutcome, int]:
        """Number of series by outcome; every outcome has an entry."""
        number = Counter(self.outcomes.values())
        return {outcome: number[outcome] for outcome in SeriesOutcome}


def decide(
    pairs: Pairs,
    rules: Rules,
    known: Circumstances,
    *,
    commits: str | None,
) -> Decision:
    """Return whether the later version of series may pass.

    Parameters
    ----------
    commits
        The range since the baseline as git names it; None without a baseline, where
        expectations alone decide.
    """
    if commits is None:
        open_ = (unexpected(each, rules.about(each.region)) for each in pairs)
        worse = [each for each in open_ if each is not None]
    else:
        worse = _since_baseline(pairs, rules, known, commits)
    findings = _without_settled(worse + _since_history(pairs, worse, known), known)
    findings += [*known.incomparable, *_unmeasured(pairs, rules, known)]
    part = Decision(
        GateOutcome.PENDING,
        tuple(findings),
        _outcomes(pairs, findings, [*known.began, *known.accepted]),
        Tally.of(pairs, has_baseline=commits is not None),
    )
    return Decision.together([part], is_pending=known.is_pending)


def is_compared(pair: SeriesPair[Any], *, has_baseline: bool) -> bool:
    """Tell whether anything follows of a series.

    Both versions measured it, and well; without a baseline an expectation is met.
    """
    if not has_baseline:
        return pair.after.verdict in FINE
    is_decided = pair.kind is not ChangeKind.UNDECIDED
    if pair.usual is None:
        is_decided |= pair.has_few_settings
    return pair.is_comparable and is_decided


def _since_baseline(
    pairs: Pairs, rules: Rules, known: Circumstances, commits: str
) -> list[GateFinding]:
    """Return what is worse than it was at the baseline."""
    worse = worse_findings(pairs, rules, known.constants, known.confirmation)
    findings = [
        *known.machines,
        *(_at_target(_beside_nights(each, known), known) for _, each in worse),
        *known.guidelines,
    ]
    return [replace(each, commits=commits) for each in findings]


def _beside_nights(finding: GateFinding, known: Circumstances) -> GateFinding:
    """Return a finding as the nights leave it; constants they have told themselves."""
    if finding.kind == CONSTANT or finding.series not in known.within_nights:
        return finding
    return replace(
        finding,
        is_sure=False,
        sentence=f"{finding.sentence}; but it moved no more than nights do",
        todo=finding.todo or ANOTHER_NIGHT.format(finding.machine),
    )


def _at_target(finding: GateFinding, known: Circumstances) -> GateFinding:
    """Return a finding with what it costs at the target scale.

    What it costs at every scale it tells by itself.
    """
    effect = known.effects.get(finding.series)
    if effect is None:
        return finding
    ratio = finding.at_target or effect.ratio
    return replace(finding, target=effect.target if ratio else {}, at_target=ratio)


def _since_history(
    pairs: Pairs, worse: Sequence[GateFinding], known: Circumstances
) -> list[GateFinding]:
    """Return regressions; of counts that one job of each commit tells needs none."""
    counted = {each.key for each in pairs if each.is_exact}
    settled = {each.series for each in worse} & counted
    return [each for each in known.regressions if each.series not in settled]


def _without_settled(
    findings: Sequence[GateFinding], known: Circumstances
) -> list[GateFinding]:
    """Return findings but for suspicions about series that are surely worse.

    Nor is there anything to be said of changes that somebody has accepted; a guideline
    that they break stays broken.
    """
    accepted = {key_at(each) for each in known.accepted}
    sure = {each.series for each in findings if each.is_sure}
    return [
        each
        for each in findings
        if each.kind == GUIDELINE
        or (each.series not in accepted and (each.is_sure or each.series not in sure))
    ]


def _unmeasured(pairs: Pairs, rules: Rules, known: Circumstances) -> list[GateFinding]:
    """Return the series that failed, wholly or in part, and those that are missing.

    Rules may ignore them, but not that nothing at all was measured.
    """
    findings = [
        *known.failed,
        *(missing(each) for each in pairs if each.kind is ChangeKind.MISSING),
        *(
            partly(each, known.lacking[each.key])
            for each in pairs
            if each.is_comparable and each.key in known.lacking
        ),
        *known.absent,
    ]
    if known.has_only_failures:
        return findings
    return [each for each in findings if rules.about(each.region).missing != "ignore"]


def _outcome(
    tally: Tally, findings: Sequence[GateFinding], *, is_pending: bool
) -> GateOutcome:
    if is_pending:
        return GateOutcome.PENDING
    if any(each.is_sure for each in findings):
        return GateOutcome.WORSE
    is_open = findings or tally.crowded or tally.is_too_noisy or not tally.telling
    return GateOutcome.UNDECIDED if is_open else GateOutcome.FINE


def _outcomes(
    pairs: Pairs, findings: Iterable[GateFinding], accepted: Iterable[Placed]
) -> dict[SeriesKey, SeriesOutcome]:
    """Return what becomes of each series, the worst that is said of it."""
    outcomes: dict[SeriesKey, SeriesOutcome] = {}
    by_place: dict[tuple[str, str, str], list[SeriesPair[Any]]] = defaultdict(list)
    for pair in pairs:
        by_place[pair.region, pair.metric, pair.machine].append(pair)

    def note(outcome: SeriesOutcome, keys: Iterable[SeriesKey]) -> None:
        for key in keys:
            worst = min(outcome, outcomes.get(key, outcome), key=_RANK.__getitem__)
            outcomes[key] = worst

    def covered(about: Placed) -> list[SeriesKey]:
        """Return the series of this configuration, else those with its settings."""
        here = by_place.get((about.region, about.metric, about.machine), ())
        key, settings = key_at(about), about.configuration.items()
        if not here or any(each.key == key for each in here):
            return [key]
        having = [e.key for e in here if settings <= e.configuration.items()]
        return having or [key]

    for pair in pairs:
        note(OF_KINDS[pair.kind], [pair.key])
    for place in accepted:
        note(SeriesOutcome.ACCEPTED, covered(place))
    for finding in findings:
        is_night = finding.kind == NIGHT
        keys = _of_night(finding, pairs) if is_night else covered(finding)
        note(outcome_of(finding), keys)
    return outcomes


def outcome_of(finding: GateFinding) -> SeriesOutcome:
    """Return what a finding makes of its series."""
    if finding.is_sure:
        return SeriesOutcome.WORSE
    if finding.is_suspicion:
        return SeriesOutcome.SUSPECTED
    is_undecided = finding.kind == UNDECIDED
    return SeriesOutcome.UNDECIDED if is_undecided else SeriesOutcome.UNMEASURED


def _of_night(finding: GateFinding, pairs: Pairs) -> list[SeriesKey]:
    return [
        each.key
        for each in pairs
        if (each.machine, each.metric) == (finding.machine, finding.metric)
        and finding.configuration.items() <= each.configuration.items()
        and each.is_comparable
        and not each.is_exact
    ]
