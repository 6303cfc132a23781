"""Comparisons in words."""

from markupsafe import Markup

from scalewatch.modelling import CONSTANT
from scalewatch.pages.wording.formats import count, percent, plural, significant
from scalewatch.pages.wording.mathematics import big_o, growth
from scalewatch.services.analysis.versions import Compared, comparison_words
from scalewatch.services.comparisons.values import ComparedRow, ComparedSides, SideKind


def comparison_sentence(shown: ComparedSides) -> str:
    """Sum up a comparison: where growth differs, and where only a factor does."""
    pairs = [each.against for row in shown.rows for each in row.places if each.against]
    apart = sum(pair.growth != CONSTANT for pair in pairs)
    alike = len(pairs) - apart
    noun = "region" if shown.kind is SideKind.MACHINE else "series"
    parts = []
    if pairs:
        parts.append(
            f"growth differs in {apart:,} of {plural(len(pairs), 'comparison')} with "
            f"{shown.sides[0].name}, and only a factor in {alike:,}"
        )
    parts += [
        f"{side.name} has not measured {plural(side.missing, noun)} of the others"
        for side in shown.sides
        if side.missing
    ]
    return "; ".join(parts) or "There is nothing that two of them have models of"


def row_sentence(shown: ComparedSides, row: ComparedRow) -> Markup:
    """Tell how the sides of one region differ, as the text of its plot."""
    first, *others = shown.sides
    text = Markup("<bdi>{}</bdi> grows like {} on <bdi>{}</bdi>").format(
        row.region, big_o(row.places[0].standing.growth), first.name
    )
    for side, place in zip(others, row.places[1:], strict=True):
        text += Markup(", like {} on <bdi>{}</bdi>").format(
            big_o(place.standing.growth), side.name
        )
        pair = place.against
        if pair is not None and pair.factor is not None:
            text += Markup(" with {} times the coefficient").format(
                significant(pair.factor)
            )
        elif pair is not None:
            text += Markup(", δ = {}").format(growth(pair.growth))
        if pair is not None and pair.crossing is not None:
            text += Markup("; the models cross at {} = {}").format(
                row.parameter, scale(pair.crossing)
            )
    return text + "."


def change_sentence(first: str, label: str, compared: Compared) -> Markup:
    """Tell what has changed between two commits, judged by all repetitions."""
    return Markup(
        "From <bdi>{}</bdi> to <bdi>{}</bdi>, by all repetitions: {}."
    ).format(first, label, comparison_words(compared, percent))


def scale(value: float) -> str:
    """Write a scale that a model predicts: no more digits than it can be trusted."""
    return significant(value) if value < 1e6 else f"10^{len(str(int(value))) - 1}"


def factor(value: float) -> str:
    """Write a ratio so that both directions look alike: `1.25 ×`, `1 / 1.25 ×`."""
    return f"{significant(value)} ×" if value < 1e4 else f"{count(round(value))} ×"
