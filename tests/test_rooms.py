"""The rules of STYLE.md that no linter knows: rooms, and the words of the code."""

import ast
import re
from collections.abc import Iterator
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

# A docstring names its subject first; these words hide it from whoever searches.
RIDDLE = re.compile(r"(What|Who|That|Those|Of)\b")
# Words that say nothing of what a variable holds.
EMPTY_NAMES = frozenset({"told", "own", "found", "asked", "one"})
# "path: name" where the name is a term all the same, each with its reason.
EXCEPTIONS: dict[str, str] = {
    "backend/scalewatch/services/access/policies.py: told": "a field of the API",
    "backend/scalewatch/services/runs/show.py: asked": "a field of the API",
}
# Regular expressions of the parsers, by their first word: grammar and no sentence.
PATTERNS = frozenset(
    {
        "backend/scalewatch/modelling/growths/parse.py: (?P<space>",
        r"backend/scalewatch/modelling/compositions/formula.py: \s*(?:",
    }
)
COMPOSITION_ROOTS = ("app.py", "cli/", "jobs/")


def test_room_begins_with_a_sentence_and_no_names_that_say_nothing():
    assert [path for path in MODULES if path.stem in {"utils", "helpers", "misc"}] == []
    for folder in FOLDERS:
        assert (CHECKOUT / folder / "__init__.py").read_text("utf-8").startswith('"""')


def test_map_of_tests_support_names_all_that_is_there():
    support = CHECKOUT / "tests" / "support"
    tools = {
        path.stem for path in support.glob("*") if path.suffix == ".py" or path.is_dir()
    } - {"__init__", "__pycache__"}

    map_of_support = (support / "__init__.py").read_text("utf-8")
    assert {name for name in tools if f"`{name}`" not in map_of_support} == set()
    assert set(re.findall(r"`(\w+)`", map_of_support)) - {"run"} <= tools


def test_docstrings_name_their_subject_first():
    assert [
        f"{path}:{line}: {text}"
        for path in MODULES
        for line, text in _docstrings(_tree(path))
        if RIDDLE.match(text)
    ] == []


def test_names_say_what_they_hold():
    empty = [
        f"{path}: {name}"
        for path in MODULES
        for name in _empty_names(_tree(path))
        if f"{path}: {name}" not in EXCEPTIONS
    ]

    assert empty == []
    assert len(EXCEPTIONS) <= 20


@pytest.mark.parametrize(
    ("source", "empty"),
    [
        ("[each for each in x if each]", []),
        ("{each: each for each in x}", []),
        ("for each in x: pass", ["each"]),
        ("sorted(x, key=lambda each: each)", ["each"]),
        ("def find(own): found, asked = 1, 2", ["own", "found", "asked"]),
        ("class Place:\n    told: int", ["told"]),
        ("import one as found", ["found"]),
        ("def one(): pass", ["one"]),
        ("if told := x: pass", ["told"]),
        ("x.own = 1", []),
    ],
)
def test_empty_names_are_seen_wherever_they_are_bound(source, empty):
    assert sorted(_empty_names(ast.parse(source))) == sorted(empty)


def test_expectation_is_the_word_for_what_authors_expect():
    # Fields and values of answers, a flag of MPI, and words about something else.
    others = re.compile(
        r"PROMISE_FALLS|PROMISE_HOLDS|promise falls|promise holds|NO_PROMISE|"
        r"\bdesign\.promise|^    promise\b|\"promised\":|BLAS does not promise|"
        r"the archive promises|the promising ones"
    )

    assert [
        f"{path}: {line.strip()}"
        for path in MODULES
        for line in (CHECKOUT / path).read_text("utf-8").splitlines()
        if "promis" in line.lower() and not others.search(line)
    ] == []


def test_only_composition_roots_read_settings():
    calls = [
        str(path)
        for path in MODULES
        if str(path).startswith("backend/scalewatch/")
        and not str(path).startswith(
            tuple(f"backend/scalewatch/{root}" for root in COMPOSITION_ROOTS)
        )
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "get_settings"
    ]

    assert calls == []


def test_modelling_says_nothing_to_readers():
    assert [
        f"{path}:{line}: {text}"
        for path in MODULES
        if str(path).startswith("backend/scalewatch/modelling/")
        for line, text in _sentences(_tree(path))
        if f"{path}: {text.split()[0]}" not in PATTERNS
    ] == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ('x = "it is the machine"', 1),
        ('x = f"on {p} it is the machine"', 1),
        ('x = "by machine"', 0),
        ('"""It is the machine."""', 0),
        ('def f():\n    """It is the machine."""', 0),
        ('raise Bad(f"it is {p}, not the machine")', 0),
        ('self.refuse("a name after the sign")', 0),
        ('class A(StrEnum):\n    B = "may not be used yet"', 0),
    ],
)
def test_sentences_are_seen_wherever_they_stand(source, said):
    assert len([*_sentences(ast.parse(source))]) == said


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


def _tree(path: Path) -> ast.Module:
    return ast.parse((CHECKOUT / path).read_text("utf-8"))


def _docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the first line of each docstring, those of attributes among them."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        for statement in node.body:
            if (
                isinstance(statement, ast.Expr)
                and isinstance(statement.value, ast.Constant)
                and isinstance(statement.value.value, str)
            ):
                yield statement.lineno, statement.value.value.strip().split("\n")[0]


def _sentences(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield texts of four words or more that are no docstring, message or name."""
    allowed = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise | ast.Expr)
        or (isinstance(node, ast.ClassDef) and _is_enum(node))
        for inner in _texts_allowed(node)
    }
    formatted = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    parts = {part for node in formatted for part in node.values}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant | ast.JoinedStr) or node in parts:
            continue
        texts = [each for each in ast.walk(node) if isinstance(each, ast.Constant)]
        words = [
            word
            for part in texts
            if isinstance(part.value, str) and part not in allowed
            for word in re.findall(r"\S*[^\W\d_]{2}\S*", part.value)
        ]
        if len(words) >= 4:
            yield node.lineno, str(texts[0].value)


def _is_enum(node: ast.ClassDef) -> bool:
    return any(
        isinstance(base, ast.Name) and base.id == "StrEnum" for base in node.bases
    )


def _texts_allowed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield texts in a raise, a docstring, values of an enum, a call that refuses."""
    if isinstance(node, ast.Expr):
        is_refusal = (
            isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Attribute)
            and node.value.func.attr.lstrip("_") == "refuse"
        )
        if not is_refusal and not isinstance(node.value, ast.Constant):
            return
    yield from ast.walk(node)


def _empty_names(tree: ast.Module) -> Iterator[str]:
    """Yield names that say nothing; `each` may stand in comprehensions."""
    comprehended = {
        target
        for node in ast.walk(tree)
        if isinstance(node, ast.comprehension)
        for target in ast.walk(node.target)
    }
    for node in ast.walk(tree):
        for name in _bound(node):
            is_each = name == "each" and node not in comprehended
            if name in EMPTY_NAMES or is_each:
                yield name


def _bound(node: ast.AST) -> list[str]:
    """Return the names that a node binds by itself."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.alias):
        return [node.asname or node.name.rpartition(".")[2]]
    return []
