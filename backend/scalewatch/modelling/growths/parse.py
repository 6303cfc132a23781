"""Read a growth from big-O text, such as `O(p^0.5 log p)`.

The text is cut into numbers, names and symbols. Other spellings of a symbol are folded
into one: `**` and superscripts become `^`, `·` and `×` become `*`, braces become
parentheses.

The grammar, by recursive descent; O, Θ and Ω around the whole are optional, what
multiplies may be left out between factors, and constant factors are dropped as in
big-O notation::

    sum      = product { ("+" | "-") product }      the leading-order term counts
    product  = factor { ["*" | "/"] factor }        from left to right
    factor   = logarithm | root | power
    logarithm = "log" [ "^" exponent ] name         "log^2 p", "log2(p)^2", "ln n"
    root     = ("sqrt" | "√") factor
    power    = ( name | "(" sum ")" ) [ "^" exponent ]
             | number [ "^" multiple ]
    exponent = number | "(" fraction ")"            "p^(1/2)"
    multiple = name | "(" [fraction] name [ "/" number ] ")"     "2^(3k/2)"

Two spellings that people read differently are refused: `log p^2` and `p^1/2`.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NoReturn

from scalewatch.errors import BadExpression
from scalewatch.modelling.growths.assumptions import ASSUMED
from scalewatch.modelling.growths.growth import CONSTANT, Factor, Growth

_PATTERN = re.compile(
    r"""
    (?P<space> \s+ )
  | (?P<number> (?: \d+ (?: \.\d* )? | \.\d+ ) (?: [eE] [+-]? \d{1,3} )? )
  | (?P<name> [A-Za-zα-ωΑ-Ω_] [A-Za-z0-9α-ωΑ-Ω_]* )
  | (?P<superscript> [⁰¹²³⁴-⁹]+ )
  | (?P<symbol> \*\* | [-+*/^(){}·×⋅∗√−] )
    """,
    re.VERBOSE,
)
_SPELLINGS = {
    "**": "^",
    "·": "*",
    "×": "*",
    "⋅": "*",
    "∗": "*",
    "−": "-",
    "{": "(",
    "}": ")",
}
_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text and where it starts; the last one is empty."""

    kind: Literal["number", "name", "symbol", "end"]
    text: str
    position: int


def tokens(text: str) -> list[Token]:
    """Return the tokens of `text`, closed by one of kind `end`.

    Raises
    ------
    BadExpression
        If a character belongs to no token.
    """
    read: list[Token] = []
    position = 0
    while position < len(text):
        match = _PATTERN.match(text, position)
        if match is None:
            raise BadExpression(text, position, "a parameter, a number or an operator")
        piece = match.group()
        match match.lastgroup:
            case "number":
                read.append(Token("number", piece, position))
            case "name":
                read.append(Token("name", piece, position))
            case "superscript":
                read.append(Token("symbol", "^", position))
                read.append(Token("number", piece.translate(_DIGITS), position))
            case "symbol":
                read.append(Token("symbol", _SPELLINGS.get(piece, piece), position))
        position = match.end()
    return [*read, Token("end", "", len(text))]


LOGARITHMS = frozenset({"log", "log2", "log10", "log_2", "ln", "lg", "ld"})
ROOTS = frozenset({"sqrt", "√"})
LANDAU = frozenset({"O", "Θ", "Ω", "Theta", "Omega"})

_RESERVED = LOGARITHMS | ROOTS | LANDAU


def parse_growth(text: str, parameters: Collection[str] | None = None) -> Growth:
    """Return the growth that big-O text names.

    Parameters
    ----------
    text
        Such as `O(log p)`, `p^(1/2) * log2(p)`, `k^3 2^k`, `√n·log²n`.
    parameters
        Names that may occur; any unless given.

    Raises
    ------
    BadExpression
        With the position and what was expected there.
    """
    return _parsed(text, None if parameters is None else tuple(parameters))


@lru_cache(maxsize=4096)
def _parsed(text: str, parameters: tuple[str, ...] | None) -> Growth:
    if len(text) > ASSUMED.longest_text:
        raise BadExpression(
            text, ASSUMED.longest_text, "the end of a shorter expression"
        )
    reader = _Reader(text, parameters)
    growth = reader.landau() if reader.sees(LANDAU) else reader.sum()
    if not reader.at_end:
        reader.refuse("'+', '*', '/' or the end")
    return growth


class _Reader:
    """Position in the text, and one method per rule of the grammar."""

    def __init__(self, text: str, parameters: Collection[str] | None) -> None:
        self._text = text
        self._parameters = parameters
        self._tokens = tokens(text)
        self._next = 0

    @property
    def token(self) -> Token:
        """The token that is read next; its text is empty at the end."""
        return self._tokens[self._next]

    @property
    def at_end(self) -> bool:
        return not self.token.text

    def sees(self, texts: Collection[str]) -> bool:
        return not self.at_end and self.token.text in texts

    def take(self, text: str) -> bool:
        """Step over `text` if it comes next."""
        if self.at_end or self.token.text != text:
            return False
        self._next += 1
        return True

    def refuse(self, expected: str, token: Token | None = None) -> NoReturn:
        at = token or self.token
        raise BadExpression(self._text, at.position, expected)

    def landau(self) -> Growth:
        self._next += 1
        if not self.take("("):
            self.refuse("'('")
        growth = self.sum()
        self.close()
        return growth

    def sum(self) -> Growth:
        leading = self.product()
        while self.sees({"+", "-"}):
            self._next += 1
            start = self.token
            term = self.product()
            if term.dominates(leading):
                leading = term
            elif not leading.dominates(term):
                self.refuse(
                    f"a term that can be compared with {leading}; "
                    f"{term} grows in another parameter",
                    start,
                )
        return leading

    def product(self) -> Growth:
        growth = self.factor()
        while True:
            if self.take("/"):
                growth = growth / self.factor()
            elif self.take("*") or self.starts_factor:
                growth = growth * self.factor()
            else:
                return growth

    def factor(self) -> Growth:
        if self.sees(LOGARITHMS):
            return self.logarithm()
        if self.sees(ROOTS):
            self._next += 1
            return self.factor() ** Fraction(1, 2)
        return self.power()

    def logarithm(self) -> Growth:
        self._next += 1
        exponent = self.exponent() if self.take("^") else Fraction(1)
        bracketed = self.take("(")
        name = self.name()
        if bracketed:
            if self.take("^") and self.exponent() <= 0:
                self.refuse("a positive exponent before this")
            self.close()
            if self.take("^"):
                exponent *= self.exponent()
        elif self.sees("^"):
            self.refuse(
                f"'log^2 {name}' or 'log({name}^2)', because this could mean either"
            )
        return Growth((Factor(name, log=exponent),))

    def power(self) -> Growth:
        if self.token.kind == "number":
            return self.constant_or_exponential()
        if self.take("("):
            base = self.sum()
            self.close()
        else:
            base = Growth((Factor(self.name(), power=Fraction(1)),))
        return base ** self.exponent() if self.take("^") else base

    def constant_or_exponential(self) -> Growth:
        start = self.token
        base = self.number()
        if not base:
            self.refuse("a positive number", start)
        if not self.take("^"):
            return CONSTANT
        exponent = self.multiple()
        if not exponent:
            return CONSTANT
        doublings = base.numerator.bit_length() - 1
        if base != 2**doublings or not doublings:
            self.refuse("a power of two as base, as in 2^k", start)
        return Growth((exponent ** Fraction(doublings),))

    def multiple(self) -> Factor:
        """Read the exponent of a number: `k`, `(3k/2)`, or a number without effect."""
        if self.token.kind == "name":
            return Factor(self.name(), exp2=Fraction(1))
        if not self.take("("):
            self.signed_number()
            return Factor("")
        rate = Fraction(-1 if self.take("-") else 1)
        if self.token.kind == "number":
            rate *= self.fraction()
            self.take("*")
        if self.take(")"):
            return Factor("")
        name = self.name()
        if self.take("/"):
            rate /= self.divisor()
        self.close()
        return Factor(name, exp2=rate)

    def exponent(self) -> Fraction:
        """Read what follows `^` after a name."""
        if self.take("("):
            value = self.fraction()
            self.close()
            return value
        value = self.signed_number()
        if value.denominator == 1 and self._divides_by_number:
            self.refuse("parentheses around the exponent, as in p^(1/2)")
        return value

    @property
    def _divides_by_number(self) -> bool:
        """Whether `/ 2` follows, but not `/ 2^k`."""
        following = [token.text for token in self._tokens[self._next + 1 :][:2]]
        return self.sees("/") and following[0].isdigit() and following[1:] != ["^"]

    def fraction(self) -> Fraction:
        value = self.signed_number()
        return value / self.divisor() if self.take("/") else value

    def signed_number(self) -> Fraction:
        return -self.number() if self.take("-") else self.number()

    def divisor(self) -> Fraction:
        start = self.token
        value = self.number()
        if not value:
            self.refuse("a divisor other than zero", start)
        return value

    def number(self) -> Fraction:
        if self.token.kind != "number":
            self.refuse("a number")
        self._next += 1
        return Fraction(self._tokens[self._next - 1].text)

    def name(self) -> str:
        token = self.token
        if token.kind != "name" or token.text in _RESERVED:
            self.refuse("a parameter")
        is_known = self._parameters is not None and token.text in self._parameters
        meant = None if is_known else _MISSPELT.get(token.text)
        if meant:
            self.refuse(f"a parameter or '{meant}', which '{token.text}' may mean")
        if self._parameters is not None and not is_known:
            self.refuse(f"a parameter ({', '.join(self._parameters)})")
        if self._parameters is None and "log" in token.text:
            self.refuse("a space after the logarithm, as in 'n log n'")
        self._next += 1
        return token.text

    def close(self) -> None:
        if not self.take(")"):
            self.refuse("')'")

    @property
    def starts_factor(self) -> bool:
        return self.token.kind in {"number", "name"} or self.sees({"(", "√"})


def _slips(function: str) -> Iterator[str]:
    """Yield what fingers make of a function: letters swapped, doubled or left out."""
    for place, letter in enumerate(function):
        before, after = function[:place], function[place + 1 :]
        yield before + after[:1] + letter + after[1:]
        yield before + 2 * letter + after
        if len(function) > ASSUMED.shortest_function:
            yield before + after


_MISSPELT = {
    slip: function
    for function in ("log", "sqrt")
    for slip in _slips(function)
    if slip != function
}


def parse_declared(text: str) -> Growth:
    """Return the growth that big-O text names; quotients of such may go beyond it.

    Raises
    ------
    BadExpression
        If it cannot be read, or has an exponent that no code has.
    """
    growth = parse_growth(text)
    if not all(
        abs(exponent) <= ASSUMED.largest_exponent
        and exponent.denominator <= 10**ASSUMED.digits
        for factor in growth.factors
        for exponent in factor.order
    ):
        raise BadExpression(
            text,
            0,
            f"exponents of at most {ASSUMED.largest_exponent}, "
            f"to {ASSUMED.digits} digits",
        )
    return growth
