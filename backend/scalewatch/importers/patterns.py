"""Patterns of names and paths that settings stand in, such as `{region}_{p}[_{*}]`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from scalewatch.errors import BadPattern
from scalewatch.importers.series import Setting
from scalewatch.importers.tables.columns import parameter_of

TEXTS: Final = frozenset({"region", "commit", "machine", "branch", "rep"})
"""Holes that hold no setting."""

_TOKEN: Final = re.compile(
    r"\[\[|\]\]|\{\{|\}\}|\[|\]|\{\*\*?\}"
    r"|\{(?P<seen>\w+)(?:>(?P<kept>\w+))?(?P<word>:word)?\}|(?P<stray>[{}])"
)
_NUMBER: Final = r"\d+(?:[.,]\d+)?[kM]?"
_FACTORS: Final = {"k": 1e3, "M": 1e6}
_FIXED: Final = {
    "[": "(?:",
    "]": ")?",
    "[[": r"\[",
    "]]": r"\]",
    "{{": r"\{",
    "}}": r"\}",
    "{*}": "[^/]*?",
    "{**}": ".*?",
}


@dataclass(frozen=True, slots=True)
class Said:
    """What a name or a path says: settings that are numbers, words, and the rest."""

    settings: Mapping[str, float]
    words: Mapping[str, Setting]
    texts: Mapping[str, str]


class PathPattern(Protocol):
    """What says settings of a path."""

    @property
    def text(self) -> str:
        """How the user wrote it."""

    def match_path(self, path: str) -> Said | None:
        """Return what a path says, or None if it says nothing."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Literal text with holes; the whole name must match."""

    text: str
    expression: re.Pattern[str]
    words: frozenset[str]

    def match(self, name: str) -> Said | None:
        """Return what `name` says, or None if it is not of this pattern."""
        found = self.expression.fullmatch(name)
        if found is None:
            return None
        held = {key: text for key, text in found.groupdict().items() if text}
        return Said(
            {key: _number(held[key]) for key in held.keys() - self.words - TEXTS},
            {key: held[key] for key in held.keys() & self.words},
            {key: held[key] for key in held.keys() & TEXTS},
        )

    def match_path(self, path: str) -> Said | None:
        """Return what a path says, or its longest end that is of this pattern."""
        parts = path.split("/")
        ends = ("/".join(parts[start:]) for start in range(len(parts)))
        return next(filter(None, map(self.match, ends)), None)


EXTRA_P: Final = "extra-p"

_SETTING: Final = re.compile(r"(?P<key>[A-Za-z]+)(?P<value>\d+(?:[.,]\d+)?)")


@dataclass(frozen=True, slots=True)
class ExtraPNames:
    """Folders and files as Extra-P calls them: `kripke.p8.d2.g32.r1`, `mm.x10y1.r1`."""

    text: str = EXTRA_P

    def match_path(self, path: str) -> Said | None:
        """Return what the last segment of a path says that is of this kind."""
        for segment in reversed(path.split("/")):
            region, _, rest = segment.partition(".")
            tokens = list(_SETTING.finditer(rest))
            left = _SETTING.sub("", rest).strip("._")
            if region and tokens and not re.search(r"\d", left):
                return self._said(region, tokens)
        return None

    def _said(self, region: str, tokens: Sequence[re.Match[str]]) -> Said:
        texts = {"region": region}
        settings: dict[str, float] = {}
        for token in tokens:
            if token["key"] == "r":
                texts["rep"] = token["value"]
            else:
                key = parameter_of(token["key"]) or token["key"]
                settings[key] = _number(token["value"])
        return Said(settings, {}, texts)


def path_pattern_of(text: str) -> PathPattern:
    """Return the pattern of paths that is written as `text`, or called so.

    Raises
    ------
    BadPattern
        If a bracket has no partner, or a setting stands in it twice.
    """
    return ExtraPNames() if text == EXTRA_P else pattern_of(text)


def pattern_of(text: str) -> Pattern:
    """Return the pattern that is written as `text`.

    Raises
    ------
    BadPattern
        If a bracket has no partner, or a setting stands in it twice.
    """
    parts, words, end = [], set(), 0
    for token in _TOKEN.finditer(text):
        if token["stray"]:
            raise BadPattern(text, f"has a stray {token['stray']!r}; double it")
        parts.append(re.escape(text[end : token.start()]))
        end = token.end()
        if token["seen"] is None:
            parts.append(_FIXED[token[0]])
            continue
        name = token["kept"] or parameter_of(token["seen"]) or token["seen"]
        if token["word"]:
            words.add(name)
        is_text = token["word"] or name in TEXTS - {"rep"}
        parts.append(f"(?P<{name}>{'[^/]+?' if is_text else _NUMBER})")
    try:
        expression = re.compile("".join([*parts, re.escape(text[end:])]))
    except re.error as error:
        raise BadPattern(text, f"cannot be understood: {error.msg}") from None
    return Pattern(text, expression, frozenset(words))


def _number(text: str) -> float:
    factor = _FACTORS.get(text[-1], 1.0)
    return float(text.rstrip("kM").replace(",", ".")) * factor
