"""What pages show: their sentences without markup, and the figures they ask for."""

import re
from collections.abc import Iterator
from html import unescape

import numpy as np
from fastapi.testclient import TestClient


def page_of(client: TestClient, path: str, **query: str) -> str:
    """Return the HTML of a page."""
    answer = client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return answer.text


def words_of(html: str) -> str:
    """Return the text of HTML."""
    return unescape(re.sub(r"<[^>]+>", "", html)).replace("\u200b", "")


def leads_of(page: str) -> list[str]:
    """Return the sentences that stand largest on a page."""
    return [
        words_of(lead)
        for lead in re.findall(r'<p class="lead">(.*?)</p>', page, re.DOTALL)
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
