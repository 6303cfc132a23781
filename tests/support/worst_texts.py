"""Texts on which a regular expression may backtrack, generated from the expression."""

import re
from collections.abc import Iterator, Sequence
from re import _constants as codes
from re import _parser as parser
from typing import Any

USUAL = " \ta0A_-.|:/,=#([\"'\n\x00é"
"""Characters that are repeated whatever the expression says."""

FAVOURITES = "a 0-"
"""Characters that stand, in turn, wherever a part of the expression allows them."""

MOST_FAVOURITES = 12
LONGEST_SLICE = 3
"""Pieces that are repeated together, but for whole beginnings and ends."""

REPEATS = {codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT}


def worst_texts(expression: re.Pattern[Any], size: int) -> Iterator[str]:
    """Yield texts of about `size` characters that the expression nearly matches.

    Single characters, pieces and slices of its sequences are repeated, alone and behind
    the text that stands before them, with an end that fits and with one that does not.
    """
    pattern = expression.pattern
    if isinstance(pattern, bytes):
        pattern = pattern.decode("latin-1")
    tree = parser.parse(pattern, expression.flags & ~re.DEBUG)
    literals = list(dict.fromkeys(_literals(tree)))
    for end in ("\x00", ""):
        for character in dict.fromkeys([*literals, *USUAL]):
            yield character * size + end
    favourites = list(dict.fromkeys([*FAVOURITES, *literals]))[:MOST_FAVOURITES]
    repeats: dict[tuple[str, str], None] = {}
    for favourite in favourites:
        choice = _Choice([favourite, *literals, *USUAL])
        repeats |= dict.fromkeys(_repeats(choice, tree, ""))
    for joint, end in (("", "\x00"), ("\n", "\x00"), ("", " \n"), ("", ""), ("\n", "")):
        for before, part in filter(None, repeats):
            repeated = (part + joint) * (size // len(part + joint) + 1)
            yield before + repeated + end
            if before and not joint:
                yield repeated + end


def _literals(tree: Any) -> Iterator[str]:
    for code, operand in tree:
        if code in {codes.LITERAL, codes.NOT_LITERAL}:
            yield chr(operand)
        elif code is codes.RANGE:
            yield chr(operand[0])
        else:
            for sequence in _inside(code, operand):
                yield from _literals(sequence)


def _inside(code: Any, operand: Any) -> Sequence[Any]:
    """Return the sequences inside a node."""
    if code in REPEATS:
        return [operand[2]]
    if code is codes.SUBPATTERN:
        return [operand[3]]
    if code is codes.BRANCH:
        return list(operand[1])
    if code in {codes.ASSERT, codes.ASSERT_NOT}:
        return [operand[1]]
    return [operand] if code in {codes.ATOMIC_GROUP, codes.IN} else []


class _Choice:
    """Short texts that parts of an expression match, of the characters it prefers."""

    def __init__(self, order: Sequence[str]) -> None:
        self.order = order

    def pieces(self, sequence: Any) -> list[str]:
        """Return a text for each node, literals that follow one another joined."""
        pieces, is_literal = list[str](), False
        for code, operand in sequence:
            text = self.text(code, operand)
            if is_literal and code is codes.LITERAL:
                pieces[-1] += text
            elif text:
                pieces.append(text)
            is_literal = code is codes.LITERAL
        return pieces

    def text(self, code: Any, operand: Any) -> str:
        """Return a text that a node matches."""
        if code in {codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN}:
            items = operand if code is codes.IN else [(code, operand)]
            return next((sign for sign in self.order if _accepts(items, sign)), "?")
        if code in {codes.ASSERT, codes.ASSERT_NOT}:
            return ""
        least = max(operand[0], 1) if code in REPEATS else 1
        sequences = _inside(code, operand)[:1]
        return "".join("".join(map(self.pieces_of, sequences)) for _ in range(least))

    def pieces_of(self, sequence: Any) -> str:
        return "".join(self.pieces(sequence))


def _accepts(items: Any, sign: str) -> bool:
    """Tell whether a set of characters has one."""
    is_negated = items[0][0] is codes.NEGATE
    return any(_is_in(code, value, sign) for code, value in items) != is_negated


def _is_in(code: Any, value: Any, sign: str) -> bool:
    if code is codes.LITERAL:
        return ord(sign) == value
    if code is codes.NOT_LITERAL:
        return ord(sign) != value
    if code is codes.RANGE:
        return bool(value[0] <= ord(sign) <= value[1])
    if code is codes.CATEGORY:
        return CATEGORIES[value](sign)
    return code is codes.ANY and sign != "\n"


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


CATEGORIES = {
    codes.CATEGORY_DIGIT: str.isdecimal,
    codes.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdecimal(),
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    codes.CATEGORY_WORD: _is_word,
    codes.CATEGORY_NOT_WORD: lambda sign: not _is_word(sign),
}


def _repeats(choice: _Choice, sequence: Any, before: str) -> Iterator[tuple[str, str]]:
    """Yield the text before a part of an expression, and the part to be repeated."""
    pieces = choice.pieces(sequence)
    starts = [before + "".join(pieces[:at]) for at in range(len(pieces) + 1)]
    for start in range(len(pieces)):
        for end in range(start + 1, len(pieces) + 1):
            if not start or end - start <= LONGEST_SLICE or end == len(pieces):
                yield starts[start], "".join(pieces[start:end])
    for code, operand in sequence:
        if code is not codes.IN:
            for inner in _inside(code, operand):
                yield from _repeats(choice, inner, before)
        before += choice.text(code, operand)
