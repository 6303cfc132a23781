"""No sentence of a page, a finding or an export stands in two places of the code."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import scalewatch

PRODUCT = Path(scalewatch.__file__).parent
TEMPLATES = Path(__file__).parents[3] / "frontend/templates"
ROOMS = ("pages", "services", "figures", "exporters")

SHORTEST = 6
"""Words from which on a text is a sentence, and no name of a thing."""

UNSAID = re.compile(
    r"<(?:script|style)\b.*?</(?:script|style)>|{%.*?%}|{#.*?#}", re.DOTALL
)
BETWEEN = re.compile(r"<[^>]*>|{{.*?}}|[.:;?!] ")
"""What parts the sentences of a template."""


def modules():
    """Yield each text of a module that is no docstring, and where it stands."""
    for path in (path for room in ROOMS for path in (PRODUCT / room).rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        documented = {
            id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
        }
        for node in ast.walk(tree):
            is_said = isinstance(node, ast.Constant) and id(node) not in documented
            if is_said and isinstance(node.value, str):
                yield node.value, f"{path.name}:{node.lineno}"


def templates():
    """Yield each sentence of a template, and where it stands."""
    for path in TEMPLATES.rglob("*.html"):
        text = UNSAID.sub("\n", path.read_text("utf-8"))
        for place, part in enumerate(BETWEEN.split(text)):
            yield part, f"{path.name}, part {place}"


def test_no_sentence_stands_twice():
    places = defaultdict(set)
    for text, place in (*modules(), *templates()):
        sentence = " ".join(text.split()).strip(" .:;,")
        if len(sentence.split()) >= SHORTEST:
            places[sentence].add(place)

    twice = {each: where for each, where in places.items() if len(where) > 1}

    assert len(places) > 400
    assert twice == {}
