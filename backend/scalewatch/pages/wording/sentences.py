"""Findings in one sentence each: above charts, for screen readers too."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from markupsafe import Markup

from scalewatch.errors import ModellingError
from scalewatch.modelling import (
    Direction,
    Mark,
    Outcome,
    ScalingKind,
    Verdict,
    few_settings,
)
from scalewatch.modelling.measurements.batch import LEAST, NEEDED_SETTINGS
from scalewatch.pages.wording.formats import (
    count,
    named,
    percent,
    plural,
    quantity,
    settings,
)
from scalewatch.pages.wording.intervals import factor_words
from scalewatch.pages.wording.mathematics import (
    big_o,
    growth,
    stated_expectation,
    verb,
)
from scalewatch.reasons import UNSETTLED
from scalewatch.services.analysis import questions
from scalewatch.services.analysis.questions import direction
from scalewatch.services.commit_reports.factors import WORK
from scalewatch.services.commits.baselines import Baseline, Relation
from scalewatch.services.projects.rows import Headline
from scalewatch.services.regions import region
from scalewatch.services.scaling_errors.scan import (
    FALLS,
    CodeScaling,
    ScalingQuestion,
    measured_scaling,
)
from scalewatch.services.series.judged import FailedSeries
from scalewatch.services.series.scans import Scan, leaves_tolerance
from scalewatch.services.series.standing import Standing, State
from scalewatch.texts.numbers import SPACE, significant
from scalewatch.wire import TIME

SYMBOLS: Final = {mark: mark.symbol for mark in Mark}

STATES: Final = {
    State.JUDGED: "judged",
    State.MODELLED: "no expectation",
    State.PENDING: "model on its way",
    State.FAILED: "failed",
    State.UNMEASURED: "not measured",
}

NO_MODEL: Final = "no model"
NO_VERDICT_YET: Final = "verdict on its way"

WITHOUT_MODEL: Final = {
    State.UNMEASURED: Markup("was not measured."),
    State.FAILED: Markup("has no result: {reason}."),
    State.PENDING: Markup("was measured at {points}; its model is on its way."),
    State.MODELLED: Markup("has no model: {reason}."),
    State.JUDGED: Markup("has no model: {reason}."),
}

JUDGED: Final = {
    Verdict.MATCH: Markup("scales as expected: {found}{sure}."),
    Verdict.APPROXIMATE: Markup(
        "scales {worse} than expected: {found} instead of {expected}, inside the "
        "tolerance{sure}."
    ),
    Verdict.MISMATCH: Markup(
        "scales {worse} than expected: {found} instead of {expected}, outside the "
        "tolerance{beyond}{sure}."
    ),
    Verdict.UNDECIDED: Markup(
        "is undecided, as evidence is not enough{likely}; {expected} is expected, "
        "{found} is likeliest{because}."
    ),
}

UNEXPLAINED: Final = Markup(
    "fits no growth of the space; whether it scales like the expected {expected} is "
    "undecided{because}."
)

WORSE: Final = {
    Direction.WORSE: "worse",
    Direction.BETTER: "better",
    None: "otherwise",
}


GAINED: Final = Markup(
    "On {} {} runs {} × as fast as on {}{}: parallel efficiency {}. "
)

FARTHEST: Final = 16.0
"""Times the largest size measured, up to which the minimum of a model is told."""

WORST_FIRST: Final = (
    *(Mark.MISMATCH, Mark.APPROXIMATE, Mark.UNDECIDED, Mark.BETTER, Mark.MATCH),
    None,
)


def state_words(standing: Standing) -> str:
    """Say in few words why a series has no verdict yet."""
    if standing.state is State.PENDING and standing.nearest is not None:
        return NO_VERDICT_YET
    is_done = standing.state in {State.JUDGED, State.MODELLED}
    if is_done and standing.model is None:
        is_few = LEAST <= standing.points < NEEDED_SETTINGS
        return (
            f"{standing.points} of {NEEDED_SETTINGS} settings" if is_few else NO_MODEL
        )
    return STATES[standing.state]


def metric_words(metric: str) -> str:
    """Say what a metric tells of: what is counted of a program is its work."""
    return "work" if metric == WORK else metric


def scan_sentence(scan: Scan, distinction: Mapping[str, object]) -> Markup:
    """Tell how a region scales on a machine, and its verdict.

    Parameters
    ----------
    distinction
        The settings that tell it from other scans of the machine.
    """
    standing = scan.standing
    first = falling_sentence(scan)
    place = Markup("{}On {}").format(first, named(scan.machine))
    if distinction:
        place += Markup(" with <bdi>{}</bdi>").format(settings(distinction))
    subject = place + Markup(", the <bdi>{}</bdi> of {} ").format(
        metric_words(scan.metric), named(scan.region)
    )
    if standing.nearest is None and scan.level is not None:
        return subject + f"is {quantity(scan.level, scan.unit)}."
    if standing.nearest is None:
        return subject + WITHOUT_MODEL[standing.state].format(
            points=plural(standing.points, "coordinate"),
            reason=standing.reason or "no reason given",
        )
    if standing.verdict is None or scan.expectation is None:
        is_pending = standing.state is State.PENDING
        expectation = stated_expectation(scan.expectation, scan.composition)
        expected = Markup("{} is expected").format(expectation)
        rest = Markup("its verdict is on its way") if is_pending else expected
        grows = "fits no growth of the space"
        if not standing.fits_none:
            grows = Markup("{} like {}").format(
                verb(standing.nearest), _found(standing)
            )
        return subject + Markup("{}; {}.").format(grows, rest) + _remark(standing)
    is_told = standing.verdict is Verdict.UNDECIDED
    judged = UNEXPLAINED if standing.fits_none else JUDGED[standing.verdict]
    reason = standing.reason or ""
    is_said = not standing.fits_none and reason.startswith(UNSETTLED)
    beyond = beyond_words(scan)
    shares = ", ".join(
        f"{verdict} {percent(share)}"
        for verdict, share in standing.verdict_probability.items()
    )
    said = judged.format(
        beyond=f" from {beyond} on" if beyond else "",
        because=f" – {reason}" if reason and not is_said else "",
        expected=big_o(scan.expectation.growth),
        worse=WORSE[standing.direction],
        found=_found(standing),
        likely=f": {shares}" if shares else "",
        limit=growth(standing.deviation_limit),
        sure=""
        if standing.probability is None
        else f" (probability {percent(standing.probability)})",
    )
    return subject + said + ("" if is_told else _remark(standing))


def beyond_words(scan: Scan) -> str:
    """Say from which scale on a model is above its tolerance: `p ≈ 6,400`.

    Empty where the measurements show it already, or nothing is worse than expected.
    """
    standing = scan.standing
    if standing.mark is not Mark.MISMATCH or standing.direction is not Direction.WORSE:
        return ""
    leaves = leaves_tolerance(scan)
    return "" if leaves is None else scale_from(scan.parameter, leaves)


def scale_from(parameter: str, setting: float) -> str:
    """Write a scale from which on something holds: `p ≈ 6,400`."""
    return f"{parameter} ≈ {significant(setting, 2)}"


def falling_sentence(scan: Scan, side: str = "") -> Markup:
    """Tell of a time that falls what was gained by it, and where its model is least.

    That comes before any growth: `On 32 nodes solve runs 15.9 × as fast as on 2:
    parallel efficiency 99 %. By its model it is fastest on 180 nodes.`

    Parameters
    ----------
    side
        The machine or commit, where others are beside it.
    """
    usual = ScalingQuestion()
    scaling = measured_scaling(scan, usual) if scan.metric == TIME else None
    if scaling is None or scaling.scale is None or len(scaling.row) < 2:
        return Markup()
    last = scaling.row[-1]
    is_strong = scaling.design and scaling.design.kind is ScalingKind.STRONG
    if not is_strong or last.speed_up < 1 / FALLS:
        return Markup()
    said = GAINED.format(
        scaling.scale.counted(last.n2),
        named(scan.region),
        significant(last.speed_up),
        count(scaling.row[0].n2),
        Markup(" ({})").format(named(side)) if side else "",
        f"{100 * last.efficiency:.0f}{SPACE}%",
    )
    fastest = _fastest(scan, scaling)
    if fastest is None:
        return said
    words = scaling.scale.counted(float(f"{fastest:.2g}"))
    return said + f"By its model it is fastest on about {words}. "


def _fastest(scan: Scan, scaling: CodeScaling) -> float | None:
    """Return where a model is least, no farther than it may be believed; else None."""
    model = scan.standing.explaining
    if model is None or scaling.scale is None:
        return None
    sizes = np.geomspace(scaling.row[0].n2, FARTHEST * scaling.row[-1].n2, 400)
    held = {} if scaling.size is None else {"n": scaling.size}
    try:
        times = model({**scaling.held, **held, scaling.scale.name: sizes})
    except ModellingError:
        return None
    at = int(np.argmin(np.broadcast_to(times, sizes.shape)))
    return float(sizes[at]) if 0 < at < sizes.size - 1 else None


def _found(standing: Standing) -> Markup:
    """Name the growth, or the two likeliest where none was found."""
    if standing.verdict is Verdict.UNDECIDED or not standing.is_improbable:
        return big_o(standing.nearest)
    likeliest = [*standing.class_probability.items()][:2]
    named = [
        Markup("{} ({})").format(big_o(value), percent(share))
        for value, share in likeliest
    ]
    return Markup("perhaps ") + Markup(" or ").join(named)


def machines_sentence(region: region.Region) -> Markup:
    """Tell on how many machines a region has which verdict, the worst first."""
    marks = Counter(scan.standing.mark for scan in region.scans)
    counted = [
        f"{marks[mark]} {mark or 'without a verdict'}"
        for mark in WORST_FIRST
        if marks[mark]
    ]
    return Markup("{} on <bdi>{}</bdi> machines: {}; {} is expected.").format(
        Markup("The <bdi>{}</bdi> of {}").format(
            metric_words(region.metric), named(region.region)
        ),
        len({scan.machine for scan in region.scans}),
        ", ".join(counted),
        stated_expectation(region.expectation, region.composition),
    )


def exact_sentence(standing: Standing) -> str:
    """Tell what exact counts tell: one formula, several, or none."""
    fit = standing.fit
    if fit["outcome"] == Outcome.NONE:
        return "no formula that is known reproduces them"
    if fit["outcome"] == Outcome.AMBIGUOUS:
        sentence = "more than one formula reproduces them"
        if fit["separating"] is None:
            return sentence
        return f"{sentence}; {questions.separating_words(fit['separating'])}"
    off = [questions.place_words(each) for each in fit["excepted"]]
    besides = f", but at {', '.join(off)}" if off else ""
    idle = fit["independent"]
    settled = f"; it is independent of {' and '.join(idle)}" if idle else ""
    return f"this formula reproduces every count{besides}{settled}"


def misfit_sentence(standing: Standing) -> str:
    """Tell that no growth explains the settings."""
    words = standing.fit["misfit"]["sentence"]
    return f"{words[0].upper()}{words[1:]}."


def unlike_repetitions(
    standing: Standing,
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield how the repetitions of a series are not alike, with the word for it."""
    for key, word in (("warm_up", "warm-up"), ("modes", "two modes")):
        if standing.fit[key]:
            yield word, standing.fit[key]


def _remark(standing: Standing) -> str:
    return f" {standing.reason}." if standing.reason else ""


def counts_sentence(counts: Mapping[Mark, int]) -> str:
    """Count verdicts in words: `9 match, 2 mismatch`."""
    parts = [f"{number} {mark}" for mark, number in counts.items() if number]
    return ", ".join(parts) or "no verdict yet"


def open_words(worst: Headline, number: int) -> Markup:
    """Name the largest of some open regressions: region, factor, scale and machine."""
    more = number - 1
    return Markup("<bdi>{}</bdi> {} on <bdi>{}</bdi> since <bdi>{}</bdi>{}").format(
        worst.region,
        factor_words(worst.factor, worst.metric, worst.at),
        worst.machine,
        worst.since.label,
        f"; {more:,} more" if more else "",
    )


def verdict_lead(counts: Mapping[Mark, int]) -> str:
    """Answer first: how many series scale worse than expected, and how many better."""
    judged, worse = sum(counts.values()), counts[Mark.MISMATCH]
    if not judged:
        return "No verdicts yet: no region has both an expected growth and a model."
    better = counts[Mark.BETTER]
    also = f" {plural(better, 'series')} scale{'s' * (better == 1)} better." * bool(
        better
    )
    if worse:
        verb = "scales" if worse == 1 else "scale"
        rest = f", {better:,} better" * bool(better)
        return f"{worse:,} of {judged:,} series {verb} worse than expected{rest}."
    open_ones = counts[Mark.UNDECIDED]
    if open_ones == judged:
        every = "The only series is" if judged == 1 else f"All {judged:,} series are"
        return f"{every} undecided."
    if open_ones:
        return (
            f"No series scales worse than expected; {open_ones:,} of {judged:,} "
            f"{'is' if open_ones == 1 else 'are'} undecided.{also}"
        )
    return f"Every series scales as expected, or better: {judged:,} of {judged:,}."


MOST_FAILED: Final = 3
"""Kinds of failure that a page names before all else."""


def failed_words(failed: Sequence[FailedSeries]) -> Markup:
    """Name what failed, where and why, most series first; nothing where none did.

    `MPI_Scan on jureca and 3 more series at p = 32, 64: out of memory`.
    """
    alike: dict[tuple[str, ...], list[FailedSeries]] = defaultdict(list)
    for series in failed:
        alike[series.failures].append(series)
    kinds = sorted(alike.items(), key=lambda kind: -len(kind[1]))
    said = [
        Markup("<bdi>{}</bdi> on <bdi>{}</bdi>{} at {}").format(
            first.region,
            first.machine,
            f" and {len(others)} more series" if others else "",
            "; ".join(failures),
        )
        for failures, (first, *others) in kinds[:MOST_FAILED]
    ]
    if rest := sum(len(series) for _, series in kinds[MOST_FAILED:]):
        said.append(Markup("{} more series").format(rest))
    return Markup("; ").join(said)


def flag_places(parameter: str, at: Sequence[float]) -> str:
    """Name where a flag was raised: `p = 4, 8, 16`."""
    listed = ", ".join(f"{setting:,g}" for setting in at)
    return f"{parameter}{SPACE}={SPACE}{listed}"


def step_sentence(step: few_settings.Step, metric: str, parameter: str) -> str:
    """Tell a factor: `From p = 2 to 4, the time grows to 1.52 times [1.47, 1.56]`."""
    return (
        f"From {parameter} = {count(step.start)} to {count(step.end)}, the "
        f"{metric_words(metric)} {direction(step)} to {significant(step.factor)} times "
        f"[{significant(step.low)}, {significant(step.high)}]."
    )


SHORT: Final = 10
"""Letters of a hash that a sentence shows."""

RELATIONS: Final = {
    Relation.ASKED: "as asked for",
    Relation.MERGE_BASE: "its merge base with the main line",
    Relation.PARENT: "its parent",
    Relation.EARLIER: "the commit measured before it; none of its parents was measured",
}


def baseline_sentence(baseline: Baseline | None) -> str:
    """Name the baseline of a commit: `v5.0.8 on main, its parent`."""
    if baseline is None:
        return "no baseline"
    return f"{baseline.commit.named}, {RELATIONS[baseline.relation]}"


def gap(baseline: Baseline | None) -> str | None:
    """Warn of commits between baseline and commit that were not measured."""
    if baseline is None or not baseline.unmeasured:
        return None
    parents = ", ".join(sha[:SHORT] for sha in baseline.unmeasured)
    noun = "parent" if len(baseline.unmeasured) == 1 else "parents"
    return (
        f"Commits between {baseline.commit.label} and this one were not measured, its "
        f"{noun} {parents} among them: what changed may be due to any of them"
    )
