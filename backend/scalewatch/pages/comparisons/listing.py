"""Comparisons as listings for download."""

from scalewatch.exporters.listing import Listing
from scalewatch.pages.wording.formats import assignments, settings, significant
from scalewatch.pages.wording.growths import found_order
from scalewatch.pages.wording.sentences import SYMBOLS
from scalewatch.services.comparisons.values import ComparedSeries, ComparedSides


def places(shown: ComparedSides) -> Listing:
    """Return a comparison with one line per region and side."""
    return Listing(
        (
            "region",
            "machine",
            "configuration",
            "side",
            "state",
            "growth",
            "model",
            "verdict",
            "growth_ratio",
            "coefficient_ratio",
            "crossing",
            "measured_ratio",
            "measured_at",
        ),
        [
            (
                row.region,
                row.machine,
                assignments(row.configuration),
                side.name,
                place.standing.state,
                place.standing.growth,
                place.standing.model and place.standing.model.formula,
                place.standing.verdict,
                place.against and place.against.growth,
                place.against and place.against.factor,
                place.against and place.against.crossing,
                place.ratio,
                place.at,
            )
            for row in shown.rows
            for side, place in zip(shown.sides, row.places, strict=True)
        ],
    )


def side_by_side_overview(shown: ComparedSides) -> Listing:
    """Return a comparison with a line per region and a column per side."""
    return Listing(
        (
            "Region",
            *(["Machine"] if shown.rows and shown.rows[0].machine else []),
            *(side.name for side in shown.sides),
        ),
        [
            (
                " ".join((row.region, settings(row.configuration))).strip(),
                *([row.machine] if row.machine else []),
                *map(_place, row.places),
            )
            for row in shown.rows
        ],
    )


def _place(place: ComparedSeries) -> str:
    standing, pair = place.standing, place.against
    if standing.growth is None:
        return str(standing.state)
    mark = f"{SYMBOLS[standing.mark]} " if standing.mark else ""
    parts = [mark + found_order(standing)]
    if pair is not None and pair.factor is not None:
        parts.append(f"× {significant(pair.factor)}")
    elif pair is not None:
        parts.append(f"δ {pair.growth.unicode()}")
    if pair is not None and pair.crossing is not None:
        parts.append(f"crossing at {significant(pair.crossing)}")
    return ", ".join(parts)
