"""The web application, put together."""

import logging
import re
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from functools import cache
from http import HTTPStatus
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from sqlalchemy import Engine
from sqlalchemy.exc import (
    DBAPIError,
    InternalError,
    OperationalError,
    ProgrammingError,
)
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse

from scalewatch import api, pages
from scalewatch.api.http import problems
from scalewatch.api.runs import bodies
from scalewatch.errors import (
    ScalewatchError,
    SchemaNotMigrated,
    TokenNeeded,
    UnreadableBody,
)
from scalewatch.jobs.companion import Companion
from scalewatch.pages.rendering.addresses import path_to
from scalewatch.pages.rendering.errors import missing_page, show_error
from scalewatch.services.files.reader_processes import (
    ReaderProcesses,
    configured_readers,
)
from scalewatch.settings import ALARMING_SHARE, get_settings
from scalewatch.storage.database import outages, schema, session
from scalewatch.web import answers, process, requests
from scalewatch.web.protection import headers, origins, shares
from scalewatch.web.protection.headers import Protection
from scalewatch.web.protection.limits import BodyLimit, TimeLimit, WithoutNul
from scalewatch.web.watch import NewsWatch

if TYPE_CHECKING:
    from scalewatch.jobs.broker import Messenger

TITLE: Final = "Scalewatch"

CLIENT_GONE: Final = 499
"""For log and metrics, as proxies call a connection that its client has cut."""

LARGE: Final = re.compile(r"/api/v1/(runs|reframe|import/[^/]+)$")
"""Paths that take bodies of runs, or of files that hold them."""

_LOG: Final = logging.getLogger(__name__)


def served() -> FastAPI:
    """Return the application as configured: `uvicorn --factory scalewatch.app:served`.

    The database is expected to be migrated.
    """
    settings = get_settings()
    app = create_app(
        session.connect(settings.database_url),
        embedded_worker=settings.embedded_worker,
        broker_url=settings.broker_url,
        alarming_share=settings.alarming_share,
        protection=Protection(
            is_open=settings.open,
            plain_http=settings.plain_http,
            requests_per_minute=settings.requests_per_minute,
            request_seconds=settings.request_seconds,
            read_only=settings.read_only,
        ),
        readers=configured_readers(settings),
    )
    process.spare_collections()
    process.give_memory_back()
    return app


def create_app(  # noqa: PLR0913 - all that a composition chooses
    engine: Engine,
    *,
    embedded_worker: bool,
    broker_url: str | None = None,
    protection: Protection | None = None,
    alarming_share: float = ALARMING_SHARE,
    readers: ReaderProcesses | None = None,
    key_file: Path | None = None,
    frozen: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> FastAPI:
    """Return the application on a database.

    Parameters
    ----------
    embedded_worker
        Whether jobs are done by a process beside this one while it serves.
    broker_url
        Where distant workers are woken, who then do the jobs.
    protection
        What is allowed; by default all who reach it are trusted.
    alarming_share
        Share of histories of 200 commits that may alarm although nothing changed.
    readers
        The processes that read posted files; by default one, with the usual limits.
    key_file
        The file with the key of webhooks' secrets; by default as configured.
    frozen
        Routes of pages that become files, and offer nothing that needs a server; with
        what of their query chooses another file.
    """
    sessions = session.sessions_of(engine)
    watch = NewsWatch(sessions)
    readers = readers or ReaderProcesses()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        beside = _beside(
            sessions, engine, embedded_worker=embedded_worker, broker_url=broker_url
        )
        if beside:
            beside.start()
        with watch.until_signalled():
            yield
        await run_in_threadpool(readers.close)
        if beside:
            await run_in_threadpool(beside.stop)
        engine.dispose()

    app = FastAPI(
        title=TITLE,
        docs_url=None,  # pages.reference shows them, with scripts of our own
        redoc_url=None,
        openapi_url="/api/v1/openapi.json",
        routes=[*api.routes, *pages.routes],
        lifespan=lifespan,
    )
    app.openapi = _description  # type: ignore[method-assign]
    app.state.sessions = sessions
    app.state.alarming_share = alarming_share
    app.state.frozen = frozen
    app.state.key_file = key_file or get_settings().key_file
    app.state.watch = watch
    app.state.readers = readers
    app.state.protection = protection or Protection()
    app.state.shares = shares.Shares(app.state.protection.requests_per_minute)
    app.state.metrics = requests.Metrics()
    app.state.disk = process.DatabaseDisk(engine.url)
    _add_middleware(app)
    _add_error_handlers(app)
    _add_failure_handlers(app)
    _add_database_handlers(app, engine)
    return app


@cache
def _description() -> dict[str, Any]:
    """Return the OpenAPI description: all applications of a process have the same."""
    # Schemas of all answers: a twelfth of the time in which a server is imported.
    from scalewatch.api.http import described  # noqa: PLC0415

    return described.complete(
        get_openapi(
            title=TITLE,
            version=version("scalewatch"),
            summary="Tracks whether HPC codes still scale the way they should.",
            routes=described.with_answers(api.routes),
        )
    )


def _beside(
    sessions: session.Sessions,
    engine: Engine,
    *,
    embedded_worker: bool,
    broker_url: str | None,
) -> "Companion | Messenger | None":
    """Return what runs beside the application: its own worker, or the way to others."""
    if broker_url:
        # A single user needs no Celery: half the time that a start takes.
        from scalewatch.jobs.broker import Messenger  # noqa: PLC0415

        return Messenger(sessions, broker_url)
    if not embedded_worker:
        return None
    return Companion(engine.url.render_as_string(hide_password=False))


def _add_middleware(app: FastAPI) -> None:
    """Wrap the application, from the inside out."""
    protection: Protection = app.state.protection
    app.add_middleware(TimeLimit, seconds=protection.request_seconds, answer=_answer)
    app.add_middleware(BodyLimit, large=LARGE, limit=bodies.LIMIT, answer=_answer)
    app.add_middleware(WithoutNul, answer=_answer)
    app.add_middleware(origins.OwnOrigin, answer=_answer)
    if protection.read_only:
        app.add_middleware(origins.ReadOnly, answer=_answer)
    app.add_middleware(shares.RateLimit, shares=app.state.shares, answer=_answer)
    app.add_middleware(headers.Privacy)
    app.add_middleware(answers.ETags)
    app.add_middleware(answers.Compression)
    app.add_middleware(answers.Heads)
    app.add_middleware(headers.SecurityHeaders)
    app.add_middleware(requests.Requests, metrics=app.state.metrics)


def _add_error_handlers(app: FastAPI) -> None:
    """Answer errors by problem documents to programs, and by pages to people."""

    @app.exception_handler(ScalewatchError)
    def deliberate(request: Request, error: ScalewatchError) -> Response:
        return _answer(request, error)

    @app.exception_handler(HTTPException)
    def refused(request: Request, error: HTTPException) -> Response:
        if isinstance(error.__cause__, ValueError | RecursionError):
            # The framework's words for a body that is neither text nor JSON.
            return _answer(request, UnreadableBody(str(error.__cause__)))
        if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            # A route knows its own methods, and not those of its neighbours.
            error.headers = {"Allow": requests.allowed(request)}
        if _is_program(request):
            return problems.problem_of_http(request, error)
        is_missing = error.status_code == HTTPStatus.NOT_FOUND
        detail = missing_page(request) if is_missing else str(error.detail)
        page = show_error(request, error.status_code, detail)
        page.headers.update(error.headers or {})
        return page

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, error: RequestValidationError) -> Response:
        if _is_program(request):
            return problems.problem_of_fields(request, error)
        return show_error(request, 422, problems.detail_of_fields(error))


def _add_failure_handlers(app: FastAPI) -> None:
    """Answer what nobody meant: connections that are cut, failures of ours."""

    @app.exception_handler(ClientDisconnect)
    def gone(_request: Request, _error: ClientDisconnect) -> Response:
        """Note that a body ended half-way: nobody reads the answer."""
        return Response(status_code=CLIENT_GONE)

    @app.exception_handler(Exception)
    def failed(request: Request, _error: Exception) -> Response:
        if _is_program(request):
            return problems.problem_of_failure(request)
        return show_error(request, 500, problems.failure())


def _add_database_handlers(app: FastAPI, engine: Engine) -> None:
    """Answer that the database is away, or was not migrated."""

    @app.exception_handler(OperationalError)
    @app.exception_handler(InternalError)  # PostgreSQL whose files fail
    def unavailable(request: Request, error: DBAPIError) -> Response:
        if engine.dialect.name == "sqlite" and (outdated := _outdated(engine)):
            return _answer(request, outdated)
        _LOG.error("%s", outages.unusable(error))
        if outages.is_without_room(error):
            app.state.disk.note_full()
        if _is_program(request):
            return problems.problem_of_database(request, outages.reason(error))
        return show_error(request, 503, problems.unavailable(outages.reason(error)))

    @app.exception_handler(ProgrammingError)
    def not_understood(request: Request, error: ProgrammingError) -> Response:
        """PostgreSQL knows no such table or column, which SQLite finds operational."""
        if outdated := _outdated(engine):
            return _answer(request, outdated)
        raise error


def _outdated(engine: Engine) -> SchemaNotMigrated | None:
    """Return what is wrong with the schema, if anything."""
    try:
        schema.require_newest(engine)
    except SchemaNotMigrated as error:
        _LOG.error("%s", error)
        return error
    except OperationalError:
        return None  # it does not answer at all
    return None


PROBES: Final = ("/healthz", "/readyz", "/metrics")
"""Paths outside the API that programs ask for: they get problem documents, too."""


def _answer(request: Request, error: ScalewatchError) -> Response:
    if _is_program(request):
        return problems.problem_of(request, error)
    if isinstance(error, TokenNeeded) and request.method == "GET":
        query = f"?{request.url.query}" if request.url.query else ""
        goal = f"{request.url.path}{query}"
        return RedirectResponse(path_to(request, "login", {"goal": goal}), 303)
    page = show_error(request, problems.status_of(error), str(error), error)
    page.headers.update(problems.headers_of(error))
    return page


def _is_program(request: Request) -> bool:
    return request.url.path.startswith(("/api/", *PROBES))
