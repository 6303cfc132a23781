"""Arithmetic in experiment files: numbers, names and a few functions, nothing else.

The text is parsed by Python's own parser and then computed node by node; whatever is
not listed here is refused before anything is computed.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from scalewatch_agent.errors import BadExpression

Scalar = str | bool | int | float

LONGEST: Final = 500
"""Characters of an expression, far from what would exhaust the parser."""

MOST: Final = 2**31 - 1
"""The largest count: MPI numbers its processes by a C int."""

MOST_BITS: Final = 4096
"""Size of a whole number beyond which a power is no measure of anything."""

FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "abs": abs,
    "ceil": math.ceil,
    "exp": math.exp,
    "floor": math.floor,
    "int": int,
    "log": math.log,
    "log2": math.log2,
    "max": max,
    "min": min,
    "round": round,
    "sqrt": math.sqrt,
}


def _power(base: float, exponent: float) -> Any:
    if isinstance(base, int) and isinstance(exponent, int):
        size = base.bit_length() * abs(exponent)
        if size > MOST_BITS:
            raise OverflowError
    if base < 0 and exponent != int(exponent):
        raise ValueError
    return float(base**exponent) if exponent < 0 else operator.pow(base, exponent)


OPERATORS: Final[Mapping[type[ast.AST], Callable[..., Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}

COMPARISONS: Final[Mapping[type[ast.AST], Callable[..., bool]]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that is known to use nothing but what is allowed."""

    text: str
    tree: ast.expr
    names: frozenset[str]

    def value(self, parameters: Mapping[str, Scalar]) -> Scalar:
        """Return what it comes to.

        Raises
        ------
        BadExpression
            If it divides by zero, for example, or compares a number with a text.
        """
        try:
            result: Scalar = _value(self.tree, parameters)
            is_finite = isinstance(result, str) or math.isfinite(result)
        except ZeroDivisionError:
            raise BadExpression(self.text, "it divides by zero") from None
        except OverflowError:
            raise BadExpression(self.text, "its numbers grow too large") from None
        except KeyError as missing:
            reason = f"there is no parameter {missing.args[0]!r}"
            raise BadExpression(self.text, reason) from None
        except (TypeError, ValueError):
            raise BadExpression(self.text, "it has no value here") from None
        if not is_finite:
            raise BadExpression(self.text, f"it is {result}")
        return result

    def number(self, parameters: Mapping[str, Scalar]) -> float:
        """Return what it comes to, which has to be a number."""
        value = self.value(parameters)
        if isinstance(value, bool | str):
            raise BadExpression(self.text, f"{value!r} is no number")
        return value

    def count(self, parameters: Mapping[str, Scalar]) -> int:
        """Return what it comes to, which has to be a whole number from 1."""
        value = self.number(parameters)
        if value != int(value) or value < 1:
            raise BadExpression(self.text, f"{value:g} is no whole number from 1")
        if value > MOST:
            raise BadExpression(self.text, f"{value:g} is over {MOST:,}")
        return int(value)

    def holds(self, parameters: Mapping[str, Scalar]) -> bool:
        """Tell whether it is true."""
        return bool(self.value(parameters))


def parse_expression(text: str) -> Expression:
    """Return the expression that `text` holds.

    Raises
    ------
    BadExpression
        If it is none, or uses what is not allowed.
    """
    if len(text) > LONGEST:
        raise BadExpression(text[:20] + " …", f"it has over {LONGEST} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadExpression(text, "this is no arithmetic") from None
    return Expression(text, tree, frozenset(_names(tree, text)))


def _names(tree: ast.expr, text: str) -> set[str]:
    """Return the parameters that are used; refuse what is not allowed."""
    names: set[str] = set()
    functions = set()
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=bool() | int() | float() | str()):
                pass
            case ast.Name(id=name):
                names.add(name)
            case ast.Call(func=ast.Name(id=name), keywords=[]) if name in FUNCTIONS:
                functions.add(name)
            case ast.Call(func=ast.Name(id=name)):
                known = ", ".join(FUNCTIONS)
                raise BadExpression(text, f"no function {name!r}; there are {known}")
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp():
                pass
            case ast.IfExp() | ast.expr_context() | ast.And() | ast.Or() | ast.Not():
                pass
            case _ if type(node) in OPERATORS or type(node) in COMPARISONS:
                pass
            case _:
                kind = type(node).__name__.lower()
                raise BadExpression(text, f"it holds a {kind}, which is not allowed")
    return names - functions


def _value(node: ast.expr, names: Mapping[str, Scalar]) -> Any:  # noqa: PLR0911 - one for each kind of node
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return names[name]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand, names)
        case ast.UnaryOp(op=op, operand=operand):
            return OPERATORS[type(op)](_number(operand, names))
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](_number(left, names), _number(right, names))
        case ast.BoolOp(op=op, values=values):
            holds = all if isinstance(op, ast.And) else any
            return holds(_value(each, names) for each in values)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _value(body if _value(test, names) else orelse, names)
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name](*(_number(each, names) for each in arguments))
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [_value(each, names) for each in (left, *others)]
            pairs = zip(ops, values, values[1:], strict=False)
            return all(COMPARISONS[type(op)](a, b) for op, a, b in pairs)
    raise TypeError


def _number(node: ast.expr, names: Mapping[str, Scalar]) -> Any:
    """Return an operand; a text times a number would be a long text."""
    value = _value(node, names)
    if isinstance(value, str):
        raise TypeError
    return value
