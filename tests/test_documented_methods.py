import ast
import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
METHODS = (CHECKOUT / "docs" / "methods.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("| \n").split("|")]
    for line in METHODS.splitlines()
    if re.match(r"\| [^-].*`", line)
]
"""Rows of all tables: method, perhaps its source, module, tests."""


def is_there(name: str) -> bool:
    """Tell whether a module, class or function has that name, without importing MPI.

    Case studies are files of `examples`.
    """
    if name.startswith("examples/"):
        return (CHECKOUT / name).is_file()
    package = "bench_agent" if name.startswith("scalewatch_agent") else "backend"
    full = name if package == "bench_agent" else f"scalewatch.{name}"
    path = CHECKOUT / package / full.replace(".", "/")
    if path.with_suffix(".py").exists():
        return True
    source = path.parent.with_suffix(".py").read_text("utf-8")
    definitions = (ast.ClassDef, ast.FunctionDef)
    return path.name in {
        node.name for node in ast.parse(source).body if isinstance(node, definitions)
    }


def test_methods_of_the_papers_and_features_have_a_table_of_forty_rows_at_least():
    assert len(ROWS) >= 40
    assert all(len(row) in {3, 4} for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_documented_method_is_where_the_table_says(row):
    module, tests = (cell.strip("`") for cell in row[-2:])

    assert is_there(module)
    assert (CHECKOUT / tests).is_file()


def test_places_that_the_architecture_names_are_there():
    text = (CHECKOUT / "docs" / "architecture.md").read_text("utf-8")
    layers = "api|jobs|modelling|pages|services|storage|web"
    named = re.findall(rf"`((?:{layers})/[\w/]+)[.\w]*`", text)
    package = CHECKOUT / "backend" / "scalewatch"
    files = re.findall(r"`(backend/[\w/.]+)`", text)

    assert len(named) > 20
    assert [
        name
        for name in named
        if not (package / name).is_dir()
        and not (package / name).with_suffix(".py").is_file()
    ] == []
    assert [name for name in files if not (CHECKOUT / name).is_file()] == []
