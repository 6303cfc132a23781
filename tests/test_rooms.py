"""The limits of STYLE.md that no linter knows."""

from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
PACKAGES = ("backend/scalewatch", "bench_agent/scalewatch_agent")
MODULES = [
    path.relative_to(CHECKOUT)
    for package in PACKAGES
    for path in (CHECKOUT / package).rglob("*.py")
]
FOLDERS = sorted({path.parent for path in MODULES})
MOST_MODULES = 15
MOST_LINES = 300


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_folder_holds_no_more_modules_than_one_overlooks(folder):
    modules = [path for path in MODULES if path.parent == folder]

    assert len([path for path in modules if path.stem != "__init__"]) <= MOST_MODULES


def test_no_module_is_longer_than_a_reader_bears():
    lengths = {
        str(path): len((CHECKOUT / path).read_text("utf-8").splitlines())
        for path in MODULES
    }

    assert {path for path, lines in lengths.items() if lines > MOST_LINES} == set()


def test_room_begins_with_a_sentence_and_no_names_that_say_nothing():
    assert [path for path in MODULES if path.stem in {"utils", "helpers", "misc"}] == []
    for folder in FOLDERS:
        assert (CHECKOUT / folder / "__init__.py").read_text("utf-8").startswith('"""')


def test_no_file_holds_both_sides_of_a_merge():
    # Python would not parse them; templates and prose are shown with them.
    sides = ("<" * 7 + " ", ">" * 7 + " ")
    texts = [
        path
        for folder in ("docs", "examples", "frontend/static", "frontend/templates")
        for path in (CHECKOUT / folder).rglob("*")
        if path.suffix in {".css", ".html", ".js", ".md", ".svg", ".yml", ".yaml"}
    ]

    assert len(texts) > 100
    assert [
        str(path.relative_to(CHECKOUT))
        for path in texts + list(CHECKOUT.glob("*.md"))
        if any(line.startswith(sides) for line in path.read_text("utf-8").splitlines())
    ] == []
