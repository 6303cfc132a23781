"""Names of regions and metrics as addresses can hold them, and of units of time."""

import re
from hashlib import blake2s
from typing import Final

from scalewatch.quantities import is_time, parse_unit

LONGEST: Final = 200
"""Characters of a name in an address."""

_REFUSED: Final = re.compile(r"[\x00-\x1f\x7f?#]")
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
    quantity = parse_unit(unit or "")
    return quantity.size if is_time(quantity.dimension) else None
