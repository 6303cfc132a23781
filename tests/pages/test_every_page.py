"""Every page of the application answers, has a title, and gives its data."""

import re

import pytest

from scalewatch import pages
from support.addresses import large_examples, page_addresses

TYPES = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex",
}
WITHOUT_DATA = frozenset(
    {"account", "commit", "comparisons", "docs", "embed", "glossary", "login", "start"}
)
"""Pages of forms and of prose, and one that leads on, by the name of their route."""


@pytest.fixture(scope="module")
def addresses(large_client):
    return [*page_addresses(large_examples(large_client))]


def name_of(address):
    """Return the name of the route of an address."""
    path = address.partition("?")[0]
    return next(each.name for each in pages.routes if each.path_regex.match(path))


def test_every_page_answers_and_has_a_title(large_client, addresses):
    titles = {}
    for address in addresses:
        answer = large_client.get(address)
        title = re.search(r"<title>([^<]+)</title>", answer.text)
        titles[address] = answer.status_code, bool(title and title[1].strip())

    assert {each: said for each, said in titles.items() if said != (200, True)} == {}


@pytest.mark.parametrize("form", TYPES)
def test_every_page_with_data_gives_it_to_programs(large_client, addresses, form):
    kinds = {}
    for address in addresses:
        # A preview has nothing to give before somebody types.
        is_empty = address.endswith("/expectation")
        if name_of(address) not in WITHOUT_DATA and not is_empty:
            mark = "&" if "?" in address else "?"
            answer = large_client.get(f"{address}{mark}format={form}")
            kinds[address] = answer.headers["content-type"]

    assert len(kinds) > 20
    assert {each: kind for each, kind in kinds.items() if kind != TYPES[form]} == {}
