"""Efficiency of a scan in sentences: the claim, its limits, and what is not known."""

from collections.abc import Iterator, Sequence
from typing import Final

from scalewatch.modelling import ScalingKind
from scalewatch.modelling.assumptions import ASSUMED
from scalewatch.modelling.efficiencies import (
    Largest,
    NextRunKind,
    Quantity,
    SizeRow,
)
from scalewatch.services.efficiencies.scan import (
    Doubt,
    Evidence,
    ScanScaling,
)
from scalewatch.services.efficiencies.table import (
    efficiency_text,
    percent,
    probability,
)
from scalewatch.texts.numbers import significant

BEYOND_ALL: Final = 1.1
"""Efficiency that is called super-linear."""

FLAT, FLAT_SIZES, FLAT_REACH = 0.025, 3, 4.0
"""Largest difference of efficiencies of a plateau, its fewest sizes and its reach."""

_GROWS: Final = 1.5
"""Factor by which a serial fraction grows where overhead limits a code."""

_NUMBERS: Final = (*("One", "Two", "Three", "Four"), *("Five", "Six", "Seven", "Eight"))

_BECAUSE: Final = {
    (
        Evidence.SLOPE,
        ScalingKind.STRONG,
    ): "it falls; --scaling weak if the problem grew",
    (Evidence.SLOPE, ScalingKind.WEAK): "it stays or grows; --scaling strong if not",
    (Evidence.SIZES, ScalingKind.STRONG): "problem size n stays the same",
    (Evidence.SIZES, ScalingKind.WEAK): "problem size n grows with {scale}",
    (Evidence.STATED, ScalingKind.STRONG): "as stated",
    (Evidence.STATED, ScalingKind.WEAK): "as stated",
}


def kind_words(scaled: ScanScaling) -> str:
    """Say the kind of scaling, how it is known, and how often each size was run."""
    scaling = scaled.scaling
    metric = scaled.metric.replace("_", " ")
    if scaling is None:
        return f"strong or weak scaling of {metric}?"
    if scaling.quantity is not Quantity.TIME:
        words = f"{metric}, higher is better; weak or strong makes no difference here"
    else:
        because = _BECAUSE[scaled.evidence, scaling.kind]
        because = because.format(scale=scaled.scale.many)
        words = f"{scaling.kind} scaling of {metric} ({because})"
    runs = sorted({row.runs for row in scaling.rows})
    if runs == [1]:
        return f"{words}, 1 run each: ± assumes 2 %"
    number = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]}–{runs[-1]}"
    return f"{words}, {number} runs each"


def speed_sentence(scaled: ScanScaling, region: str) -> str:
    """Say what the largest size gains; empty where nobody knows strong from weak.

    `On 32 nodes climate runs 6.87 × as fast as on 4: parallel efficiency 86 ± 2 %.`
    """
    scaling = scaled.scaling
    if scaling is None:
        return ""
    row = scaling.rows[-1]
    share = f"parallel efficiency {efficiency_text(row)} %"
    start = f"On {scaled.scale.counted(row.size)} {region}"
    base = f"on {scaling.base:,.10g}"
    if scaling.quantity is Quantity.TIME and scaling.kind is ScalingKind.WEAK:
        longer = significant(row.value.value / scaling.rows[0].value.value)
        work = significant(row.size / scaling.base)
        takes = f"takes {longer} × as long as {base}, for {work} × the work"
        return f"{start} {takes}: {share}."
    if row.speed_up < 1:
        slower = significant(1 / row.speed_up)
        return f"{start} runs {slower} × slower than {base}: {share}."
    return f"{start} runs {significant(row.speed_up)} × as fast as {base}: {share}."


def limits_sentence(scaled: ScanScaling) -> str:
    """Say up to which sizes the efficiency surely reaches each limit."""
    if scaled.scaling is None:
        return ""
    rows = scaled.scaling.rows
    return "  ".join(
        f"≥ {percent(largest.limit)} %: {_limit_words(scaled, rows, largest)}."
        for largest in scaled.scaling.largest
    )


def _limit_words(scaled: ScanScaling, rows: Sequence[SizeRow], largest: Largest) -> str:
    sure, limit = largest.sure, largest.limit
    if sure is rows[-1]:
        words = "not reached yet"
    else:
        beyond = rows[rows.index(sure) + 1]
        share = beyond.holds[limit]
        state = f"has {percent(beyond.efficiency.value)} %"
        if ASSUMED.surely_fails < share < scaled.level:
            state = f"is at the limit ({probability(share)})"
        up_to = f"up to {scaled.scale.counted(sure.size)}"
        certainty = f", {probability(sure.holds[limit])} sure"
        if sure is rows[0]:
            up_to, certainty = (
                f"at the base only, {scaled.scale.counted(sure.size)}",
                "",
            )
        words = f"{up_to}{certainty}; {beyond.size:,.10g} {state}"
    if dips := [row for row in largest.dips if row.size < sure.size]:
        words += f", but not at {', '.join(f'{row.size:,.10g}' for row in dips)}"
    return words


def next_sentence(scaled: ScanScaling) -> str:
    """Say which runs would tell most about the first limit; empty where none would."""
    scaling = scaled.scaling
    following = scaling and scaling.next_run
    if not following:
        return ""
    limit = percent(scaled.limits[0])
    hours = scaled.next_hours
    cost = f", {significant(hours)} {scaled.hours_unit}," if hours is not None else ""
    size = scaled.scale.counted(following.size)
    if following.kind is NextRunKind.EXTEND:
        forecast = scaled.next_forecast
        odds = ""
        if forecast is not None:
            odds = f" (forecast: {probability(forecast.holds[scaled.limits[0]])})"
        return (
            f"One more run on {size}{cost} would show whether the efficiency is still "
            f"above {limit} % there{odds}."
        )
    if following.kind is NextRunKind.BETWEEN:
        share = percent(following.efficiency or 0)
        return f"One run on {size}{cost} would narrow the gap (about {share} % there)."
    number = _NUMBERS[following.runs - 1]
    plural = "s" if following.runs > 1 else ""
    return (
        f"{number} more run{plural} on {size}{cost} would settle whether the "
        f"efficiency is above {limit} % there."
    )


def remarks(scaled: ScanScaling) -> Iterator[str]:
    """Say what the efficiencies tell besides: plateaus, the fastest, serial work."""
    scaling = scaled.scaling
    if scaling is None:
        return
    rows = scaling.rows
    if plateau := _plateau(rows):
        first, last = plateau[0], plateau[-1]
        shares = sorted(percent(row.efficiency.value) for row in plateau)
        span = shares[0] if shares[0] == shares[-1] else f"{shares[0]}–{shares[-1]}"
        words = (
            f"Plateau at {span} % from {first.size:,.10g} to "
            f"{scaled.scale.counted(last.size)}"
        )
        final = rows[-1].efficiency.value
        if final < plateau[-1].efficiency.value - FLAT:
            words += f", then falling to {percent(final)} %"
        yield f"{words}."
    is_strong = scaling.kind is ScalingKind.STRONG
    is_time = scaling.quantity is Quantity.TIME
    if is_strong:
        yield from stops_growing(scaled)
    above = [row for row in rows if row.efficiency.value > BEYOND_ALL]
    if above and all(each.doubt is not Doubt.SUPER_LINEAR for each in scaled.questions):
        size = scaled.scale.counted(above[0].size)
        yield (
            f"Super-linear at {size} ({percent(above[0].efficiency.value)} %), often "
            f"by caches; --base {above[0].size:.10g} compares with sizes like it."
        )
    fractions = [row.serial_fraction for row in rows if row.serial_fraction is not None]
    if is_strong and is_time and len(fractions) > 1 and min(fractions) > 0:
        grows = fractions[-1] > _GROWS * fractions[0]
        cause = (
            "it grows, so overhead limits the code"
            if grows
            else "serial or badly distributed work limits the code"
        )
        span = f"{100 * fractions[0]:.2g} → {100 * fractions[-1]:.2g}"
        yield f"Serial fraction {span} %: {cause}."


def stops_growing(scaled: ScanScaling) -> Iterator[str]:
    """Say beyond which size more of a scale does not make a code faster."""
    scaling = scaled.scaling
    if scaling is None:
        return
    fastest = max(scaling.rows, key=lambda row: row.speed_up)
    if fastest is not scaling.rows[-1]:
        is_time = scaling.quantity is Quantity.TIME
        gain = "run time does not fall" if is_time else "rate does not rise"
        yield f"Beyond {scaled.scale.counted(fastest.size)} the {gain} any more."


def _plateau(rows: Sequence[SizeRow]) -> Sequence[SizeRow]:
    """Return the longest stretch of sizes beyond the base of one efficiency."""
    best: Sequence[SizeRow] = ()
    for start in range(1, len(rows)):
        end = start
        shares: list[float] = []
        while end < len(rows):
            shares.append(rows[end].efficiency.value)
            if max(shares) - min(shares) > FLAT:
                break
            end += 1
        stretch = rows[start:end]
        reaches = len(stretch) >= FLAT_SIZES
        if reaches and stretch[-1].size >= FLAT_REACH * stretch[0].size:
            best = max(best, stretch, key=len)
    return best


QUESTIONS: Final = {
    Doubt.KIND: "Strong or weak? The {metric} falls less than strong and more than "
    "weak scaling would: --scaling strong or --scaling weak says it.",
    Doubt.SIZES: "Strong or weak? The problem size {subject} neither stays the same "
    "nor grows with {scale}: --scaling says it.",
    Doubt.PER_STEP: "No node-hours: the times are those of one {subject}; --steps N "
    "says how many a run has.",
    Doubt.RANKS: "No node-hours: {subject} are not cores or nodes; --per-node "
    "{subject}=N says how many a node has.",
    Doubt.PART_OF_NODE: "No core-hours: {sizes} {scale} may be a part of a node, which "
    "is charged as a whole and runs faster alone; --per-node cores=N tells full nodes, "
    "and compares with one.",
    Doubt.GPUS: "For node-hours, --per-node gpus=N says how many a node has.",
    Doubt.FAILED: "Runs that failed are left out: {value:g} at {sizes} {scale}{jobs}.",
    Doubt.MIXED: "Runs on {sizes} {scale} differ more than twofold: are these "
    "different problems, or restarts? --column configuration=NAME tells them apart; no "
    "node-hours until then.",
    Doubt.RESTARTS: "Jobs on {sizes} {scale} were restarted: are their times whole? "
    "No node-hours until such jobs are left out.",
    Doubt.SCALE: "--scale {subject} is no axis here, as it was not measured or is the "
    "same at several sizes: {scale} are.",
    Doubt.SUPER_LINEAR: "More than twice the ideal at {sizes} {scale}: was the problem "
    "the same?",
}
"""Questions by their doubt, each with the option that answers it."""


def questions(scaled: ScanScaling) -> Iterator[str]:
    """Ask for what is not known, each by name."""
    for question in scaled.questions:
        size, *more = question.sizes or (0.0,)
        counts = scaled.scale.singular if size == 1 and not more else scaled.scale.many
        yield QUESTIONS[question.doubt].format(
            metric=scaled.metric.replace("_", " "),
            subject=question.subject,
            value=question.value,
            jobs=f" (jobs {question.subject})" if question.subject else "",
            sizes=", ".join(f"{each:,.10g}" for each in question.sizes),
            scale=counts,
        )
