"""What differences between profiles mean, in sentences."""

from markupsafe import Markup

from scalewatch.modelling import ScanStep
from scalewatch.pages.scaling_errors_sentences import share
from scalewatch.pages.wording.formats import breakable, plural, sentence
from scalewatch.services.hotspots.scans import Hotspots, HotspotScan, setting_key

NO_JUMP = Markup(
    "The profile keeps its proportions over {over}: none of {steps} differs."
)

JUMP = Markup(
    "The profile changes at {over} = {after}: <bdi>{function}</bdi> went from "
    "{before_share} to {after_share} of the time{more}."
)

COMPARED = Markup(" {name}: {jumps} there.")


def hotspots_sentence(shown: Hotspots) -> Markup:
    """Tell whether the profile changes, and what explains the largest change."""
    scan = shown.chosen
    if scan is None:
        return Markup("")
    if scan.reason is not None:
        return Markup("{}").format(sentence(scan.reason))
    said = _said(shown, scan)
    if shown.other is not None:
        name = shown.alternatives.get(shown.question.vs or "", shown.other.machine)
        changes = _changes(shown.other)
        said += COMPARED.format(name=name, jumps=shown.other.reason or changes)
    return said


def _said(shown: Hotspots, scan: HotspotScan) -> Markup:
    over = shown.question.over
    if not scan.jumps:
        return NO_JUMP.format(over=over, steps=plural(len(scan.steps), "comparison"))
    step, first = shown.step, shown.movements[0] if shown.movements else None
    if step is None or first is None or not step.is_significant:
        return Markup("The profile has {} over {}.").format(_changes(scan), over)
    others = len(scan.jumps) - 1
    return JUMP.format(
        over=over,
        after=setting_key(step.after),
        function=breakable(first.function),
        before_share=share(first.share_before),
        after_share=share(first.share_after),
        more=f", and {plural(others, 'other step')} changed it as well"
        if others
        else "",
    )


def _changes(scan: HotspotScan) -> str:
    number = len(scan.jumps)
    return plural(number, "significant change") if number else "no significant change"


def remarks(step: ScanStep) -> str:
    """Tell what numbers do not: significance, functions of one profile only."""
    said = ["significant"] if step.is_significant else []
    difference = step.difference
    if difference.reason:
        said.append(difference.reason)
    for names, words in (
        (difference.only_first, "only before"),
        (difference.only_second, "only after"),
    ):
        if names:
            listed = ", ".join(names[:3])
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            said.append(f"{words}: {listed}{more}")
    return "; ".join(said)
