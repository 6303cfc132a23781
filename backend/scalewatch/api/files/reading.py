"""Files of other tools on their way: read by a reader process, then stored as runs."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from anyio import to_thread
from fastapi import Request, Response
from fastapi.concurrency import run_in_threadpool
from pydantic import TypeAdapter

from scalewatch.api.runs import bodies, posting, turns
from scalewatch.services.files.kept_files import record_file
from scalewatch.services.files.posted_files import PostedFile, runs_json
from scalewatch.services.files.reader_processes import ReaderProcesses
from scalewatch.services.runs.prepare import prepare
from scalewatch.web.sessions import RequestSessions
from scalewatch.wire import RunReport

_RUNS: Final = TypeAdapter(tuple[RunReport, ...])


@asynccontextmanager
async def decoded_body(request: Request, door: RequestSessions) -> AsyncIterator[bytes]:
    """Receive and decode the body of who may post, once it can be read.

    Reader processes are few: who may not post takes none, and others wait their turn,
    which ends with the block.
    """
    async with posting.receiving(request, door) as body:
        await run_in_threadpool(posting.admit, door)
        async with turns.reading(_readers(request).places):
            yield await run_in_threadpool(bodies.decoded, body.sent, body.encoding)


async def read(
    request: Request, function: Callable[[PostedFile, int], bytes], file: PostedFile
) -> bytes:
    """Return the runs or the preview of a file, by a function of `posted_files`."""
    return await run_in_threadpool(_readers(request).read, function, file, bodies.LIMIT)


async def stored(request: Request, door: RequestSessions, file: PostedFile) -> Response:
    """Store the runs that a file makes, and acknowledge them."""
    runs = await read(request, runs_json, file)
    return await to_thread.run_sync(
        partial(_stored, door, file, runs), limiter=turns.storing_turn(len(runs))
    )


def _readers(request: Request) -> ReaderProcesses:
    readers: ReaderProcesses = request.app.state.readers
    return readers


def _stored(door: RequestSessions, file: PostedFile, runs: bytes) -> Response:
    prepared = [prepare(report) for report in _RUNS.validate_json(runs)]
    record = partial(record_file, file=file, prepared=prepared)
    receipts = posting.recorded(door, [file.origin.project], record)
    return posting.acknowledged(receipts, is_single=False)
