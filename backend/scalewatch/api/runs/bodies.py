"""Bodies of posted runs: received, decompressed and read within bounds.

Neither a body without end nor a small one that decompresses to gigabytes takes more
memory than the limit and one step.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from json import JSONDecoder, dumps, loads
from typing import Annotated, Final, Protocol

import zstandard
from fastapi import Request
from pydantic import FailFast, TypeAdapter, ValidationError

from scalewatch.errors import (
    BodyTooLarge,
    InvalidReport,
    ScalewatchError,
    UnreadableBody,
    UnsupportedContent,
)
from scalewatch.wire import RunReport, faults, without_metadata

LIMIT: Final = 32 * 2**20
"""Bytes that a body may hold, as sent and once decompressed."""

LINES: Final = ("application/x-ndjson", "application/jsonl")
TYPES: Final = ("application/json", *LINES)

# No three bytes of Zstandard say more than 128 KiB: a step stays below 11 MiB.
_STEP: Final = 256
_LARGEST_WINDOW: Final = LIMIT

_DECODER: Final = JSONDecoder()
_ONE: Final = TypeAdapter(RunReport)
_MANY: Final = TypeAdapter(Annotated[tuple[RunReport, ...], FailFast()])


class _Decompressor(Protocol):
    """The decompression that zlib and zstandard have in common."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


ENCODINGS: Final[Mapping[str, Callable[[], _Decompressor]]] = {
    "gzip": lambda: zlib.decompressobj(wbits=16 + zlib.MAX_WBITS),
    "zstd": lambda: zstandard.ZstdDecompressor(
        max_window_size=_LARGEST_WINDOW
    ).decompressobj(),
}


async def received(request: Request) -> bytes:
    """Return the body as it was sent.

    Raises
    ------
    BodyTooLarge
        As soon as more than the limit was announced or has arrived.
    """
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > LIMIT:
        raise BodyTooLarge(LIMIT)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LIMIT:
            raise BodyTooLarge(LIMIT)
    return bytes(body)


def decoded(body: bytes, encoding: str, limit: int = LIMIT) -> bytes:
    """Return a body as it was before its Content-Encoding.

    Raises
    ------
    UnsupportedContent
        If the encoding is neither gzip nor zstd.
    UnreadableBody
        If the body is damaged or incomplete.
    BodyTooLarge
        As soon as more than the limit came out.
    """
    encoding = encoding.strip().lower()
    if encoding in {"", "identity"}:
        if len(body) > limit:
            raise BodyTooLarge(limit)
        return body
    if encoding not in ENCODINGS:
        raise UnsupportedContent("Content-Encoding", encoding, ENCODINGS)
    whole = bytearray()
    try:
        for part in _decompressed(body, ENCODINGS[encoding]):
            whole += part
            if len(whole) > limit:
                raise BodyTooLarge(limit)
    except (zlib.error, zstandard.ZstdError) as error:
        raise UnreadableBody(str(error)) from error
    return bytes(whole)


@dataclass(frozen=True, slots=True)
class Posted:
    """A run, and the text that it was read from.

    Parameters
    ----------
    notes
        What of the text could not be taken, and is neither in the run nor in the text.
    """

    report: RunReport
    text: bytes
    notes: Sequence[str] = ()


def runs_in(body: bytes, content_type: str) -> tuple[list[Posted], bool]:
    """Return the runs of a body, and whether it is a single one.

    Raises
    ------
    UnsupportedContent
        If it is neither JSON nor JSON Lines.
    UnreadableBody
        If it is no JSON.
    InvalidReport
        If it holds no run, or fields of one are wrong.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in TYPES:
        raise UnsupportedContent("Content-Type", kind, TYPES)
    if kind in LINES:
        lines = [line for line in body.splitlines() if line.strip()]
        if not lines:
            raise InvalidReport([("", "there is no run")])
        return [_posted(line, str(number)) for number, line in enumerate(lines)], False
    if body.lstrip()[:1] != b"[":
        return [_posted(body)], True
    try:
        reports = _MANY.validate_json(body)
    except ValidationError as error:
        if _is_no_json(error):
            raise _refusal(error) from None
        elements = enumerate(_elements(body))
        return [_posted(text, str(number)) for number, text in elements], False
    if not reports:
        raise InvalidReport([("", "the array holds no run")])
    return [*map(Posted, reports, _elements(body))], False


def _decompressed(
    body: bytes, decompressor: Callable[[], _Decompressor]
) -> Iterator[bytes]:
    """Yield a body in small parts; members or frames may follow each other."""
    current = decompressor()
    for start in range(0, len(body), _STEP):
        rest = body[start : start + _STEP]
        while rest:
            if current.eof:
                current = decompressor()
            yield current.decompress(rest)
            rest = current.unused_data if current.eof else b""
    if not current.eof:
        reason = "it ends too early"
        raise UnreadableBody(reason)


def _elements(array: bytes) -> Iterator[bytes]:
    """Yield the elements of a JSON array that is known to be one, as they stand."""
    text = array.decode()
    end = text.index("[")
    while text[end] != "]":
        start = _past_space(text, end + 1)
        _, end = _DECODER.raw_decode(text, start)
        yield text[start:end].encode()
        end = _past_space(text, end)


def _past_space(text: str, at: int) -> int:
    while text[at] in " \t\r\n":
        at += 1
    return at


def _posted(text: bytes, where: str = "") -> Posted:
    """Read a run; what it tells of its commit besides may be lost alone."""
    try:
        return Posted(_ONE.validate_json(text), text)
    except ValidationError as error:
        refusal = _refusal(error, where)
        if _is_no_json(error):
            raise refusal from None
        try:
            sound = without_metadata(loads(text), error)
        except ValueError:  # a number of more digits than Python reads
            sound = None
    if not sound:
        raise refusal
    content, notes = sound
    taken = dumps(content).encode()
    try:
        return Posted(_ONE.validate_json(taken), taken, notes)
    except ValidationError as error:
        raise _refusal(error, where) from None


def _is_no_json(error: ValidationError) -> bool:
    return error.errors(include_url=False)[0]["type"] == "json_invalid"


def _refusal(error: ValidationError, where: str = "") -> ScalewatchError:
    refused = [
        (".".join(filter(None, (where, fault.field))), fault.message)
        for fault in faults(error)
    ]
    if _is_no_json(error):
        return UnreadableBody(": ".join(filter(None, refused[0])))
    return InvalidReport(refused)
