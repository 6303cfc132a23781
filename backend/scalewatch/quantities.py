"""Units of measurement: their sizes, and which of them measure the same.

A unit is a product of powers of symbols, with prefixes, as people and tools write it:
`ms`, `GB/s`, `Mcells/s`, `ns/op`, `MB s^-1`, `updates per second`. Its *dimension* is
written in seconds, bytes, joules, amperes and whatever is counted: cells, operations,
cycles, atoms. What is counted is a dimension of its own, since no factor turns a cell
into an atom; a word that nobody listed is such a dimension, too. So is a text that is
no unit at all, which then equals nothing but itself.

Prefixes are those of the SI (decimal) and of IEC 80000-13 (`Ki`, `Mi`, binary). `K` is
`k`, as most tools write it. Of `kb`, `mb` and `gb` nobody knows whether bits or bytes
are meant: each is a dimension of its own.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

TIME: Final = "s"
SIMULATED_TIME: Final = "simulated s"
"""Dimension of the ns in ns/day, which do not cancel with the day."""

_LARGE: Final[Mapping[str, float]] = {
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "E": 1e18,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
    "Pi": 2.0**50,
    "kilo": 1e3,
    "mega": 1e6,
    "giga": 1e9,
    "tera": 1e12,
    "kibi": 2.0**10,
    "mebi": 2.0**20,
    "gibi": 2.0**30,
}
"""Prefixes of what can be counted; nobody counts thousandths of an operation."""

_SMALL: Final[Mapping[str, float]] = {
    "m": 1e-3,
    "u": 1e-6,
    "µ": 1e-6,
    "n": 1e-9,
    "p": 1e-12,
    "f": 1e-15,
    "milli": 1e-3,
    "micro": 1e-6,
    "nano": 1e-9,
    "pico": 1e-12,
}

Dimension = tuple[tuple[str, int], ...]
"""Names of dimensions with their exponents, sorted; none for a number."""

_SECONDS: Final[Mapping[str, float]] = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
    **dict.fromkeys(("week", "weeks"), 7 * 86400.0),
    **dict.fromkeys(("year", "years", "yr"), 365 * 86400.0),
}

_SYMBOLS: Final[Mapping[str, tuple[float, Dimension]]] = {
    "J": (1.0, (("J", 1),)),
    "joule": (1.0, (("J", 1),)),
    "joules": (1.0, (("J", 1),)),
    "W": (1.0, (("J", 1), (TIME, -1))),
    "watt": (1.0, (("J", 1), (TIME, -1))),
    "watts": (1.0, (("J", 1), (TIME, -1))),
    "Wh": (3600.0, (("J", 1),)),
    "eV": (1.602176634e-19, (("J", 1),)),
    "Hz": (1.0, ((TIME, -1),)),
    "V": (1.0, (("V", 1),)),
    "A": (1.0, (("A", 1),)),
    **dict.fromkeys(("B", "byte", "bytes", "Byte", "Bytes"), (1.0, (("B", 1),))),
    **dict.fromkeys(("bit", "bits", "b"), (0.125, (("B", 1),))),
    **{name: (size, ((TIME, 1),)) for name, size in _SECONDS.items()},
}
"""Size and dimension by symbol; they take prefixes, large and small."""

_WHOLE: Final[Mapping[str, tuple[float, Dimension]]] = {
    **dict.fromkeys(("", "1", "x", "×", "X", "ratio", "factor", "times"), (1.0, ())),
    **dict.fromkeys(("%", "percent", "pct"), (0.01, ())),
    **dict.fromkeys(("K", "kelvin"), (1.0, (("K", 1),))),
    # No factor turns degrees into kelvin: they differ by where zero is.
    **dict.fromkeys(("°C", "degC", "C", "celsius", "Celsius"), (1.0, (("°C", 1),))),
    "SYPD": (365.0, ((TIME, -1), (SIMULATED_TIME, 1))),
    "SDPD": (1.0, ((TIME, -1), (SIMULATED_TIME, 1))),
}
"""Units that take no prefix."""

_AMBIGUOUS: Final = frozenset({"kb", "mb", "gb", "tb"})
"""Symbols of bits or of bytes: nobody knows which is meant."""

_RATES: Final[Mapping[str, str]] = {
    "flops": "flop",
    "f": "flop",
    "lups": "lup",
    "lup": "lup",
    "flup": "flup",
    "teps": "edge",
    "iops": "iop",
    "ups": "update",
    "fps": "frame",
    "qps": "query",
    "rps": "request",
    "tps": "transaction",
}
"""Counted things by the word for their number in a second, in lower case."""

_NOUNS: Final[Mapping[str, str]] = {
    name: noun
    for noun, names in {
        "flop": ("flop", "flops", "f"),
        "op": ("op", "ops", "operation", "operations"),
        "iop": ("iop", "iops"),
        "cell": ("cell", "cells"),
        "zone": ("zone", "zones"),
        "element": ("elem", "elems", "element", "elements", "elt", "elts"),
        "update": ("update", "updates"),
        "lup": ("lup", "lups"),
        "dof": ("dof", "dofs"),
        "iteration": ("it", "its", "iter", "iters", "iteration", "iterations"),
        "step": ("step", "steps", "timestep", "timesteps"),
        "atom": ("atom", "atoms"),
        "particle": ("particle", "particles"),
        "cycle": ("cycle", "cycles", "cyc"),
        "instruction": ("instruction", "instructions", "instr", "insn"),
        "call": ("call", "calls"),
        "event": ("event", "events"),
        "message": ("message", "messages", "msg", "msgs"),
        "packet": ("packet", "packets", "pkt", "pkts"),
        "sample": ("sample", "samples"),
        "token": ("token", "tokens", "tok"),
        "image": ("image", "images", "img"),
        "frame": ("frame", "frames"),
        "edge": ("edge", "edges"),
        "vertex": ("vertex", "vertices"),
        "point": ("point", "points"),
        "row": ("row", "rows"),
        "item": ("item", "items"),
        "key": ("key", "keys"),
        "request": ("request", "requests", "req"),
        "query": ("query", "queries"),
        "transaction": ("transaction", "transactions"),
        "word": ("word", "words"),
        "photon": ("photon", "photons"),
        "ray": ("ray", "rays"),
        "node": ("node", "nodes"),
        "core": ("core", "cores"),
        "gpu": ("gpu", "gpus"),
        "process": ("process", "processes", "rank", "ranks"),
        "thread": ("thread", "threads"),
    }.items()
    for name in names
}
"""Counted things by the words for them, in lower case."""

_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻μ", "0123456789-µ")
_TIMES_SIGN: Final = re.compile(
    r"[*·⋅](?!\*)|(?<=[^\W\d])-(?=(?:h|hrs?|hours?|s|sec|seconds?)\b)"
)
_PER: Final = re.compile(r"/|(?<=\s)per(?=\s)")
_FACTOR: Final = re.compile(
    r"(?P<symbol>1|%|×|°C|[^\W\d_][^\W\d]*)(?:(?:\^|\*\*)?(?P<power>-?[1-9]))?"
)
_PREFIXED: Final = re.compile(
    r"(?P<prefix>kilo|mega|giga|tera|kibi|mebi|gibi|[KMGTP]i|[kKMGTPE])(?P<noun>.{2,})"
)
_ROUNDING: Final = 1e-12
_LONGEST: Final = 60
"""Characters of a text that is read as a unit."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, by its size in seconds, bytes, joules or counted things.

    Parameters
    ----------
    text
        As it was written.
    size
        How many coherent units it is: 1e-3 for ms, 2^20 for MiB/s.
    dimension
        Empty for numbers and percentages.
    """

    text: str
    size: float
    dimension: Dimension

    @property
    def is_rate(self) -> bool:
        """Whether it is something in a time: B/s, ns/day, 1/s, W."""
        return dict(self.dimension).get(TIME, 0) < 0

    @property
    def is_known(self) -> bool:
        """Whether every word of it is in the lists of this module."""
        return all(name in _NAMES for name, _ in self.dimension)

    def in_units_of(self, other: "Unit") -> float | None:
        """Return how many of another unit one of this unit is.

        None where no factor exists: they measure different things, or nobody knows.
        """
        if self.dimension == other.dimension:
            return _rounded(self.size / other.size)
        return _by_prefix(self, other)


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Unit:
    """Return a unit as people and tools write it; no text is refused."""
    written = text.strip().translate(_SUPERSCRIPTS)
    if written in _WHOLE:
        return Unit(text, *_WHOLE[written])
    factors = list(_factors(written)) if len(written) <= _LONGEST else []
    if not factors:
        return Unit(text, 1.0, ((written, 1),))
    parts = [_part(symbol, is_alone=len(factors) == 1) for symbol, _ in factors]
    exponents = [power for _, power in factors]
    if _is_time_in_a_time(parts, exponents):
        parts = [
            (size, ((SIMULATED_TIME, 1),) if power > 0 and is_time(part) else part)
            for (size, part), power in zip(parts, exponents, strict=True)
        ]
    size, powers = 1.0, dict[str, int]()
    for (factor, dimension), power in zip(parts, exponents, strict=True):
        size *= factor**power
        for name, exponent in dimension:
            powers[name] = powers.get(name, 0) + exponent * power
    dimension = tuple(sorted((name, power) for name, power in powers.items() if power))
    return Unit(text, size, dimension)


@lru_cache(maxsize=4096)
def factor_between(unit: str, other: str) -> float | None:
    """Return how many of another unit one unit is; None if no factor converts them."""
    return 1.0 if unit == other else parse_unit(unit).in_units_of(parse_unit(other))


def is_time(dimension: Dimension) -> bool:
    """Tell whether a dimension is that of a duration."""
    return dimension == ((TIME, 1),)


def _factors(text: str) -> Iterator[tuple[str, int]]:
    """Yield symbols and their exponents; nothing if the text is no unit."""
    above, *below = _PER.split(_TIMES_SIGN.sub(" ", text))
    factors = []
    for sign, part in ((1, above), *((-1, part) for part in below)):
        for written in part.split():
            match = _FACTOR.fullmatch(written)
            if match is None:
                return
            factors.append((match["symbol"], sign * int(match["power"] or 1)))
    yield from factors


def _is_time_in_a_time(
    parts: list[tuple[float, Dimension]], exponents: list[int]
) -> bool:
    """Tell whether a unit is as ns/day, whose two times are not the same time."""
    signs = {
        power > 0
        for (_, dimension), power in zip(parts, exponents, strict=True)
        if is_time(dimension)
    }
    return len(signs) == 2


def _part(symbol: str, *, is_alone: bool) -> tuple[float, Dimension]:
    """Return size and dimension of one symbol.

    Parameters
    ----------
    is_alone
        Whether the unit has no other: GFLOPS is a rate by itself, but of GFLOPS/s the
        last letter is a plural.
    """
    if symbol in _WHOLE:
        return _WHOLE[symbol]
    if symbol not in _AMBIGUOUS:
        for prefix, size in (("", 1.0), *_LARGE.items(), *_SMALL.items()):
            base = symbol.removeprefix(prefix)
            if symbol.startswith(prefix) and base in _SYMBOLS:
                factor, dimension = _SYMBOLS[base]
                return size * factor, dimension
            if symbol.startswith(prefix) and prefix not in _SMALL:
                dimension = _counted(base, is_rate=is_alone, is_letter=bool(prefix))
                if dimension:
                    return size * (
                        0.125 if base in {"bps", "bitps"} else 1.0
                    ), dimension
    return 1.0, ((_singular(symbol), 1),)


def _counted(word: str, *, is_rate: bool, is_letter: bool) -> Dimension:
    """Return the dimension of a counted thing, or of its number in a second.

    Parameters
    ----------
    is_letter
        Whether a single letter may be the word, as the F in GF.
    """
    if word in {"Bps", "bps", "bitps"}:
        return ("B", 1), (TIME, -1)
    noun = word.lower()
    if len(noun) == 1 and not is_letter:
        return ()
    if is_rate and noun in _RATES:
        return tuple(sorted(((_RATES[noun], 1), (TIME, -1))))
    return ((_NOUNS[noun], 1),) if noun in _NOUNS else ()


def _singular(noun: str) -> str:
    is_plural = len(noun) > 4 and noun.endswith("s") and not noun.endswith("ss")
    return noun[:-1] if is_plural else noun


def _rounded(factor: float) -> float:
    """Return the whole number, or the part of one, that a factor is but for rounding.

    Otherwise 0.001/1e-6 would not be 1000.
    """
    whole = round(factor if factor >= 1 else 1 / factor)
    exact = float(whole) if factor >= 1 else 1 / whole
    return exact if abs(exact / factor - 1) < _ROUNDING else factor


def _by_prefix(unit: Unit, other: Unit) -> float | None:
    """Return the factor between units of which one word is the other's with a prefix.

    Of a word that is in no list only its sibling tells that it begins with a prefix:
    Mfoo/s and foo/s are a million apart, and Mfoo alone may be anything.
    """
    mine, others = dict(unit.dimension), dict(other.dimension)
    [*here], [*there] = mine.keys() - others.keys(), others.keys() - mine.keys()
    if len(here) != 1 or len(there) != 1 or mine[here[0]] != others[there[0]]:
        return None
    if any(mine[name] != others[name] for name in mine.keys() & others.keys()):
        return None
    factor = _prefix_between(here[0], there[0])
    if factor is None:
        return None
    return factor ** mine[here[0]] * unit.size / other.size


def _prefix_between(noun: str, other: str) -> float | None:
    for name, base, sign in ((noun, other, 1), (other, noun, -1)):
        match = _PREFIXED.fullmatch(name)
        if match and match["noun"] == base and base not in _NAMES:
            return _LARGE[match["prefix"]] ** sign
    first, second = _PREFIXED.fullmatch(noun), _PREFIXED.fullmatch(other)
    if first and second and first["noun"] == second["noun"]:
        return _LARGE[first["prefix"]] / _LARGE[second["prefix"]]
    return None


_NAMES: Final = frozenset(
    {TIME, SIMULATED_TIME, *_NOUNS.values()}
    | {name for _, part in (*_SYMBOLS.values(), *_WHOLE.values()) for name, _ in part}
)
"""Dimensions that this module knows."""
