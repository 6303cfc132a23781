"""Without scripts every page has its sentence, its table and its pictures."""

import re
from html import unescape

import pytest

from scalewatch import pages
from support.addresses import large_examples, page_addresses
from support.recorded import record, record_configurations, record_hydro
from support.shown_pages import words_of
from support.traced import wavefront

SENTENCE = re.compile(r"[A-Z0-9≥][^.?!]*\w[^.?!]*[.?!]|\d[\d,]* \w+")
"""A sentence, or what is counted."""

PROSE = frozenset(
    {
        *("account", "commit", "comparisons", "login", "settings", "start", "preview"),
        *(
            "settings-gate",
            "settings-tokens",
            "settings-webhooks",
            "hotspots",
            "traces",
        ),
    }
)
WORDLESS = frozenset({"docs", "embed", "search"})
NEEDLESS = {
    **{name: {"a table"} for name in PROSE},
    **{name: {"a sentence", "a table"} for name in WORDLESS},
}
"""By the name of a route, what forms, figures alone and empty pages do without.

The large project has neither profiles nor traces.
"""

MOST_BYTES = 400_000
"""Largest page of the project of real size, 40 regions on ten machines."""

OTHERS = {
    "/p/sweep/traces": lambda sessions: record(sessions, wavefront()),
    "/p/hydro/hotspots?held=distribution%3Dtiled": record_hydro,
    "/p/hybrid/scaling/configurations": record_configurations,
}
"""Pages that the large project does not have."""


def name_of(address):
    """Return the name of the route of an address."""
    path = address.partition("?")[0]
    return next(each.name for each in pages.routes if each.path_regex.match(path))


def lacking(client, address):
    """Return what a reader without scripts misses on a page."""
    page = client.get(address).text
    main = page[page.index("<main") : page.index("</main>")]
    shown = re.sub(
        r"<(script|template|style)\b.*?</\1>|hidden>", "", main, flags=re.DOTALL
    )
    lacks = []
    if not SENTENCE.search(words_of(shown)):
        lacks.append("a sentence")
    if not re.search(r"<table|<dl|<ol|<ul class", shown):
        lacks.append("a table")
    for figure in re.findall(r'data-figure="([^"]+)"', shown):
        picture = f"{figure}{'&amp;' if '?' in figure else '?'}format=svg"
        if f'src="{picture}"' not in shown.replace("&format", "&amp;format"):
            lacks.append(f"a picture of {figure}")
        elif not client.get(unescape(picture)).content.startswith(b"<svg"):
            lacks.append(f"the picture of {figure}")
    if len(page.encode()) > MOST_BYTES:
        lacks.append(f"less than {len(page.encode()):,} bytes")
    return lacks


def test_every_page_is_read_without_scripts(large_client):
    addresses = page_addresses(large_examples(large_client))

    found = {
        each: {*lacking(large_client, each)} - NEEDLESS.get(name_of(each), set())
        for each in addresses
    }

    assert len(found) > 40
    assert {each: what for each, what in found.items() if what} == {}


@pytest.mark.parametrize("address", OTHERS)
def test_pages_of_other_projects_are_read_without_scripts(client, sessions, address):
    OTHERS[address](sessions)

    assert lacking(client, address) == []
    assert "data-figure=" in client.get(address).text
