"""Read a composed model from text, such as `cg = 13*8*N/triad + 2*parallel`.

The grammar, by recursive descent::

    sum      = product { ("+" | "-") product }
    product  = power { ("*" | "/") power }
    power    = ["-"] atom [ "^" ["-"] ( number | "(" number "/" number ")" ) ]
    atom     = number | name | ("log" | "sqrt") "(" sum ")" | "(" sum ")"
    name     = word [ ":" word ] | '"' anything '"'

A name is a parameter or a region, of which `region:metric` tells one metric; quotes
hold names with blanks. `log` is that to base 2.

A quantity has a unit. Bytes, operations and iterations are counted, so that
`13*8*N/triad` is a time if triad is a rate in B/s; a unit that is neither is a
dimension of its own.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, NoReturn, Self

from scalewatch import quantities
from scalewatch.errors import BadExpression
from scalewatch.modelling.assumptions import ASSUMED

_COUNTED: Final = frozenset({"B", "flop", "op"})
"""Dimensions of what is counted: numbers, so that B over B/s is a time."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Dimensions with their exponents, sorted; none for a number."""

    exponents: tuple[tuple[str, Fraction], ...] = ()

    def __mul__(self, other: Self) -> "Unit":
        return self._joined(other, 1)

    def __truediv__(self, other: Self) -> "Unit":
        return self._joined(other, -1)

    def __pow__(self, exponent: Fraction) -> "Unit":
        return _unit({name: power * exponent for name, power in self.exponents})

    def __str__(self) -> str:
        above = [_factor(name, power) for name, power in self.exponents if power > 0]
        below = [_factor(name, -power) for name, power in self.exponents if power < 0]
        if not below:
            return " ".join(above) or "a number"
        return "/".join((" ".join(above) or "1", *below))

    def _joined(self, other: Self, sign: int) -> "Unit":
        powers = dict(self.exponents)
        for name, power in other.exponents:
            powers[name] = powers.get(name, Fraction(0)) + sign * power
        return _unit(powers)


NUMBER: Final = Unit()


def parse_unit(text: str) -> tuple[float, Unit]:
    """Return the size of a unit in seconds and numbers, and its dimensions.

    Raises
    ------
    BadExpression
        If it has more than one slash.
    """
    if text.count("/") > 1:
        raise BadExpression(text, text.rindex("/"), "a unit as B/s")
    quantity = quantities.parse_unit(text)
    powers = {
        name: Fraction(power)
        for name, power in quantity.dimension
        if name not in _COUNTED
    }
    return quantity.size, _unit(powers)


def _unit(powers: Mapping[str, Fraction]) -> Unit:
    return Unit(tuple(sorted((name, power) for name, power in powers.items() if power)))


def _factor(name: str, power: Fraction) -> str:
    return name if power == 1 else f"{name}^{power}"


FUNCTIONS: Final = frozenset({"log", "sqrt"})

_PIECE: Final = re.compile(
    r"""\s*(?:
      (?P<number> (?: \d+ (?: \.\d* )? | \.\d+ ) (?: [eE] [+-]? \d{1,3} )? )
    | (?P<name> [^\W\d]\w* (?: : [^\W\d]\w* )? )
    | "(?P<quoted> [^"]+ )"
    | (?P<symbol> \*\* | [-+*/^()·×−] )
    )""",
    re.VERBOSE,
)
_SPELLINGS: Final = {"**": "^", "·": "*", "×": "*", "−": "-"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written."""

    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter or a region."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Operation:
    """Two parts that are added, subtracted, multiplied or divided."""

    sign: "Symbol"
    left: "Node"
    right: "Node"
    text: str


@dataclass(frozen=True, slots=True)
class Power:
    """A part to a fixed power; the square root is one."""

    base: "Node"
    exponent: Fraction
    text: str


@dataclass(frozen=True, slots=True)
class Logarithm:
    """The binary logarithm of a number."""

    argument: "Node"
    text: str


Symbol = Literal["+", "-", "*", "/", "^", "(", ")"]
Node = Number | Name | Operation | Power | Logarithm


@dataclass(frozen=True, slots=True)
class Formula:
    """A composed model: its text without blanks at the ends, and its parts."""

    text: str
    root: Node

    @property
    def names(self) -> tuple[str, ...]:
        """Parameters and regions, each once, in the order of the text."""
        return tuple(dict.fromkeys(_names(self.root)))

    def __str__(self) -> str:
        return self.text


def parse_formula(text: str) -> Formula:
    """Return the formula that is written as `text`.

    Raises
    ------
    BadExpression
        If it is none; the error names the position.
    """
    if len(text) > ASSUMED.longest_formula:
        raise BadExpression(
            text[:80], 0, f"a formula of at most {ASSUMED.longest_formula} characters"
        )
    return Formula(text.strip(), _Reader(text.strip()).whole())


def _names(node: Node) -> Iterator[str]:
    match node:
        case Name(name):
            yield name
        case Operation(_, left, right):
            yield from _names(left)
            yield from _names(right)
        case Power(base=part) | Logarithm(argument=part):
            yield from _names(part)


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: str
    text: str
    start: int
    end: int


class _Reader:
    """Reads one formula from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces = list(_pieces(text))
        self._next = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._sum()
        if self._piece.kind != "end":
            self._refuse("an operator")
        return node

    @property
    def _piece(self) -> _Piece:
        return self._pieces[self._next]

    def _sum(self) -> Node:
        start, node = self._piece.start, self._product()
        while sign := self._take("+", "-"):
            right = self._product()
            node = Operation(sign, node, right, self._since(start))
        return node

    def _product(self) -> Node:
        start, node = self._piece.start, self._power()
        while sign := self._take("*", "/"):
            right = self._power()
            node = Operation(sign, node, right, self._since(start))
        return node

    def _power(self) -> Node:
        start = self._piece.start
        is_negative = self._take("-")
        node = self._atom()
        if self._take("^"):
            node = Power(node, self._exponent(), self._since(start))
        if is_negative:
            node = Operation("*", Number(-1.0, "-1"), node, self._since(start))
        return node

    def _atom(self) -> Node:
        piece = self._piece
        if self._sees("("):
            return self._enclosed()
        if piece.kind not in {"number", "name", "quoted"}:
            self._refuse("a number, a region or a parameter")
        self._next += 1
        if piece.kind == "number":
            return Number(float(piece.text), piece.text)
        if piece.kind == "name" and piece.text in FUNCTIONS and self._sees("("):
            argument = self._enclosed()
            if piece.text == "log":
                return Logarithm(argument, self._since(piece.start))
            return Power(argument, Fraction(1, 2), self._since(piece.start))
        return Name(piece.text, piece.text)

    def _enclosed(self) -> Node:
        """Read what stands in parentheses."""
        self._depth += 1
        if self._depth > ASSUMED.deepest_formula:
            self._refuse(
                f"at most {ASSUMED.deepest_formula} parentheses inside each other"
            )
        self._must("(")
        node = self._sum()
        self._must(")")
        self._depth -= 1
        return node

    def _exponent(self) -> Fraction:
        if not self._take("("):
            sign = -1 if self._take("-") else 1
            return sign * self._number()
        sign = -1 if self._take("-") else 1
        value = sign * self._number()
        if self._take("/"):
            divisor = self._number()
            if not divisor:
                self._refuse("a divisor other than zero before it")
            value /= divisor
        self._must(")")
        return value

    def _number(self) -> Fraction:
        if self._piece.kind != "number":
            self._refuse("a number")
        self._next += 1
        return Fraction(self._pieces[self._next - 1].text)

    def _sees(self, symbol: Symbol) -> bool:
        return self._piece.kind == "symbol" and self._piece.text == symbol

    def _take(self, *symbols: Symbol) -> Symbol | None:
        for symbol in symbols:
            if self._sees(symbol):
                self._next += 1
                return symbol
        return None

    def _must(self, symbol: Symbol) -> None:
        if not self._take(symbol):
            self._refuse(f"{symbol!r}")

    def _since(self, start: int) -> str:
        return self._text[start : self._pieces[self._next - 1].end]

    def _refuse(self, expected: str) -> NoReturn:
        raise BadExpression(self._text, self._piece.start, expected)


def _pieces(text: str) -> Iterator[_Piece]:
    position = 0
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None or piece.lastgroup is None:
            start = position + len(text[position:]) - len(text[position:].lstrip())
            raise BadExpression(text, start, "a number, a name or an operator")
        kind = piece.lastgroup
        symbol = _SPELLINGS.get(piece[kind], piece[kind])
        yield _Piece(kind, symbol, piece.start(kind), piece.end())
        position = piece.end()
    yield _Piece("end", "", len(text), len(text))
