"""What pages show: their sentences without markup, and the figures they ask for."""

import re
from collections.abc import Callable, Iterator
from html import unescape
from typing import Final

import numpy as np
import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

MOST_CHANGES: Final = 10
"""So often may a page change in a row while something is asked about it."""


def page_of(client: TestClient, path: str, **query: str) -> str:
    """Return the HTML of a page."""
    answer = client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return answer.text


def of_one_moment(
    client: TestClient, address: str, ask: Callable[[Response], Response]
) -> tuple[Response, Response]:
    """Return a page, and what `ask` is answered while the page stays the same.

    Pages say how long ago something was, at first in seconds.
    """
    for _ in range(MOST_CHANGES):
        page = client.get(address)
        answer = ask(page)
        if client.get(address).content == page.content:
            return page, answer
    pytest.fail(f"{address} is another page whenever one asks for it")


def words_of(html: str) -> str:
    """Return the text of HTML."""
    return unescape(re.sub(r"<[^>]+>", "", html)).replace("\u200b", "")


def leads_of(page: str) -> list[str]:
    """Return the sentences that stand largest on a page."""
    return [
        words_of(lead)
        for lead in re.findall(
            r'<p class="lead(?: lead--wide)?">(.*?)</p>', page, re.DOTALL
        )
    ]


def figures_of(client: TestClient, page: str) -> Iterator[tuple[str, dict]]:
    """Yield name and content of each figure that a page asks for."""
    for address in re.findall(r'data-figure="([^"]+)"', page):
        answer = client.get(unescape(address))
        assert answer.status_code == 200, answer.text
        yield address.split("?")[0].rsplit("/", 1)[-1], answer.json()


def figure_of(client: TestClient, page: str, name: str) -> dict:
    """Return the figure of a name that a page asks for."""
    return next(figure for found, figure in figures_of(client, page) if found == name)


def traces(figure: dict, name: str) -> list[dict]:
    """Return the traces whose names begin so."""
    return [
        each for each in figure["data"] if (each.get("name") or "").startswith(name)
    ]


def numbers(values) -> np.ndarray:
    """Return the numbers of a trace."""
    return np.array(values, dtype=float)
