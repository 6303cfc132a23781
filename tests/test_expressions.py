"""Regular expressions of the product: none backtracks on a text made against it."""

import ast
import gc
import importlib
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from support.worst_texts import worst_texts

ROOT = Path(__file__).parents[1]
FOLDERS = ("backend", "bench_agent")
METHODS = {
    *("match", "search", "fullmatch", "split"),
    *("sub", "subn", "findall", "finditer"),
}

SIZE = 100_000
SCREENED = 20_000
"""Characters of the texts that are tried first."""

SECONDS = 1.0
"""Processor seconds for `SIZE`: a linear one takes a hundredth, a square one ten."""

SCREENING_SECONDS = 0.02
"""Processor seconds for `SCREENED`, beyond which `SIZE` is tried as well."""

USUAL = 500
"""Texts for each expression, but for `--thorough`."""

TRUSTED = {
    "scalewatch_agent.counts.clang.TOKEN": "sources that a compiler has read",
    "scalewatch_agent.counts.programs.PRODUCER": "what a compiler wrote in a program",
}
"""Expressions that may be slower than linear, and whose text it is."""

BUILT = {
    (
        "scalewatch.importers.benchmarks.hyperfine",
        "_measured",
    ): "a word, if not too long",
    (
        "scalewatch_agent.experiments.matching",
        "_found",
    ): "the user's, with bounded time",
    ("scalewatch_agent.experiments.schema", "_finds_what_it_needs"): (
        "the user's, which is only compiled here"
    ),
}
"""Functions that build expressions, and what bounds them."""


class Backtracks(Exception):
    """An expression takes more than its time."""


@dataclass(frozen=True)
class Expression:
    """A compiled expression, and the methods that its module calls."""

    name: str
    compiled: re.Pattern[Any]
    methods: frozenset[str]


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield name and syntax of each module that imports `re`."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            if any(is_import_of_re(node) for node in tree.body):
                parts = path.relative_to(ROOT / folder).with_suffix("").parts
                yield ".".join(parts).removesuffix(".__init__"), tree


def is_import_of_re(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import) and any(
        name.name == "re" for name in node.names
    )


MODULES = dict(modules())


def called(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield variable and method of each call, or use, of a method of an expression."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            receiver = node.value
            if isinstance(receiver, ast.Name):
                yield receiver.id, node.attr
            elif isinstance(receiver, ast.Attribute):
                yield receiver.attr, node.attr


def expressions_of(module: str) -> Iterator[Expression]:
    """Yield the expressions that a module holds, also inside tables."""
    held = vars(importlib.import_module(module))
    here = list(called(MODULES[module]))
    there = [call for tree in importers_of(module) for call in called(tree)]
    for name, value in held.items():
        methods = {method for variable, method in here + there if variable == name}
        # Those in tables are called by another name, as are others at times.
        aliased = {method for variable, method in here if variable not in held}
        methods = methods or aliased or {"search"}
        for compiled in dict.fromkeys(patterns_in(value)):
            yield Expression(f"{module}.{name}", compiled, frozenset(methods))


def importers_of(module: str) -> Iterator[ast.Module]:
    """Yield the modules that import from a module, or import it."""
    package, _, name = module.rpartition(".")
    for tree in MODULES.values():
        if any(
            isinstance(node, ast.ImportFrom)
            and (
                node.module == module
                or (node.module == package and name in {one.name for one in node.names})
            )
            for node in ast.walk(tree)
        ):
            yield tree


def patterns_in(value: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from patterns_in(tuple(value.values()))
    elif isinstance(value, tuple | list | frozenset):
        for part in value:
            yield from patterns_in(part)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_expressions_are_linear_in_their_worst_texts(module, thorough) -> None:
    for expression in expressions_of(module):
        if expression.name in TRUSTED:
            continue
        texts = worst_texts(expression.compiled, SCREENED)
        suspects = [
            at
            for at, text in enumerate(texts)
            if (thorough or at < USUAL)
            and seconds(expression, text, SCREENING_SECONDS) >= SCREENING_SECONDS
        ]
        if suspects:
            assert_is_linear(expression, set(suspects[:20]))


def assert_is_linear(expression: Expression, suspects: set[int]) -> None:
    for at, text in enumerate(worst_texts(expression.compiled, SIZE)):
        if at in suspects:
            took = seconds(expression, text, SECONDS)
            assert took < SECONDS, (
                f"{expression.name} backtracks on {text[:40]!r}…{text[-8:]!r}: "
                f"{expression.compiled.pattern!r}"
            )


def seconds(expression: Expression, text: str, most: float) -> float:
    """Return the processor seconds of the slowest method on a text, at most `most`."""
    content = (
        text.encode("latin-1", "replace")
        if isinstance(expression.compiled.pattern, bytes)
        else text
    )
    return max(
        (
            timed(bound(expression.compiled, method, content), most)
            for method in sorted(expression.methods)
        ),
        default=0.0,
    )


def bound(compiled: re.Pattern[Any], method: str, text: Any) -> Callable[[], object]:
    call = getattr(compiled, method)
    if method in {"sub", "subn"}:
        return lambda: call(text[:0], text)
    return lambda: list(call(text)) if method == "finditer" else call(text)


def timed(call: Callable[[], object], most: float) -> float:
    begun = process_time()
    try:
        with limited(most):
            call()
    except Backtracks:
        return most
    return process_time() - begun


@contextmanager
def limited(most: float) -> Iterator[None]:
    """Interrupt what takes more processor seconds; the engine looks for signals.

    The collector rests meanwhile: what is raised in one of its callbacks is lost.
    """

    def interrupt(*_: object) -> None:
        raise Backtracks

    before = signal.signal(signal.SIGVTALRM, interrupt)
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_expressions_are_compiled_once_where_the_test_above_finds_them(module) -> None:
    built = [
        f"{function.name}, line {call.lineno}"
        for function in ast.walk(MODULES[module])
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        and (module, function.name) not in BUILT
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and is_of_re(call.func)
    ]

    assert built == []


def is_of_re(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
        and function.attr in METHODS | {"compile"}
    )


@pytest.mark.parametrize(
    "expression", [r"(a+)+b", r"\s*\S.*?\s*", r"\d+\.?\d*", "[^:]+?:(x+)?$", r"\w+=\w"]
)
def test_backtracking_is_found(expression) -> None:
    wrong = Expression("", re.compile(expression), frozenset({"fullmatch", "search"}))

    took = (
        seconds(wrong, text, SCREENING_SECONDS)
        for text in worst_texts(wrong.compiled, SCREENED)
    )

    assert any(one >= SCREENING_SECONDS for one in took)
