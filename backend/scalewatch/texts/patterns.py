"""Patterns of names, paths and lines that settings and values stand in.

Of names and paths they are such as `{region}_{p}[_{*}]`, of lines `nProcs : {p}`.

A pattern is compiled into steps and matched as by a backtracking engine, which tries
the shortest text and the longest number first. No step is tried twice at the same
character, hence the time is bounded by steps times characters, whatever the name.

References
----------
.. [1] R. Cox, "Regular Expression Matching: the Virtual Machine Approach", 2009,
   section "Backtracking with memory": https://swtch.com/~rsc/regexp/regexp2.html
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

from scalewatch.errors import BadPattern
from scalewatch.outcomes import is_about_outcome
from scalewatch.quantities import parse_unit
from scalewatch.texts.cells import Cell, read_cell
from scalewatch.texts.scales import parameter_of, scale_of

TEXTS: Final = frozenset(
    {"region", "commit", "committed_at", "machine", "branch", "rep"}
)
"""Holes that hold no setting."""

LONGEST_PATTERN: Final = 500
"""Characters of a pattern, which bound its steps."""

MOST_HOLES: Final = 16
"""Holes of a pattern."""

_TOKEN: Final = re.compile(
    r"\[\[|\]\]|\{\{|\}\}|\[|\]|\{\*\*?\}"
    r"|\{(?P<seen>\w+)(?:>(?P<kept>\w+))?(?P<word>:word)?\}|(?P<stray>[{}])"
)
_GROUPED: Final = re.compile(r"\d{1,3},\d{3}")
"""A number of thousands; no fraction has just three digits behind a comma."""

_FACTORS: Final = {"k": 1e3, "M": 1e6}
_SHOWN: Final = 40
_DOUBLED: Final = frozenset({"[[", "]]", "{{", "}}"})


@dataclass(frozen=True, slots=True)
class StatedSettings:
    """Settings that a name or a path states: numbers, words, and other texts."""

    settings: Mapping[str, float]
    words: Mapping[str, str | bool | int | float | None]
    texts: Mapping[str, str]


class PathPattern(Protocol):
    """A pattern of paths, written by the user or known by name."""

    @property
    def text(self) -> str:
        """The pattern as the user wrote it."""

    def match_path(self, path: str) -> StatedSettings | None:
        """Return the settings in a path, or None if it is not of this pattern."""


class _Step(NamedTuple):
    """A step of the matcher: consume a literal or a character, note a hole, go on.

    `onward` is the step that follows, and `otherwise` the one that does if `onward`
    leads nowhere; `hole` begins or ends here.
    """

    onward: int
    literal: str = ""
    accepts: Callable[[str], bool] | None = None
    hole: str = ""
    otherwise: int | None = None


class _Way(NamedTuple):
    """The marks that a way through the steps has passed, the last one first."""

    hole: str
    at: int
    before: "_Way | None"


@dataclass(frozen=True, slots=True)
class Pattern:
    """Literal text with holes; the whole name must match."""

    text: str
    steps: tuple[_Step, ...] = field(compare=False)
    words: frozenset[str] = field(compare=False)

    def match(self, name: str) -> StatedSettings | None:
        """Return the settings in `name`, or None if it is not of this pattern."""
        return _said(self, name, is_path=False)

    def match_path(self, path: str) -> StatedSettings | None:
        """Return the settings in a path, or in its longest end that matches."""
        return _said(self, path, is_path=True)


EXTRA_P: Final = "extra-p"

_SETTING: Final = re.compile(
    r"(?<![A-Za-z])(?P<key>[A-Za-z]++)(?P<value>\d+(?:[.,]\d+)?)"
)


@dataclass(frozen=True, slots=True)
class ExtraPNames:
    """Folders and files as Extra-P calls them: `kripke.p8.d2.g32.r1`, `mm.x10y1.r1`."""

    text: str = EXTRA_P

    def match_path(self, path: str) -> StatedSettings | None:
        """Return the settings in the last segment of a path that has this form."""
        for segment in reversed(path.split("/")):
            region, _, rest = segment.partition(".")
            tokens = list(_SETTING.finditer(rest))
            left = _SETTING.sub("", rest).strip("._")
            if region and tokens and not any(map(str.isdecimal, left)):
                return self._said(region, tokens)
        return None

    def _said(self, region: str, tokens: Sequence[re.Match[str]]) -> StatedSettings:
        texts = {"region": region}
        settings: dict[str, float] = {}
        for token in tokens:
            if token["key"] == "r":
                texts["rep"] = token["value"]
            else:
                key = parameter_of(token["key"]) or token["key"]
                settings[key] = _number(token["value"])
        return StatedSettings(settings, {}, texts)


def path_pattern_of(text: str) -> PathPattern:
    """Return the pattern of paths that is written as `text`, or called so.

    Raises
    ------
    BadPattern
        As `pattern_of` does.
    """
    return ExtraPNames() if text == EXTRA_P else pattern_of(text)


def pattern_of(text: str) -> Pattern:
    """Return the pattern that is written as `text`.

    Raises
    ------
    BadPattern
        If a bracket has no partner, a setting stands in it twice, nothing divides two
        holes, or it is longer or has more holes than any name needs.
    """
    if len(text) > LONGEST_PATTERN:
        raise BadPattern(
            f"{text[:_SHOWN]}…",
            f"has {len(text)} characters, of which {LONGEST_PATTERN} are allowed: "
            "write {**} for the parts that hold no setting",
        )
    compiled, end = _Compiled(text), 0
    for token in _TOKEN.finditer(text):
        compiled.add_literal(text[end : token.start()])
        compiled.add(token)
        end = token.end()
    compiled.add_literal(text[end:])
    return compiled.pattern()


TAKEN: Final = ("each", "last", "first", "sum", "max", "min", "count")
"""Kinds of taking the values that a record has several times, repetitions first."""

_HOLE_OF_LINE: Final = re.compile(
    r"(?P<literal>[^{}]++|\{\{|\}\})|\{\*\*?\}"
    r"|\{(?P<seen>\w+)(?:>(?P<kept>\w+))?(?P<said>(?::[^{}:]++)*+)\}|(?P<stray>[{}])"
)
_BLANKS: Final = re.compile(r"\s+")
_SPLIT_DURATION: Final = re.compile(r"(?<=\d[dhm]) (?=\d)")
"""The blank in `1h 5m`, as Fortran prints durations."""

_UNIT_BEHIND: Final = re.compile(r" ?[\[(]?(?P<unit>[^\s\[\]()]+)[\])]?(?= |\Z)")
_AROUND: Final = ",;:)(][\"'"
LONGEST_LINE: Final = 1_000
"""Characters of a line that patterns are matched with; its literals come first."""


@dataclass(frozen=True, slots=True)
class LineHole:
    """A hole of a line: a setting, a text or a value.

    Parameters
    ----------
    name
        The setting or the metric.
    kind
        `setting`, `word` or `value`.
    unit
        The unit of a value, as the pattern states it or has it behind the hole.
    taken
        One of `TAKEN`.
    """

    name: str
    kind: str
    unit: str | None = None
    taken: str = "each"


@dataclass(frozen=True, slots=True)
class LinePattern:
    """Literal text with holes, sought anywhere in a line, with any blanks for a blank.

    `literal` is the longest word of it, by which most lines are passed over, and
    `start` the text that it begins with, if it begins with one. One that `is_open` may
    end before the line does.
    """

    text: str
    steps: tuple[_Step, ...] = field(compare=False)
    holes: Mapping[str, LineHole] = field(compare=False)
    literal: str = field(compare=False)
    start: str = field(compare=False)
    is_open: bool = field(compare=False)

    def match(self, line: str) -> Mapping[str, Cell | str] | None:
        """Return the cell or the word in each hole, None if a line is another one."""
        if self.literal not in line:
            return None
        shown = _BLANKS.sub(" ", line[:LONGEST_LINE]).strip()
        shown = _SPLIT_DURATION.sub("", shown)
        if (way := self._way(shown)) is None:
            return None
        cells: dict[str, Cell | str] = {}
        for name, text in _held(shown, way):
            hole = self.holes[name]
            if hole.kind == "word" or is_about_outcome(name.replace("_", " ")):
                cells[name] = text.strip()
                continue
            cell = read_cell(text.strip(_AROUND))
            if cell.number is None and not cell.is_missing and hole.taken != "count":
                return None
            is_last = name == way.hole and self.text.rstrip().endswith("}")
            if is_last and hole.unit is None and cell.unit is None:
                cell = replace(cell, unit=_unit_at(shown[way.at :]))
            cells[name] = cell
        return cells

    def _way(self, shown: str) -> _Way | None:
        """Return the first way from a place where the pattern may begin."""
        tried = bytearray((len(self.steps) + 1) * (len(shown) + 1))
        at = shown.find(self.start)
        while at >= 0:
            if at == 0 or not self.start or _ends_word(shown[at - 1]):
                way = _way(self.steps, shown, at, tried, is_open=self.is_open)
                if way is not None:
                    return way
            if not self.start:
                return None
            at = shown.find(self.start, at + 1)
        return None


def _unit_at(rest: str) -> str | None:
    """Return the unit that a line goes on with behind a number, if it does."""
    word, *_ = rest.split(maxsplit=1) or [""]
    unit = parse_unit(word.rstrip(",;."))
    return unit.text if unit.is_known and unit.dimension else None


def as_literal(text: str) -> str:
    """Return a text as patterns of lines have it, whose braces are no holes."""
    return text.replace("{", "{{").replace("}", "}}")


def line_pattern_of(text: str, *, is_row: bool = False) -> LinePattern:
    """Return the pattern of lines that is written as `text`.

    A hole is a setting if it is called like one, as `{p}` and `{threads}`, or if it
    says so, `{tasks:setting}`; `{case:word}` and `{region}` are texts, and all others
    values: `{time}`, `{rate:GB/s}`, `{time:last}`.

    Parameters
    ----------
    text
        The pattern.
    is_row
        Whether it is sought within a table alone, and needs no word of its own.

    Raises
    ------
    BadPattern
        As `pattern_of` does, and if a hole says what is neither unit nor known.
    """
    if len(text) > LONGEST_PATTERN:
        raise BadPattern(
            f"{text[:_SHOWN]}…",
            f"has {len(text)} characters, of which {LONGEST_PATTERN} are allowed",
        )
    compiled = _CompiledLine(_BLANKS.sub(" ", text).strip())
    for token in _HOLE_OF_LINE.finditer(compiled.text):
        if not (compiled.steps or token["literal"]):
            compiled.add_start()
        compiled.add(token)
    return compiled.line_pattern(is_row=is_row)


class _Compiled:
    """A pattern whose tokens are turned into steps from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps: list[_Step] = []
        self.names: set[str] = set()
        self.words: set[str] = set()
        self.brackets: list[int] = []
        self.holes = 0
        self.last: re.Match[str] | None = None

    def pattern(self) -> Pattern:
        """Return the whole pattern."""
        if self.brackets:
            raise self.bad("has a [ without its ]; double it if it is a literal")
        if self.holes > MOST_HOLES:
            raise self.bad(
                f"has {self.holes} holes, of which {MOST_HOLES} are allowed: write one "
                "{**} for all that stands between two settings"
            )
        return Pattern(self.text, tuple(self.steps), frozenset(self.words))

    def add_literal(self, literal: str) -> None:
        """Add text that stands in every name."""
        if literal:
            self.add_step(literal=literal)
            self.last = None

    def add(self, token: re.Match[str]) -> None:
        """Add what a bracket or a brace means."""
        if token["stray"]:
            raise self.bad(f"has a stray {token['stray']!r}; double it")
        if token[0] in _DOUBLED:
            self.add_literal(token[0][0])
        elif token[0] == "[":
            self.brackets.append(self.add_step())
        elif token[0] == "]":
            if not self.brackets:
                raise self.bad("has a ] without its [; double it if it is a literal")
            self.make_optional(self.brackets.pop())
        else:
            self.add_hole(token)

    def add_hole(self, token: re.Match[str]) -> None:
        """Add a hole; two with nothing between them are a text and a number."""
        if self.last and _is_number(self.last) == _is_number(token):
            kept = "{p}" if _is_number(token) else "{**}"
            raise self.bad(
                f"has {self.last[0]} and {token[0]} with nothing between them: write "
                f"the text that divides them, or one {kept} for both"
            )
        self.holes, self.last = self.holes + 1, token
        if token["seen"] is None:
            self.add_shortest(_is_any if token[0] == "{**}" else _is_in_segment)
            return
        name = token["kept"] or parameter_of(token["seen"]) or token["seen"]
        if not name.isidentifier():
            raise self.bad(f"has a hole {name!r}, which is no name of a setting")
        if name in self.names:
            raise self.bad(f"says {name} twice: write {{*}} for one of them")
        self.names.add(name)
        if token["word"]:
            self.words.add(name)
        self.add_step(hole=name)
        if _is_number(token):
            self.add_number()
        else:
            self.add_step(accepts=_is_in_segment)
            self.add_shortest(_is_in_segment)
        self.add_step(hole=name)

    def add_number(self) -> None:
        """Add digits, a fraction if there is one, and a factor if there is one."""
        self.add_digits()
        fraction = self.add_step()
        self.add_step(accepts=".,".__contains__)
        self.add_digits()
        self.make_optional(fraction)
        factor = self.add_step()
        self.add_step(accepts=_FACTORS.__contains__)
        self.make_optional(factor)

    def add_digits(self) -> None:
        """Add at least one digit, and as many as possible."""
        self.add_step(accepts=str.isdecimal)
        loop = self.add_step()
        self.steps.append(_Step(loop, accepts=str.isdecimal))
        self.make_optional(loop)

    def add_shortest(self, accepts: Callable[[str], bool]) -> None:
        """Add as few characters as possible."""
        loop = len(self.steps)
        self.steps.append(_Step(loop + 2, otherwise=loop + 1))
        self.steps.append(_Step(loop, accepts=accepts))

    def add_step(self, **what: Any) -> int:
        """Add a step that leads to the next one, and return where it is."""
        self.steps.append(_Step(len(self.steps) + 1, **what))
        return len(self.steps) - 1

    def make_optional(self, fork: int) -> None:
        """Let a step lead to here if the steps that follow it lead nowhere."""
        self.steps[fork] = _Step(fork + 1, otherwise=len(self.steps))

    def bad(self, fault: str) -> BadPattern:
        return BadPattern(self.text, fault)


class _CompiledLine(_Compiled):
    """A pattern of lines, which may begin behind any word and end before any."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.line_holes: dict[str, LineHole] = {}
        self.literals: list[str] = []

    def line_pattern(self, *, is_row: bool) -> LinePattern:
        """Return the whole pattern."""
        if self.holes > MOST_HOLES:
            raise self.bad(f"has {self.holes} holes, of which {MOST_HOLES} are allowed")
        words = " ".join(self.literals).split()
        if not words and not is_row:
            raise self.bad("has no word by which its lines are known")
        ends_with = [*self.line_holes.values()][-1:] if self.last else []
        is_open = not any(hole.kind == "word" for hole in ends_with)
        literal = max(words, key=len, default="")
        return LinePattern(
            self.text,
            tuple(self.steps),
            self.line_holes,
            literal,
            self.steps[0].literal,
            is_open,
        )

    def add_start(self) -> None:
        """Begin at the line's first character, or behind one that ends a word."""
        fork = self.add_step()
        self.add_shortest(_is_any)
        self.add_step(accepts=_ends_word)
        self.steps[fork] = _Step(len(self.steps), otherwise=fork + 1)

    def add(self, token: re.Match[str]) -> None:
        """Add what a literal or a hole means."""
        if token["stray"]:
            raise self.bad(f"has a stray {token['stray']!r}; double it")
        if literal := token["literal"]:
            plain = {"{{": "{", "}}": "}"}.get(literal, literal)
            self.literals.append(plain)
            self.add_literal(plain)
            return
        if self.last is not None:
            raise self.bad(
                f"has {self.last[0]} and {token[0]} with nothing between them"
            )
        self.holes, self.last = self.holes + 1, token
        if token["seen"] is None:
            self.add_shortest(_is_any if token[0] == "{**}" else _is_no_blank)
            return
        hole = self.hole(token)
        if hole.name in self.line_holes:
            raise self.bad(f"says {hole.name} twice: write {{*}} for one of them")
        self.line_holes[hole.name] = hole
        self.add_step(hole=hole.name)
        if hole.kind != "word":
            self.add_longest(_is_in_cell)
        elif hole.name == "region":
            self.add_step(accepts=_is_any)
            self.add_shortest(_is_any)
        else:
            self.add_longest(_is_no_blank)
        self.add_step(hole=hole.name)

    def hole(self, token: re.Match[str]) -> LineHole:
        """Return the meaning of a hole."""
        name = token["kept"] or token["seen"]
        scale = parameter_of(name) or scale_of(name)
        kind, unit, taken = "value", None, "each"
        if name in TEXTS:
            kind = "word"
        elif scale is not None:
            name, kind = scale, "setting"
        for word in filter(None, token["said"].split(":")):
            if word in {"word", "setting", "value"}:
                kind = word
            elif word in TAKEN:
                taken = word
            elif parse_unit(word).is_known:
                kind, unit = "value", word
            else:
                known = ", ".join(("word", "setting", *TAKEN))
                raise self.bad(f"says {word!r}, which is no unit and none of {known}")
        if kind == "value" and unit is None:
            behind = _UNIT_BEHIND.match(self.text, token.end())
            if behind and parse_unit(behind["unit"]).is_known:
                unit = behind["unit"]
        return LineHole(name, kind, unit, taken)

    def add_longest(self, accepts: Callable[[str], bool]) -> None:
        """Add at least one character, and as many as possible."""
        self.add_step(accepts=accepts)
        loop = self.add_step()
        self.steps.append(_Step(loop, accepts=accepts))
        self.make_optional(loop)


def _ends_word(character: str) -> bool:
    return not (character.isalnum() or character == "_")


def _is_no_blank(character: str) -> bool:
    return not character.isspace()


def _is_in_cell(character: str) -> bool:
    return character.isalnum() or character in ".,:+-%'’±/_"


def _is_number(hole: re.Match[str]) -> bool:
    """Tell a hole for a number from one for a text; `{rep}` numbers repetitions."""
    if hole["seen"] is None or hole["word"]:
        return False
    name = hole["kept"] or parameter_of(hole["seen"]) or hole["seen"]
    return name not in TEXTS - {"rep"}


def _is_any(character: str) -> bool:
    return character != "\n"


def _is_in_segment(character: str) -> bool:
    return character != "/"


# All measurements of a file have its path, and regions come in turns.
@lru_cache(maxsize=64)
def _said(pattern: Pattern, name: str, *, is_path: bool) -> StatedSettings | None:
    tried = bytearray((len(pattern.steps) + 1) * (len(name) + 1))
    slashes = (at for at, sign in enumerate(name, 1) if is_path and sign == "/")
    for start in [0, *slashes]:
        way = _way(pattern.steps, name, start, tried)
        if way is not None:
            held = {key: text for key, text in _held(name, way) if text}
            words = held.keys() & pattern.words
            numbers = held.keys() - pattern.words - TEXTS
            return StatedSettings(
                {key: _number(held[key]) for key in numbers},
                {key: held[key] for key in words},
                {key: held[key] for key in held.keys() & TEXTS},
            )
    return None


def _way(
    steps: Sequence[_Step],
    name: str,
    start: int,
    tried: bytearray,
    *,
    is_open: bool = False,
) -> _Way | None:
    """Return the first way through all steps to the end of a name, if there is one.

    One that `is_open` need not lead to the end.

    `tried` marks the steps that were at a character before: none of them leads on.
    """
    end, width = len(name), len(name) + 1
    ways = [(0, start, _Way("", start, None))]
    while ways:
        at_step, at, way = ways.pop()
        while not tried[place := at_step * width + at]:
            tried[place] = 1
            if at_step == len(steps):
                if is_open or at == end:
                    return way
                break
            onward, literal, accepts, hole, otherwise = steps[at_step]
            if literal and not name.startswith(literal, at):
                break
            if accepts is not None and (at == end or not accepts(name[at])):
                break
            at += len(literal) or accepts is not None
            if hole:
                way = _Way(hole, at, way)
            if otherwise is not None:
                ways.append((otherwise, at, way))
            at_step = onward
    return None


def _held(name: str, way: _Way) -> Iterator[tuple[str, str]]:
    """Yield each hole that a way went through, and the text in it."""
    while way.before is not None and way.before.before is not None:
        yield way.hole, name[way.before.at : way.at]
        way = way.before.before


def _number(text: str) -> float:
    factor = _FACTORS.get(text[-1], 1.0)
    number = text.rstrip("kM")
    is_grouped = _GROUPED.fullmatch(number) is not None
    return float(number.replace(",", "" if is_grouped else ".")) * factor
