"""The address of every page, found in the application itself.

A page that is added is visited by all that visits every page: the checks for
accessibility, the screenshots, the benchmark.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import quote

from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from scalewatch import pages
from support.large_project import PROJECT

NO_PAGES: Final = re.compile(
    r"^/(api|static|healthz|docs)|\.(svg|xml|atom|gp)$|/events$"
)
"""What is for programs, streams without end, or is made by somebody else."""

NO_HTML: Final = frozenset({"asset", "cause", "moved", "payload"})
"""Routes that answer with something else than a page, or to which others lead."""

EXAMPLES: Final[Mapping[str, str]] = {
    "project": PROJECT,
    "region": "mesh::find_neighbours",
    "machine": "juwels",
    "subjects": "juwels...lumi",
    "figure": "scaling",
    "number": "1",
}
"""What stands in paths of the large project; its commits and runs are looked up."""

NEEDED: Final[Mapping[str, str]] = {
    "embed": "?region=mesh%3A%3Afind_neighbours&machine=juwels"
}
"""What a page cannot be asked for without, by the name of its route."""

Variants = Mapping[str, tuple[str, ...]]

VARIANTS: Final[Variants] = {
    "cost": ("?machine=supermuc&target=65536",),
    "history": ("?region=mesh%3A%3Afind_neighbours",),
    "preview": ("?machine=juwels&growth=p%5E(1/3)",),
    "region": ("?machine=juwels", "?machine=juwels&target=65536"),
    "report": ("?metric=memory", "?view=table"),
    "scaling-errors": ("?kind=weak",),
}
"""Further views of a page, by the name of its route."""


def page_addresses(
    examples: Mapping[str, str],
    needed: Mapping[str, str] = NEEDED,
    variants: Variants = VARIANTS,
) -> Iterator[str]:
    """Yield an address of every page, and further views of some.

    Parameters
    ----------
    examples
        What stands for each name in a path.
    needed, variants
        Queries by the name of a route: without which it has no page, of further views.
    """
    for route in _pages():
        names = re.findall(r"{(\w+)(?::\w+)?}", route.path)
        for name in names:
            assert name in examples, f"{route.path}: add an example of {name!r} here"
        path = re.sub(
            r"{(\w+)(?::\w+)?}",
            lambda found: quote(examples[found[1]], safe=""),
            route.path,
        )
        yield path + needed.get(route.name, "")
        for variant in variants.get(route.name, ()):
            yield path + variant


def large_examples(client: TestClient) -> dict[str, str]:
    """Return what stands in the paths of pages of the large project."""
    base = f"/api/v1/projects/{PROJECT}"
    newest = client.get(f"{base}/commits").json()["commits"][0]["sha"]
    shown = client.get(
        f"/p/{PROJECT}/r/{quote(EXAMPLES['region'], safe='')}",
        params={"machine": EXAMPLES["machine"], "format": "json"},
    ).json()
    run = shown["scans"][0]["measurements"][-1]["run"]
    return {
        **EXAMPLES,
        "sha": newest,
        "commit": newest,
        "reference": newest,
        "run": run,
    }


def _pages() -> Iterator[APIRoute]:
    for route in pages.routes:
        assert isinstance(route, APIRoute)
        is_read = "GET" in route.methods and not NO_PAGES.search(route.path)
        if is_read and route.name not in NO_HTML:
            yield route
