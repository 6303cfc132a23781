"""What no growth explains has neither growth nor odds, on any page, in any export."""

import csv
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from support.addresses import page_addresses
from support.builders import sweep_reports
from support.recorded import record
from support.shown_pages import words_of

PROCESSES = (2, 4, 8, 16, 32, 64)
PROJECT = "shapes"
ORDER = re.compile(r"O\([^)]*\)+")
EXPECTED = {"O(p²)", "O(p2)", "O(n log n / p)"}
"""The expected growth, in two notations, and the example of the form."""
PROSE = re.compile(r"^/(glossary|methods|docs|login)?(\?|$)|/expectation(\?|$)")
"""Pages that explain growths, and the form in which one is declared."""

NEWEST = f"{4:040x}"
SERVED = (
    *("report", "regressions", "commits", "machines", "guidelines"),
    *("history?region=valley", "history?region=saw", "changes", "models?target=p=256"),
    *(
        "compare?a=jureca&b=lumi",
        f"compare?a={1:040x}&b={NEWEST}",
        f"gate?commit={NEWEST}",
    ),
)
"""Answers of the API about a project."""


def valley(p: float) -> float:
    """Fall as steeply as it rises again."""
    return 1e-3 * (abs(np.log2(p) - 3.5) + 0.2) ** 2


def saw(p: float) -> float:
    """Jump between two modes."""
    return 1e-3 if p in {4, 16, 64} else 1e-4


@pytest.fixture
def posted(client, sessions, work_off):
    """Four commits of two machines, of which no growth explains anything."""
    for number in range(4):
        for name, seed in (("jureca", 1), ("lumi", 2)):
            record(
                sessions,
                sweep_reports(
                    PROCESSES,
                    {"valley": valley, "saw": saw},
                    repetitions=5,
                    seed=10 * number + seed,
                    project=PROJECT,
                    commit={
                        "sha": f"{number + 1:040x}",
                        "parents": [f"{number:040x}"] if number else [],
                        "committed_at": f"2026-08-0{number + 1}T12:00:00Z",
                    },
                    machine={"name": name, "fingerprint": {"cores": 128}},
                ),
            )
    told = {
        "author": "ada",
        "expectations": [{"region": "valley", "growth": "O(p^2)"}],
    }
    answer = client.put(f"/api/v1/projects/{PROJECT}/expectations", json=told)
    assert answer.is_success
    work_off()
    return client


@pytest.fixture
def addresses(posted):
    shown = posted.get(
        f"/p/{PROJECT}/r/valley", params={"machine": "jureca", "format": "json"}
    ).json()
    examples = {
        "project": PROJECT,
        "region": "valley",
        "machine": "jureca",
        "subjects": "jureca...lumi",
        "figure": "scaling",
        "number": "1",
        "sha": NEWEST,
        "commit": NEWEST,
        "reference": NEWEST,
        "run": shown["scans"][0]["measurements"][-1]["run"],
    }
    variants = {
        "history": ("?region=valley", "?show=exponent", "?region=saw&machine=lumi"),
        "region": ("?machine=jureca", "?machine=jureca&target=256"),
        "report": ("?view=table", "?view=heat"),
        "cost": ("?machine=jureca&target=256",),
    }
    needed = {"embed": "?region=valley&machine=jureca"}
    base = f"/p/{PROJECT}"
    return [
        *page_addresses(examples, needed, variants),
        f"{base}/r/saw",
        f"{base}/compare/{1:040x}...{NEWEST}",
    ]


def test_no_page_tells_a_growth_of_it(posted, addresses):
    told = {}
    feeds = [f"/p/{PROJECT}/feed.atom", f"/p/{PROJECT}/regressions.atom"]
    for address in [*addresses, *feeds]:
        if PROSE.search(address):
            continue
        answer = posted.get(address)
        if answer.status_code == 200:
            orders = {*ORDER.findall(words_of(answer.text))} - EXPECTED
            told[address] = orders

    assert len(told) > 20
    assert {each: orders for each, orders in told.items() if orders} == {}


def test_no_export_tells_a_growth_or_odds_of_it(posted, addresses):
    told = {}
    for address in addresses:
        mark = "&" if "?" in address else "?"
        answer = posted.get(f"{address}{mark}format=json")
        if answer.headers["content-type"].startswith("application/json"):
            told[address] = [*claims(answer.json())]
    for name in SERVED:
        answer = posted.get(f"/api/v1/projects/{PROJECT}/{name}")
        assert answer.status_code == 200, (name, answer.text)
        told[name] = [*claims(answer.json())]

    assert {each: found for each, found in told.items() if found} == {}


def test_no_table_of_an_export_tells_a_growth_of_it(posted, addresses):
    told = {}
    for address in [*addresses, f"/api/v1/projects/{PROJECT}/models"]:
        mark = "&" if "?" in address else "?"
        answer = posted.get(f"{address}{mark}format=csv")
        if "csv" in answer.headers["content-type"]:
            told[address] = [
                (name, cell)
                for row in csv.DictReader(answer.text.splitlines())
                for name, cell in row.items()
                if cell and name and ("growth" in name or "divergence" in name)
            ]

    assert len(told) > 10
    assert {each: cells for each, cells in told.items() if cells} == {}


def claims(document: Any, place: str = "") -> Iterator[str]:
    """Yield the growths and odds that a document states of what was measured."""
    if isinstance(document, list):
        for each in document:
            yield from claims(each, place)
    if not isinstance(document, dict):
        return
    for key, value in document.items():
        at = f"{place}.{key}"
        is_claim = key in {
            *("growth", "growths", "class_probability", "verdict_probability"),
            *("divergence", "growth_before", "growth_after"),
        }
        is_rule = value is True
        if is_claim and value and not is_rule and "expectation" not in place:
            yield f"{at} = {value}"
        else:
            yield from claims(value, at)
