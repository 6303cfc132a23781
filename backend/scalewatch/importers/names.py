"""Names of regions and metrics as addresses can hold them, and of units of time."""

import re
from hashlib import blake2s
from typing import Final

LONGEST: Final = 200
"""Characters of a name in an address."""

_REFUSED: Final = re.compile(r"[\x00-\x1f\x7f?#]")
_SECONDS: Final = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "µs", "μs", "usec", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nsec", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
}
"""Seconds of a unit of time, as people and tools write it; both letters mu."""

_DIGEST: Final = 4
"""Bytes that tell shortened names apart."""


def addressable(name: str) -> str:
    """Return a name as an address can hold it: nested by `->`, and not too long."""
    plain = _REFUSED.sub("_", name.replace("/", "->")).strip() or "_"
    if plain in {".", ".."}:
        return f"_{plain}"
    if len(plain) <= LONGEST:
        return plain
    digest = blake2s(plain.encode("utf-8", "replace"), digest_size=_DIGEST).hexdigest()
    half = (LONGEST - len(digest) - 2) // 2
    return f"{plain[:half]}…{plain[-half:]}…{digest}"


def seconds_of(unit: str | None) -> float | None:
    """Return how many seconds a unit is, or None if it is none of time."""
    return None if unit is None else _SECONDS.get(unit.strip())
