"""No page, message or export says what readers stumbled over.

Every sentence has subject, verb and the field's term; what scales is never called fast
or slow; an empty state says what is missing.
"""

import ast
import re
from html import unescape
from pathlib import Path

import pytest

import scalewatch
from scalewatch.exporters.gates import gate_junit, gate_markdown, gate_text
from support import sentences
from support.addresses import large_examples, page_addresses
from support.histories import LINEAR, TREE, commit, record_commit
from support.recorded import record_half_failed_project, record_project

ANYWHERE = (
    "says one (?:job|night) alone",
    "one job alone",
    "measure once more",
    "times as much at the largest",
    "as far as (?:one|anybody) can tell",
    "the gate minds",
    "grow(?:s|ing)? (?:faster|slower)",
    "(?:faster|slower) than (?:the )?(?:expected|promised)",
    "neither all of",
    "smallest measurement for granted",
    "as it was promised",
    "off the model",
    "must not beat it",
    "models break it",
    "false to be expected",
    "the cheapest to settle it",
    "nobody (?:said|promised|can tell)",
    "whoever",
    "deviation limit",
    "By chance alone",
    "machine in the middle",
    "would not have shown",
    "of \\S+ times that would be ideal",
    "to all regions alike",
    "What a growth would give",
    "without these,",
    "what they come to",
    "would tell",
    "can be told",
    "cannot be told",
    "is told",
    "Not told",
    "too (?:noisy|few) to tell",
    "enough measurements to tell",
    "one of those that they",
    "those that it allow",
    "What is left of the efficiency",
    "is taken out of each region",
    "calls? take what they take",
    "(?:was|is|are|be|been) (?:declared|promised)",
    "(?:declared|promised) by",
)
BEGINNING = (
    "Nothing(?:: no| to | can be said| succeeded| was | is | has | yet| changed)",
    "None(?: was| is|: | for)",
    "As before",
    "Who [a-z]+s ",
    "Growth apart",
    "No line to draw",
    "For programs: the same",
    "Make a token",
)
BANNED = re.compile(
    "|".join(
        [rf"\b(?i:{each})\b" for each in ANYWHERE] + [rf"\b{e}" for e in BEGINNING]
    )
)
PRODUCT = Path(scalewatch.__file__).parent
TEMPLATES = Path(__file__).parents[3] / "frontend/templates"
SPEAKING = ("pages", "services", "modelling", "exporters", "figures", "cli", "api")
SOURCES = [path for room in SPEAKING for path in sorted((PRODUCT / room).rglob("*.py"))]


def found_in(text):
    """Return the banned phrases of a text, with some words around them."""
    flat = " ".join(text.split())
    return [
        flat[max(0, each.start() - 30) : each.end() + 30]
        for each in BANNED.finditer(flat)
    ]


def text_of(page):
    """Return the words of a page, those of titles and labels among them."""
    hidden = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    spoken = re.findall(r'(?:title|aria-label|placeholder)="([^"]*)"', hidden)
    words = re.sub(r"</?(?:a|b|bdi|code|strong|span|em|i)\b[^>]*>", "", hidden)
    return unescape(" ".join([re.sub(r"<[^>]*>", " | ", words), *spoken]))


def said_by(path):
    """Return the texts of a module that are no docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    documented = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
    }
    for node in ast.walk(tree):
        is_said = isinstance(node, ast.Constant) and id(node) not in documented
        if is_said and isinstance(node.value, str):
            yield node.value


def test_templates_say_it_well():
    found = {
        path.name: phrases
        for path in sorted(TEMPLATES.rglob("*.html"))
        if (phrases := found_in(text_of(without_code(path.read_text("utf-8")))))
    }

    assert found == {}


def test_messages_of_the_product_are_said_well():
    found = {
        str(path.relative_to(PRODUCT)): phrases
        for path in SOURCES
        if (phrases := [each for text in said_by(path) for each in found_in(text)])
    }

    assert found == {}


def test_pages_of_a_large_project_say_it_well(large_client):
    found = {}
    for address in page_addresses(large_examples(large_client)):
        said = text_of(large_client.get(address).text)
        if phrases := found_in(said):
            found[address] = phrases

    assert found == {}


@pytest.mark.parametrize(
    ("recorded", "project", "commit_name"),
    [
        (record_project, "openmpi", "v5.0.8"),
        (record_project, "openmpi", "v5.0.11"),
        (record_half_failed_project, "fragile", "1f"),
        (record_half_failed_project, "fragile", "3f"),
    ],
)
def test_pages_of_small_and_of_failed_projects_say_it_well(
    client, sessions, recorded, project, commit_name
):
    recorded(sessions)
    addresses = ["/", "/status", "/settings", "/start", "/login", "/nonesuch"]
    addresses += [f"/p/{project}/c/{commit_name}"]
    menu = re.findall(
        rf'href="(/p/{project}[^"#?]*)"', client.get(f"/p/{project}").text
    )

    for address in {*addresses, *menu}:
        said = client.get(address, headers={"accept": "text/html"}).text
        assert found_in(text_of(said)) == [], address


def test_empty_server_says_what_is_missing(client):
    for address in ("/", "/status", "/settings", "/start", "/search?q=fft"):
        assert found_in(text_of(client.get(address).text)) == [], address


def test_gate_says_what_it_suspects_well(client, sessions):
    record_commit(sessions, 1, {"MPI_Bcast": TREE, "MPI_Scan": TREE})
    record_commit(sessions, 2, {"MPI_Bcast": LINEAR, "MPI_Scan": lambda p: TREE(p) * 2})
    asked = {"commit": commit(2)["sha"]}

    gate = client.get("/api/v1/projects/mpich/gate", params=asked).json()
    said = [gate_text(gate), gate_markdown(gate), gate_junit(gate)]

    assert gate["outcome"] == "undecided"
    assert sentences.SINGLE_JOB in said[0]
    assert sentences.RERUN in said[0]
    assert [found_in(each) for each in said] == [[], [], []]


def test_what_is_banned_is_found():
    assert found_in("Solve is suspected, says one job alone: measure once more.")
    assert found_in("It grows faster than expected.")
    assert not found_in("It scales worse than expected; nothing else changed.")


def without_code(template):
    return re.sub(r"\{#.*?#\}|\{%.*?%\}", " ", template, flags=re.DOTALL)
