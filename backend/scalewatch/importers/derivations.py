"""Settings that follow from others: `p = nodes * taskspernode`."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from scalewatch.errors import BadDerivation

LONGEST: Final = 200
"""Characters of a derivation, far from what would exhaust the parser."""

_OPERATORS: Final[Mapping[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


@dataclass(frozen=True, slots=True)
class Derivation:
    """A setting and the sums and products that it is."""

    name: str
    text: str
    tree: ast.expr
    needs: frozenset[str]

    def value(self, settings: Mapping[str, float]) -> float:
        """Return what it comes to.

        Raises
        ------
        BadDerivation
            If that is no finite number.
        """
        try:
            value = float(_value(self.tree, settings))
        except ZeroDivisionError:
            raise BadDerivation(self.text, "it divides by zero") from None
        except OverflowError:
            raise BadDerivation(self.text, "its numbers grow too large") from None
        if not math.isfinite(value):
            raise BadDerivation(self.text, f"it is {value}")
        return value


def derivation_of(text: str) -> Derivation:
    """Return the derivation that is written as `text`.

    Raises
    ------
    BadDerivation
        If it is none, or holds more than + - * // and parentheses.
    """
    name, _, arithmetic = (part.strip() for part in text.partition("="))
    try:
        tree = ast.parse(arithmetic, mode="eval").body if len(text) <= LONGEST else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    if tree is None or not name.isidentifier() or not all(map(_is_plain, _nodes(tree))):
        raise BadDerivation(
            text[:LONGEST], "it is not like 'p = nodes * 4', with + - * // and ( )"
        )
    needs = {node.id for node in _nodes(tree) if isinstance(node, ast.Name)}
    return Derivation(name, text, tree, frozenset(needs))


def _nodes(tree: ast.expr) -> list[ast.AST]:
    return list(ast.walk(tree))


def _is_plain(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()) | ast.BinOp() | ast.Name():
            return True
        case ast.UnaryOp(op=ast.USub()) | ast.USub() | ast.expr_context():
            return True
    return type(node) in _OPERATORS


def _value(node: ast.AST, settings: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name):
            return settings[name]
        case ast.UnaryOp(operand=operand):
            return -_value(operand, settings)
        case ast.BinOp(left=left, op=sign, right=right):
            return _OPERATORS[type(sign)](
                _value(left, settings), _value(right, settings)
            )
    raise TypeError(type(node).__name__)
