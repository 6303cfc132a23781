"""Whom to suspect where regions diverge, in a sentence for each suspicion."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from markupsafe import Markup, escape

from scalewatch.modelling import Attribution, Suspect
from scalewatch.pages.wording.formats import listed, plural
from scalewatch.pages.wording.mathematics import big_o

MOST_NAMES: Final = 4
"""Regions and machines that a sentence names; of more it tells the number."""

CODE: Final = Markup(
    "<strong>Likely the code, not the platform:</strong> the litmus test "
    "<bdi>{litmus}</bdi> scales as expected where these scale worse: {places}."
)
PLATFORM: Final = Markup(
    "<strong>Likely the platform:</strong> on <bdi>{machine}</bdi> the litmus test "
    "<bdi>{litmus}</bdi> grows like {growth} instead of {expected}, although its "
    "algorithm is known: check network, placement and neighbours.{explained}"
)
COLUMN: Final = Markup(
    "<strong>Likely the platform:</strong> on <bdi>{machine}</bdi>, {regions} scale "
    "worse than promised, and as promised elsewhere."
)
ROW: Final = Markup(
    "<strong>Likely the code:</strong> <bdi>{region}</bdi> scales worse than promised "
    "on {machines}: check its algorithm, its implementation or the promise {expected}."
)


def suspicion_sentences(suspicions: Sequence[Attribution]) -> list[Markup]:
    """Say whom to suspect; machines whose litmus tests agree share a sentence."""
    cleared: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for each in suspicions:
        if each.suspect is Suspect.LIBRARY and each.litmus is not None:
            for region in _regions(each):
                cleared[each.litmus][region].append(each.subject)
    told = {region for places in cleared.values() for region in places}
    return [
        *(_of_code(litmus, places) for litmus, places in cleared.items()),
        *_others(suspicions, told),
    ]


def _of_code(litmus: str, places: Mapping[str, Sequence[str]]) -> Markup:
    parts = [
        Markup("<bdi>{}</bdi> on {}").format(region, _named(machines, "machine"))
        for region, machines in places.items()
    ]
    shown = parts[:MOST_NAMES]
    if len(parts) > MOST_NAMES:
        shown.append(escape(plural(len(parts) - MOST_NAMES, "more region")))
    return CODE.format(litmus=litmus, places=listed(shown))


def _others(suspicions: Iterable[Attribution], told: set[str]) -> Iterator[Markup]:
    """Yield suspicions of platforms, and of regions that no litmus test told of."""
    for each in suspicions:
        first = each.cells[0]
        if each.suspect is Suspect.PLATFORM and each.litmus is None:
            regions = _named(_regions(each), "region")
            yield COLUMN.format(machine=each.subject, regions=regions)
        elif each.suspect is Suspect.PLATFORM:
            others = [name for name in _regions(each) if name != each.litmus]
            explains = Markup(" It would explain {}.")
            yield PLATFORM.format(
                machine=each.subject,
                litmus=each.litmus,
                growth=big_o(first.growth),
                expected=big_o(first.expectation),
                explained=explains.format(_named(others, "region")) if others else "",
            )
        elif each.litmus is None and each.subject not in told:
            machines = _named([cell.machine for cell in each.cells], "machine")
            yield ROW.format(
                region=each.subject,
                machines=machines,
                expected=big_o(first.expectation),
            )


def _regions(suspicion: Attribution) -> list[str]:
    return list(dict.fromkeys(cell.region for cell in suspicion.cells))


def _named(names: Sequence[str], noun: str) -> Markup:
    """Name a few things, or say how many they are."""
    if len(names) > MOST_NAMES:
        return Markup('<span title="{}">{}</span>').format(
            ", ".join(names), plural(len(names), noun)
        )
    return listed([Markup("<bdi>{}</bdi>").format(name) for name in names])
