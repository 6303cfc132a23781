"""Decisions of people on regressions: what a store keeps beside its runs.

A regression has no number in a store. It is named by what it is: the first commit that
may have caused it, its kind, and a region that it changed.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scalewatch.stores.files import DECISIONS, StoreFault
from scalewatch.wire import first_fault
from scalewatch.wire.fields import Moment, Name, PersonName, Sha, Text


class Decision(BaseModel):
    """The word of somebody on a regression."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    project: Name
    first: Sha = Field(description="First commit that may have caused it.")
    kind: Literal["growth", "constant"]
    regions: Annotated[tuple[Name, ...], Field(min_length=1, max_length=1000)]
    state: Literal["open", "acknowledged", "expected"] | None = None
    owner: Text | None = None
    note: Text | None = None
    link: Text | None = None
    author: PersonName
    at: Moment


def read(content: bytes | None) -> tuple[list[Decision], list[StoreFault]]:
    """Return the decisions of a file, oldest first, and what cannot be read."""
    decisions, wrong = [], []
    for number, line in enumerate((content or b"").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            decisions.append(Decision.model_validate_json(line))
        except ValidationError as error:
            wrong.append(StoreFault(DECISIONS, number, first_fault(error)))
    decisions.sort(key=lambda decision: decision.at.astimezone(UTC))
    return decisions, wrong


def added(content: bytes | None, new: Iterable[Decision]) -> bytes | None:
    """Return a file with further decisions; None where it has all of them."""
    lines = [line for line in (content or b"").split(b"\n") if line.strip()]
    known = set(map(_canonical, lines))
    for decision in new:
        line = decision.model_dump_json(exclude_none=True).encode()
        if _canonical(line) not in known:
            known.add(_canonical(line))
            lines.append(line)
    whole = b"".join(line + b"\n" for line in lines)
    return None if whole == (content or b"") else whole


def _canonical(line: bytes) -> str:
    try:
        return json.dumps(json.loads(line), sort_keys=True)
    except (ValueError, RecursionError):
        return repr(line)


def moment(text: str) -> datetime:
    """Return a moment that a server tells."""
    read_moment = datetime.fromisoformat(text)
    return read_moment if read_moment.tzinfo else read_moment.replace(tzinfo=UTC)
