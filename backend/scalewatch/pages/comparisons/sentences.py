"""Comparisons in words."""

from collections.abc import Sequence
from math import ceil, expm1, log
from typing import Final

import numpy as np
from markupsafe import Markup

from scalewatch.modelling.versions.ratios import Crossing, Ratio
from scalewatch.pages.wording import formats, intervals, mathematics, sentences
from scalewatch.services.analysis.versions import Compared, comparison_words
from scalewatch.services.comparisons import values, winners
from scalewatch.services.comparisons.ratios import (
    MOST_RATIOS,
    RowRatios,
    known_ratios,
)
from scalewatch.services.series.scans import Scan
from scalewatch.texts.numbers import significant

TREND: Final = 1.1
"""Sides part or meet if their ratio changes by this factor over the settings."""

NARROW: Final = 1.25
"""Rows that are no further apart are said to be within so many per cent."""

MOST_NAMES: Final = 3
"""Rows that a sentence names; of more it tells the number."""


def comparison_sentences(
    shown: values.ComparedSides, duels: Sequence[winners.Duel]
) -> list[Markup]:
    """Name the winner of each pair of sides first, then what a side did not measure."""
    noun = "region" if shown.kind is values.SideKind.MACHINE else "series"
    fought = [duel for duel in duels if duel.rows]
    sentences = [duel_sentence(duel, noun) for duel in fought]
    if len(fought) > 1:
        sentences = [
            Markup("{} against {}: {}").format(
                formats.named(duel.first), formats.named(duel.other), said
            )
            for duel, said in zip(fought, sentences, strict=True)
        ]
    sentences += [
        Markup("{} has not measured {} of the others.").format(
            formats.named(side.name), formats.plural(side.missing, noun)
        )
        for side in shown.sides
        if side.missing
    ]
    if fought and len(shown.rows) > MOST_RATIOS:
        sentences.append(
            Markup("Ratios are of the {} of {} that lie most apart.").format(
                MOST_RATIOS, formats.plural(len(shown.rows), noun)
            )
        )
    if shown.has_one_setting and not fought:
        sentences = [*_farthest(shown), *sentences]
    return sentences or [Markup("No {} has a model on two of them.").format(noun)]


def _farthest(shown: values.ComparedSides) -> list[Markup]:
    """Name the value that is farthest from that of the first side."""
    ratios = [
        (row, side, place.ratio)
        for row in shown.rows
        for side, place in zip(shown.sides, row.places, strict=True)
        if place.ratio
    ]
    if not ratios:
        return []
    row, side, ratio = max(ratios, key=lambda farther: abs(log(farther[2])))
    return [
        Markup("{} is {} on {} than on {}, by measured medians.").format(
            _named(row),
            intervals.factor_words(ratio, shown.metric, {}),
            formats.named(side.name),
            formats.named(shown.sides[0].name),
        )
    ]


def worst_headline(
    shown: values.ComparedSides,
    duels: Sequence[winners.Duel],
    ratios: Sequence[RowRatios],
) -> Markup | None:
    """Name the row with the largest sure effect, its factor and scale, then the rest.

    Of several sides that is the row of the worst pair.

    Returns
    -------
    Markup or None
        `MPI_Alltoall is 3.9× slower on lumi at p = 128 and growing; the other 39
        regions are within 6 %.` None where no difference is sure.
    """
    wins = [
        (win, place)
        for place, duel in enumerate(duels)
        for win in (*duel.first_wins, *duel.other_wins)
    ]
    if not wins:
        return None
    worst, place = max(wins, key=lambda win: abs(log(win[0].ratio.at_largest)))
    duel, ratio = duels[place], worst.ratio
    is_other = worst in duel.first_wins
    loser, winner = (duel.other, duel.first)[:: 1 if is_other else -1]
    factor = ratio.at_largest if is_other else 1 / ratio.at_largest
    noun = "region" if shown.kind is values.SideKind.MACHINE else "series"
    others = [each for row, each in known_ratios(ratios, place) if row is not worst.row]
    return Markup("{} is {} on {}{} at {}{}{}.").format(
        _named(worst.row),
        intervals.factor_words(factor, shown.metric, {}),
        formats.named(loser),
        Markup(" than on {}").format(formats.named(winner)) if len(duels) > 1 else "",
        intervals.scale_words({worst.row.parameter: ratio.largest}),
        _trend(ratio),
        _rest(duel, worst, noun, others),
    )


def _trend(ratio: Ratio) -> str:
    """Say whether the sides part or meet, from the smallest to the largest setting."""
    start = float(np.interp(ratio.settings.min(), ratio.x, np.log(ratio.value)))
    parted = abs(log(ratio.at_largest)) - abs(start)
    if abs(parted) < log(TREND):
        return ""
    return " and growing" if parted > 0 else " and shrinking"


def _rest(
    duel: winners.Duel, worst: winners.Win, noun: str, others: Sequence[Ratio]
) -> Markup:
    """Tell in one clause how the other rows fare."""
    if not others:
        return Markup()
    number = len(others)
    rest = f"the other {formats.plural(number, noun)}" if number > 1 else "the other"
    worse = [
        (sum(win is not worst for win in rows), formats.named(loser))
        for loser, rows in (
            (duel.other, duel.first_wins),
            (duel.first, duel.other_wins),
        )
    ]
    sides = [side for side in worse if side[0]]
    if len(sides) == 1 and sides[0][0] == number:
        words = Markup("; {} {} worse on {}, too")
        return words.format(rest, "are" if number > 1 else "is", sides[0][1])
    if sides:
        listed = formats.listed([Markup("{} on {}").format(*side) for side in sides])
        return Markup("; of {}, worse are {}").format(rest, listed)
    apart = max(abs(log(ratio.at_largest)) for ratio in others)
    if apart > log(NARROW):
        return Markup("; {} {} not surely apart").format(
            rest, "are" if number > 1 else "is"
        )
    return Markup("; {} {} within {} %").format(
        rest, "are" if number > 1 else "is", max(1, ceil(100 * expm1(apart)))
    )


def duel_sentence(duel: winners.Duel, noun: str) -> Markup:
    """Name who is better, in how many of all, from where, and how surely."""
    all_rows = formats.plural(duel.rows, noun)
    sides = [(duel.first, duel.first_wins), (duel.other, duel.other_wins)]
    sides.sort(key=lambda side: len(side[1]), reverse=True)
    (winner, wins), (loser, losses) = sides
    parts = []
    if wins:
        parts.append(
            Markup("{} is better in {} of {} {}").format(
                formats.named(winner), len(wins), all_rows, _extent(wins)
            )
        )
    else:
        verdict = "no winner is sure" if duel.unsure else "no difference counts"
        parts.append(
            Markup("Between {} and {} {}").format(
                formats.named(duel.first), formats.named(duel.other), verdict
            )
        )
    if losses:
        parts.append(
            Markup("{} in {} ({}) {}").format(
                formats.named(loser),
                len(losses),
                _names([win.row for win in losses]),
                _extent(losses),
            )
        )
    parts += [*_beyond(duel), *_even(duel, noun)]
    return Markup("{}.").format(Markup("; ").join(parts))


def _extent(wins: Sequence[winners.Win]) -> Markup:
    """Say from which scale on all of these wins hold, and with which probability."""
    start = max(win.lead.start for win in wins)
    parameter = wins[0].row.parameter
    probability = formats.percent(min(win.lead.probability for win in wins))
    return Markup("from {} = {} on (probability {})").format(
        parameter, scale(start), probability
    )


def _beyond(duel: winners.Duel) -> list[Markup]:
    """Name rows whose lead may end beyond the largest setting that was measured."""
    wins = [
        win for win in (*duel.first_wins, *duel.other_wins) if win.ratio.is_open_beyond
    ]
    if not wins:
        return []
    return [
        Markup("not sure beyond {} = {} in {} ({})").format(
            wins[0].row.parameter,
            scale(min(win.ratio.largest for win in wins)),
            len(wins),
            _names([win.row for win in wins]),
        )
    ]


def _even(duel: winners.Duel, noun: str) -> list[Markup]:
    """Name rows that differ by a constant alone, and those where nothing is sure."""
    parts = []
    few = len(duel.constant) <= MOST_NAMES
    if few:
        parts += [
            Markup("{} differs by a constant {}").format(_named(row), factor(ratio))
            for row, ratio in duel.constant
        ]
    else:
        parts.append(
            Markup("{} differ by a constant of at most {}").format(
                formats.plural(len(duel.constant), noun),
                formats.percent(duel.negligible),
            )
        )
    if duel.unsure and (duel.first_wins or duel.other_wins):
        parts.append(
            Markup("none is surely better in {} ({})").format(
                len(duel.unsure), _names(duel.unsure)
            )
        )
    return parts


def _names(rows: Sequence[values.ComparedRow]) -> Markup:
    shown = [_named(row) for row in rows[:MOST_NAMES]]
    if len(rows) > MOST_NAMES:
        shown.append(Markup("{} more").format(len(rows) - MOST_NAMES))
    return formats.listed(shown)


def _named(row: values.ComparedRow) -> Markup:
    region = formats.named(row.region)
    if row.machine is None:
        return region
    return Markup("{} on {}").format(region, formats.named(row.machine))


def crossing_words(crossing: Crossing, ratio: Ratio, parameter: str) -> str:
    """Write where two sides are equal, with its interval: `p = 129 [64, 300]`."""
    low = scale(crossing.low) if crossing.low else f"< {scale(float(ratio.x[0]))}"
    high = scale(crossing.high) if crossing.high else f"> {scale(float(ratio.x[-1]))}"
    return f"{parameter} = {scale(crossing.at)} [{low}, {high}]"


def row_sentence(
    shown: values.ComparedSides,
    row: values.ComparedRow,
    scans: Sequence[tuple[str, Scan]] = (),
) -> Markup:
    """Tell how the sides of one region differ, as the text of its plot.

    Parameters
    ----------
    scans
        Its measurements with the names of their sides: what times gain that fall.
    """
    gained = Markup().join(
        sentences.falling_sentence(scan, side) for side, scan in scans
    )
    places = [*zip(shown.sides, row.places, strict=True)]
    grown = [place for place in places if place[1].standing.nearest is not None]
    sides = Markup("; ").join(
        [
            *([_growths(row, grown)] if grown else []),
            *(
                Markup("on {} it {}").format(
                    formats.named(side.name),
                    sentences.WITHOUT_MODEL[place.standing.state]
                    .format(
                        points=formats.plural(place.standing.points, "coordinate"),
                        reason=place.standing.reason or "no reason given",
                    )
                    .removesuffix("."),
                )
                for side, place in places
                if (side, place) not in grown
            ),
        ]
    )
    between = " " if grown else ": "
    return Markup("{}{}{}{}.").format(gained, formats.named(row.region), between, sides)


def _growths(
    row: values.ComparedRow,
    grown: Sequence[tuple[values.ComparedSide, values.ComparedSeries]],
) -> Markup:
    """Tell how a region grows on each side that has a model of it."""
    text = Markup()
    for number, (side, place) in enumerate(grown):
        text += Markup("{}{} on {}").format(
            ", " if number else "",
            mathematics.grows_like(place.standing),
            formats.named(side.name),
        )
        pair = place.against
        if pair is not None and pair.factor is not None:
            text += Markup(" with {} times the coefficient").format(
                significant(pair.factor)
            )
        elif pair is not None:
            text += Markup(", δ = {}").format(mathematics.growth(pair.growth))
        if pair is not None and pair.crossing is not None:
            text += Markup("; the models cross at {} = {}").format(
                row.parameter, scale(pair.crossing)
            )
    return text


def versions_sentence(first: str, label: str, compared: Compared) -> Markup:
    """Tell what has changed between two commits, judged by all repetitions."""
    return Markup(
        "From <bdi>{}</bdi> to <bdi>{}</bdi>, by all repetitions: {}."
    ).format(first, label, comparison_words(compared, formats.percent))


def scale(value: float) -> str:
    """Write a scale: exactly if it is whole, else as far as a model can be trusted."""
    if value < 1e6 and float(value).is_integer():
        return formats.count(value)
    return significant(value) if value < 1e6 else f"10^{len(str(int(value))) - 1}"


def factor(value: float) -> str:
    """Write a ratio so that both directions look alike: `1.25 ×`, `1 / 1.25 ×`."""
    return (
        f"{significant(value)} ×" if value < 1e4 else f"{formats.count(round(value))} ×"
    )
