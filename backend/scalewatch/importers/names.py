"""Names of regions and metrics as addresses can hold them."""

import re
from hashlib import blake2s
from typing import Final

LONGEST: Final = 200
"""Characters of a name in an address."""

_REFUSED: Final = re.compile(r"[\x00-\x1f\x7f?#]")
_DIGEST: Final = 4
"""Bytes that tell shortened names apart."""


def addressable(name: str) -> str:
    """Return a name as an address can hold it: nested by `->`, and not too long."""
    told = _REFUSED.sub("_", name.replace("/", "->")).strip() or "_"
    if told in {".", ".."}:
        return f"_{told}"
    if len(told) <= LONGEST:
        return told
    digest = blake2s(told.encode("utf-8", "replace"), digest_size=_DIGEST).hexdigest()
    half = (LONGEST - len(digest) - 2) // 2
    return f"{told[:half]}…{told[-half:]}…{digest}"
