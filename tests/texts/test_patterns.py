import itertools
import pickle
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scalewatch.errors import BadPattern
from scalewatch.texts.patterns import (
    LONGEST_PATTERN,
    MOST_HOLES,
    Pattern,
    pattern_of,
)

LITERALS = ("a", "b", "1", ".", "/", "_", "[[", "]]", "{{", "}}")
HOLES = ("{p}", "{n}", "{rep}", "{region}", "{w:word}", "{*}", "{**}")
PIECE = re.compile(r"\[\[|\]\]|\{\{|\}\}|\{[^}]*\}|.")
BRACKETS = {"[": "(?:", "]": ")?"}
NUMBER = r"\d+(?:[.,]\d+)?[kM]?"


def regular_expression(pieces) -> re.Pattern[str]:
    """Return the expression that a backtracking engine reads as the same pattern."""
    translated = []
    for piece in pieces:
        if piece in BRACKETS:
            translated.append(BRACKETS[piece])
        elif piece in {"{*}", "{**}"}:
            translated.append(".*?" if piece == "{**}" else "[^/]*?")
        elif name := re.fullmatch(r"\{(\w+)(:word)?\}", piece):
            is_text = name[1] in {"region", "w"}
            translated.append(f"(?P<{name[1]}>{'[^/]+?' if is_text else NUMBER})")
        else:
            translated.append(re.escape(piece[0]))
    return re.compile("".join(translated))


def understood(text) -> Pattern | None:
    try:
        return pattern_of(text)
    except BadPattern:
        return None


def number(text) -> float:
    factor = {"k": 1e3, "M": 1e6}.get(text[-1], 1.0)
    return float(text.rstrip("kM").replace(",", ".")) * factor


def filled(pieces, texts) -> str:
    """Return a name with a text in each hole, which the pattern nearly matches."""
    turns = itertools.cycle(texts)
    return "".join(
        next(turns) if piece in HOLES else "" if piece in BRACKETS else piece[0]
        for piece in pieces
    )


@given(
    st.lists(st.sampled_from([*LITERALS, *BRACKETS, *HOLES]), max_size=9),
    st.lists(st.text("ab12.,/_kM\n[{]}", max_size=4), min_size=1, max_size=20),
)
def test_pattern_matches_as_a_backtracking_engine_does(drawn, texts) -> None:
    pattern = understood("".join(drawn))
    assume(pattern is not None)
    pieces = PIECE.findall(pattern.text)
    expression = regular_expression(pieces)

    for at in range(len(texts)):
        name = filled(pieces, texts[at:] + texts[:at])
        said, match = pattern.match(name), expression.fullmatch(name)

        assert (said is None) == (match is None)
        if said is not None and match is not None:
            texts_of = {key: text for key, text in match.groupdict().items() if text}
            assert {**said.settings, **said.words, **said.texts}.keys() == set(texts_of)
            assert {**said.words, **said.texts}.items() <= texts_of.items()
            assert all(
                said.settings[key] == number(texts_of[key]) for key in said.settings
            )


@pytest.mark.parametrize("holes", [5, 12, MOST_HOLES])
@pytest.mark.parametrize("hole", ["{**}", "{*}"])
def test_name_that_nearly_matches_ends(hole, holes) -> None:
    pattern = pattern_of("x".join([hole] * holes) + "!")

    assert pattern.match("x" * 20_000) is None
    assert pattern.match("x" * 20_000 + "!") is not None


def test_path_of_many_folders_ends() -> None:
    pattern = pattern_of("{**}/a/{*}/a/{**}!")

    assert pattern.match_path("a/" * 5_000) is None


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("{*}{**}", r"one \{\*\*\} for both"),
        ("{**}[{region}]", r"one \{\*\*\} for both"),
        ("{case:word}{*}", r"one \{\*\*\} for both"),
        ("{p}{n}", r"the text that divides them"),
        ("_".join(["{*}"] * (MOST_HOLES + 1)), r"\{\*\*\} for all that stands between"),
        ("x" * (LONGEST_PATTERN + 1), r"\{\*\*\} for the parts that hold no setting"),
        ("{p}_{np}", r"says p twice: write \{\*\}"),
        ("{1}", "no name of a setting"),
        ("a]", "double it"),
    ],
)
def test_refused_pattern_says_what_to_write(text, instead) -> None:
    with pytest.raises(BadPattern, match=instead):
        pattern_of(text)


def test_text_and_number_stand_side_by_side() -> None:
    said = pattern_of("{region}{p}").match("solve128")

    assert said is not None
    assert (said.texts, said.settings) == ({"region": "solve"}, {"p": 128.0})


def test_pattern_goes_to_another_process() -> None:
    pattern = pattern_of("{region}/{n}[/threads:{threads}]")

    there = pickle.loads(pickle.dumps(pattern))  # noqa: S301 - its own bytes

    assert there.match("a/64k/threads:2") == pattern.match("a/64k/threads:2")
