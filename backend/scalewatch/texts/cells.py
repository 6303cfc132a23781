"""Cells of tables: numbers, durations and shares, as people and programs write them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scalewatch.outcomes import is_absent, judge_value
from scalewatch.quantities import parse_unit

_PLAIN: Final = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?")
_GROUPED: Final = re.compile(
    r"[+-]?\d{1,3}(?:,\d{3})++(?:\.\d++)?|"
    r"[+-]?\d{1,3}(?:(?P<gap>[ _'’\xa0\u202f])\d{3})"
    r"(?:(?P=gap)\d{3})*+(?:[.,]\d++)?"
)
_GROUPED_BY_POINTS: Final = re.compile(r"[+-]?\d{1,3}(?:\.\d{3})++(?:,\d++)?")
_COMMA: Final = re.compile(
    r"[*~<>+-]*(?P<number>\d{1,15}(?:\.\d{3}){0,5},\d{1,15})"
    r"(?:[eE][+-]?\d{1,3})?[^\d.,]*"
)
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2},\d{3}")
_WITH_POINT: Final = re.compile(
    r"(?!\d{1,3}(?:\.\d{3})++\Z)[+-]?\d*+\.\d++(?:[eE][+-]?\d++)?"
)
"""A number with a point before decimals, which are not groups of three digits."""

_POINTLESS: Final = re.compile(r"[+-]?\d++,\d++(?:[eE][+-]?\d++)?")
_EMPHASIS: Final = re.compile(
    r"\x1b\[[\d;]*m|(?<!\d)[*`_~$]++|[*`_~$†‡§]++(?!\d)|\\(?![,;]\d)[,;%]?"
)
"""Marks around a number; between its digits they tear it."""

_THIN_SPACE: Final = re.compile(r"(?<=\d)\\[,;](?=\d)")
_WITH_UNIT: Final = re.compile(
    r"(?P<number>[+-]?[.,]?\d++(?:[.,'’ \xa0]++\d++)*+\.?(?:[eE][+-]?\d++)?)\s*+"
    r"(?P<unit>[^\d\s.,+±-]\S*)"
)
_SPREAD: Final = re.compile(r"±|\+/-|\+-")
_GAPS: Final = re.compile("[ _'’\xa0\u202f]")
_POINT: Final = re.compile(r",\d{1,2}\Z")
_CLOCK: Final = re.compile(
    r"(?:(?P<d>\d++)-)?(?P<h>\d++):(?P<m>[0-5]?\d)(?::(?P<s>[0-5]?\d(?:\.\d*+)?)|(?P<of_minute>\.\d++))?"
)
_PARTS: Final = re.compile(
    r"(?:(?P<d>\d{1,9})\s?d(?:ays?)?)?\s?(?:(?P<h>\d{1,9})\s?h(?:rs?|ours?)?)?\s?"
    r"(?:(?P<m>\d{1,9})\s?m(?:in(?:utes?)?)?)?\s?"
    r"(?:(?P<s>\d{1,9}(?:\.\d{0,9})?)\s?s(?:ec(?:onds?)?)?)?"
)
_SECONDS: Final = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_LONGEST: Final = 60
"""Characters of a cell that is more than a plain number."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Parameters
    ----------
    number
        Its value; None if it is missing, failed, or a text.
    unit
        The unit that stands behind the number, if one does.
    is_missing
        Whether the cell says that nothing was measured, or that the run failed.
    """

    number: float | None
    unit: str | None = None
    is_missing: bool = False


_MISSING: Final = Cell(None, is_missing=True)


@lru_cache(maxsize=65536)
def read_cell(text: str, *, has_decimal_comma: bool = False) -> Cell:
    """Return what a cell says: `1,234.5`, `3.61x`, `**98 %**`, `1m41.7s`, `a ± b`.

    Parameters
    ----------
    has_decimal_comma
        Whether a comma stands for the point, as between semicolons.
    """
    if _PLAIN.fullmatch(text) and not has_decimal_comma:
        return Cell(float(text))
    plain = _SPREAD.split(
        _EMPHASIS.sub("", _THIN_SPACE.sub("\xa0", text[:_LONGEST])), 1
    )[0].strip()
    if is_absent(text) or judge_value(text) or is_absent(plain) or judge_value(plain):
        return _MISSING
    if len(text) > _LONGEST:
        return Cell(None)
    number, unit = _number(plain, has_decimal_comma=has_decimal_comma), None
    if number is None and (number := _duration(plain)) is not None:
        unit = "s"
    prefixed = _THOUSANDS_BEHIND.fullmatch(plain) if number is None else None
    if prefixed is not None and plain.endswith(prefixed["prefix"]):
        number = float(prefixed["number"]) * _PREFIXES[prefixed["prefix"]]
    match = _WITH_UNIT.fullmatch(plain) if number is None else None
    if match is not None and parse_unit(match["unit"]).is_known:
        written, unit = match["number"].strip(), match["unit"]
        number = _number(written, has_decimal_comma=has_decimal_comma)
    return Cell(number, unit if number is not None else None)


def uses_decimal_comma(cells: Iterable[str], delimiter: str) -> bool:
    """Tell whether numbers of a table have a comma for the point, as `98,4` has.

    Between semicolons `2,500` is one of them, elsewhere it may be grouped. None is
    where another number has a point: `12.5` beside `98,4` is either, or a mistake.
    """
    known = [*cells]
    matches = (_COMMA.fullmatch(cell) for cell in known if "," in cell)
    commas = {match["number"] for match in matches if match}
    if commas and any(_WITH_POINT.fullmatch(cell.strip()) for cell in known):
        return False
    if delimiter == ";":
        return bool(commas)
    return any(not _THOUSANDS.fullmatch(number) for number in commas)


@lru_cache(maxsize=4096)
def read_label(text: str) -> float | None:
    """Return the count that a label of a scale says: `16`, `4× A100`, `2*8`, `64k`.

    Amounts of data are in bytes, and times in seconds: `64 KB` are 65,536, as programs
    that send messages count them. None if it is no such label.
    """
    plain = _EMPHASIS_OF_LABEL.sub("", text[:_LONGEST]).strip()
    if _PLAIN.fullmatch(plain) or _GROUPED.fullmatch(plain):
        return _number(plain, has_decimal_comma=False)
    if product := _PRODUCT.fullmatch(plain):
        return float(int(product["first"]) * int(product["second"]))
    if prefixed := _THOUSANDS_BEHIND.fullmatch(plain):
        return float(prefixed["number"]) * _PREFIXES[prefixed["prefix"]]
    counted = _COUNTED.fullmatch(plain)
    if counted is None:
        stated = _STATED.fullmatch(plain)
        return float(stated["count"]) if stated else None
    unit = parse_unit(_OF_TWO.sub(r"\g<prefix>iB", (counted["what"] or "").strip()))
    return float(counted["count"]) * (unit.size if unit.dimension in _SIZED else 1.0)


def _number(text: str, *, has_decimal_comma: bool) -> float | None:
    if has_decimal_comma:
        if _POINTLESS.fullmatch(text):
            return float(text.replace(",", "."))
        if _GROUPED_BY_POINTS.fullmatch(text):
            return float(text.replace(".", "").replace(",", "."))
    if _PLAIN.fullmatch(text):
        return float(text)
    if _GROUPED.fullmatch(text):
        whole = _GAPS.sub("", text)
        is_point = _POINT.search(whole) is not None
        return float(whole.replace(",", "." if is_point else ""))
    return None


def _duration(text: str) -> float | None:
    """Return the seconds of `2d 3h07m`, `1m41.71s`, `0:16:03` or `1-00:00:41`."""
    clock = _CLOCK.fullmatch(text)
    if clock is not None and clock["s"] is None:
        # m:ss, as `time -v` prints what is shorter than an hour.
        seconds = float(clock["m"] + (clock["of_minute"] or ""))
        return None if clock["d"] else 60.0 * int(clock["h"]) + seconds
    parts = clock or _PARTS.fullmatch(text)
    if parts is None or sum(part is not None for part in parts.groups()) < _FEWEST:
        return None
    return sum(
        float(part) * _SECONDS[key]
        for key, part in parts.groupdict().items()
        if part is not None and key in _SECONDS
    )


_EMPHASIS_OF_LABEL: Final = re.compile(
    r"[*`_]{2,}|[`$]|\\times(?=\W)|(?<=\d) ?[*†‡§]+\Z"
)
_PRODUCT: Final = re.compile(r"(?P<first>\d{1,7}) ?[*x×·] ?(?P<second>\d{1,7})")
_COUNTED: Final = re.compile(
    r"(?P<count>\d{1,9}) ?(?:(?:[x×*] ?)?"
    r"(?P<what>(?![kKMGT]i?\b)[A-Za-z][\w -]*+)(?:\([^()]*\)|,.*)?|\([^()]*\))"
)
_STATED: Final = re.compile(
    r"(?<![\w #])#?[A-Za-z][A-Za-z _]*+[=:] ?(?P<count>\d{1,9})"
)
"""A setting by its name: np=4."""

_THOUSANDS_BEHIND: Final = re.compile(
    r"(?P<number>\d++(?:\.\d++)?) ?(?P<prefix>[kKMGT]i?)\b(?: [A-Za-z][\w -]*+)?"
)
"""A number with a prefix behind it, as 64k, 12.5 M, 4k cells."""

_PREFIXES: Final = {
    letter + end: base**power
    for power, letters in enumerate(("kK", "M", "G", "T"), 1)
    for letter in letters
    for end, base in (("", 1e3), ("i", 1024.0))
}
_OF_TWO: Final = re.compile(r"(?P<prefix>[kKMGT])i?B(?:ytes?)?\Z")
_SIZED: Final = frozenset({(("B", 1),), (("s", 1),)})
_FEWEST: Final = 2
"""Parts of a duration: of one alone the unit says as much."""
