"""The rows of the map of regions × commits, as HTML.

A map has hundreds of them: written here they cost a fifth of what a template takes. All
that people have named is escaped; the rest is our own.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from functools import lru_cache
from typing import Final

from markupsafe import Markup, escape

from scalewatch.pages.histories.heat import Edge, Era, HeatMap, HeatRow
from scalewatch.pages.wording.formats import breakable, settings

Address = Callable[[str], str]

NONE: Final = frozenset[str]()


def commit_map_rows(heat: HeatMap, region_of: Address, report_of: Address) -> Markup:
    """Write a row for each region: its name, and its growth classes over commits.

    Parameters
    ----------
    region_of, report_of
        Return the address of the history of a region, and of the report of a commit.
    """
    baselines = "".join(
        f'<line class="commit-map__baseline" x1="{x:.1f}" x2="{x:.1f}" y2="10"></line>'
        for x in heat.baselines
    )
    telling = _telling(heat.rows)
    rows = [
        _row(row, baselines, region_of, report_of, telling.get(row.series.region, NONE))
        for row in heat.rows
    ]
    return Markup("\n".join(rows))  # noqa: S704, its parts are escaped


def _telling(rows: Iterable[HeatRow]) -> dict[str, frozenset[str]]:
    """Return the names of the settings in which the rows of a region differ."""
    known = defaultdict(list)
    for row in rows:
        known[row.series.region].append(row.series.configuration)
    return {
        region: frozenset(
            name
            for name in set().union(*held)
            if len({str(each.get(name)) for each in held}) > 1
        )
        for region, held in known.items()
        if len(held) > 1
    }


def _row(
    row: HeatRow,
    baselines: str,
    region_of: Address,
    report_of: Address,
    telling: Collection[str],
) -> str:
    name, sentence = escape(row.series.region), escape(row.sentence)
    told = {key: row.series.configuration.get(key, "–") for key in sorted(telling)}
    held = whole = ""
    if told:
        whole = f" {escape(settings(told))}"
        text = breakable(settings(told))
        held = f' <span class="commit-map__held quiet small">{text}</span>'
    exact = ' <span class="quiet small">exact</span>' if row.series.is_exact else ""
    role = "group" if row.edges else "img"
    edges = "".join([_edge(each, report_of(each.label)) for each in row.edges])
    return (
        f'<tr><th scope="row"><a href="{escape(region_of(row.series.region))}" '
        f'title="{name}{whole}: {sentence}"><bdi>{name}</bdi></a>{held}{exact}</th>'
        '<td><svg class="commit-map__row" viewBox="0 0 1000 10" '
        f'preserveAspectRatio="none" role="{role}" aria-label="{sentence}">'
        f"{_eras(row.eras)}{baselines}{edges}</svg></td></tr>"
    )


# Cached: most regions of a machine were measured at the same commits.
@lru_cache(maxsize=1024)
def _eras(eras: tuple[Era, ...]) -> str:
    return "".join(
        f'<rect class="{_era_class(era)}" x="{era.x:.1f}" width="{era.width:.1f}" '
        'height="10"></rect>'
        for era in eras
    )


def _era_class(era: Era) -> str:
    growth = f" growth--{era.growth_class.step}" if era.growth_class else ""
    return f"commit-map__era{growth}"


def _edge(edge: Edge, address: str) -> str:
    title = escape(edge.title)
    worse = " commit-map__edge--worse" if edge.is_worse else ""
    return (
        f'<a href="{escape(address)}" aria-label="{title}">'
        f'<rect class="commit-map__edge{worse}" x="{edge.x - 1.5:.1f}" width="5" '
        f'height="10"><title>{title}</title></rect></a>'
    )
