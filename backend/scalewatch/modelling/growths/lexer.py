"""Cut a growth expression into numbers, names and symbols.

Other spellings of a symbol are folded into one: `**` and superscripts become `^`,
`·` and `×` become `*`, braces become parentheses.
"""

import re
from dataclasses import dataclass
from typing import Literal

from scalewatch.errors import BadExpression

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
    found: list[Token] = []
    position = 0
    while position < len(text):
        match = _PATTERN.match(text, position)
        if match is None:
            raise BadExpression(text, position, "a parameter, a number or an operator")
        piece = match.group()
        match match.lastgroup:
            case "number":
                found.append(Token("number", piece, position))
            case "name":
                found.append(Token("name", piece, position))
            case "superscript":
                found.append(Token("symbol", "^", position))
                found.append(Token("number", piece.translate(_DIGITS), position))
            case "symbol":
                found.append(Token("symbol", _SPELLINGS.get(piece, piece), position))
        position = match.end()
    return [*found, Token("end", "", len(text))]
