"""Digests of JSON content: equal content, whatever the order of its keys."""

from hashlib import sha256
from typing import Any

import orjson


def canonical(content: Any) -> bytes:
    """Return content as JSON with sorted keys."""
    return orjson.dumps(content, option=orjson.OPT_SORT_KEYS)


def digest_of(content: bytes) -> str:
    """Return the SHA-256 digest of canonical JSON."""
    return sha256(content).hexdigest()
