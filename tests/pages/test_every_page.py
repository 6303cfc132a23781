"""Every page of the application answers, has a title, and gives its data."""

import html
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


def test_every_figure_has_a_picture_and_can_be_embedded(large_client, addresses):
    pages = {address: large_client.get(address).text for address in addresses}
    figures = {
        html.unescape(figure): page
        for page in pages.values()
        for figure in re.findall(r'data-figure="([^"]+)"', page)
    }
    pictures = {figure: large_client.get(f"{figure}&format=svg") for figure in figures}

    assert len(pictures) > 10
    assert {each.headers["content-type"] for each in pictures.values()} == {
        "image/svg+xml"
    }
    assert [each for each, got in pictures.items() if "hydro" not in got.text] == []
    for figure, page in figures.items():
        source = html.escape(f"{figure}&format=svg")
        assert f'<noscript><img class="figure__picture" src="{source}"' in page
        assert f'<a href="{source}" download=' in page


def test_snippets_hold_whole_addresses(large_client):
    page = large_client.get("/p/hydro/r/mesh::refine?machine=juwels").text

    frame, picture = re.findall(r'<input readonly value="([^"]+)">', page)[:2]

    source = re.search(r'src="([^"]+)"', html.unescape(frame))[1]
    assert source.startswith("http://")
    assert "<main>" in large_client.get(source).text
    shown = re.match(r"\[!\[[^]]+\]\(([^)]+)\)\]\(([^)]+)\)$", html.unescape(picture))
    assert large_client.get(shown[1]).headers["content-type"] == "image/svg+xml"
    assert shown[2] == source
