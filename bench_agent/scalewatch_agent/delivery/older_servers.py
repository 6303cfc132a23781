"""Runs as servers take them that do not know the newest fields yet."""

import json
from collections.abc import Mapping
from typing import Any, Final

NEWEST: Final[Mapping[str, frozenset[str]]] = {
    "commit": frozenset({"author", "repository"})
}
"""Fields that older servers refuse, though runs are whole without them."""


def without_unknown(body: bytes, problem: Mapping[str, Any]) -> bytes | None:
    """Return runs without the newest fields, if a server refused these alone.

    None where it refused something else, or there is nothing to leave out.
    """
    refused = [str(each.get("field", "")) for each in problem.get("errors") or ()]
    if not refused or not all(map(_is_new, refused)):
        return None
    content = json.loads(body)
    runs = content if isinstance(content, list) else [content]
    removed = [
        run[section].pop(name, None)
        for run in runs
        for section, names in NEWEST.items()
        for name in names
    ]
    return json.dumps(content).encode() if any(removed) else None


def _is_new(field: str) -> bool:
    section, _, name = field.rpartition(".")
    return name in NEWEST.get(section.rpartition(".")[2], ())
